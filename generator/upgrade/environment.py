"""What a cluster does between two reconciles: a driver pod that was deleted comes back, and gets ready."""

from msgspec.structs import replace

from generator.upgrade.event import Event, Kind
from generator.upgrade.world import DriverPod, Node, World


def settle(world: World, deleted: dict[str, DriverPod], now: int) -> list[Event]:
    """The driver pods that are made again, and those that are ready by now."""
    for name, driver in deleted.items():
        world.put(replace(world.nodes[name], driver=_made_again(driver, now)))
    return [Event(at=now, kind=Kind.DRIVER_POD_READY, node=node.name) for node in _getting_ready(world, now)]


def _made_again(driver: DriverPod, now: int) -> DriverPod | None:
    after = driver.successor
    if after is None:
        return None
    return DriverPod(
        in_sync=True,
        ready=False,
        restarts=after.restarts,
        same_digest=True,
        successor=after,
        ready_at=None if after.ready_after is None else now + after.ready_after,
    )


def _getting_ready(world: World, now: int) -> list[Node]:
    ready = []
    for node in world.busy():
        driver = node.driver
        if driver is not None and driver.ready_at is not None and driver.ready_at <= now:
            changed = replace(node, driver=replace(driver, ready=True, ready_at=None))
            world.put(changed)
            ready.append(changed)
    return ready
