"""A driver image as a registry has it: which platforms are there, and what is in them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from generator.facts import driver
from generator.observed import imageconfig, manifest
from generator.observed.imageconfig import ImageConfig
from generator.observed.manifest import Image, Index, Member, Unreadable

# Reads ("manifests" or "blobs", digest) from the repository of the image; None where the registry has no such thing.
Read = Callable[[str, str], bytes | None]


class BuiltImage(Struct, frozen=True, kw_only=True):
    """What is under a tag; "" and () where it isn't told.

    `driver_version` is the lowest of its platforms. `notes` tell what is odd: platforms that disagree, or that are
    listed but not there.
    """

    tag: str
    platforms: tuple[str, ...] = ()
    digest: str = ""
    driver_version: str = ""
    kernel: str = ""
    module_type: str = ""
    requirements: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


def built(tag: str, media_type: str, digest: str, body: bytes, read: Read) -> BuiltImage | Unreadable:
    """The image whose manifest is `body`; its members and configs are read as they are needed."""
    found = manifest.parse(media_type, body)
    match found:
        case Unreadable():
            return found
        case Image():
            config = _config(found, read)
            if isinstance(config, Unreadable):
                return config
            if config is None:
                return Unreadable("its config is missing")
            return _combined(tag, digest, ((config.platform, config),), ())
        case Index():
            return _of_members(tag, digest, found, read)


def _of_members(tag: str, digest: str, index: Index, read: Read) -> BuiltImage | Unreadable:
    """A member whose manifest or config is missing can't be pulled: a platform that isn't there."""
    there: list[tuple[str, ImageConfig]] = []
    notes: list[str] = []
    for member in index.members:
        config = _of_member(member, read)
        named = member.platform or (config.platform if isinstance(config, ImageConfig) else "")
        if isinstance(config, Unreadable):
            return config
        if config is None:
            notes.append(f"{named or member.digest} is listed, but not there")
        else:
            if config.platform and named != config.platform:
                notes.append(f"the index calls {named} what calls itself {config.platform}")
            there.append((named, config))
    return _combined(tag, digest, there, notes)


def _of_member(member: Member, read: Read) -> ImageConfig | Unreadable | None:
    body = read("manifests", member.digest)
    if body is None:
        return None
    found = manifest.parse("", body)
    match found:
        case Image():
            return _config(found, read)
        case Index():
            return Unreadable("its index holds another index")
        case Unreadable():
            return found


def _config(image: Image, read: Read) -> ImageConfig | Unreadable | None:
    body = read("blobs", image.config)
    return None if body is None else imageconfig.parse(body)


def _combined(tag: str, digest: str, members: Iterable[tuple[str, ImageConfig]], notes: Iterable[str]) -> BuiltImage:
    """One image of its platforms. The lower driver counts: ">= x.y.z" must hold wherever a node comes up."""
    members = tuple(members)
    configs = [config for _, config in members]
    versions = sorted({one.driver_version for one in configs if one.driver_version}, key=driver.order_key)
    whole = all(one.driver_version for one in configs)
    return BuiltImage(
        tag=tag,
        platforms=tuple(sorted({platform for platform, _ in members if platform})),
        digest=digest,
        driver_version=versions[0] if versions and whole else "",
        kernel=_agreed(one.kernel for one in configs),
        module_type=_agreed(one.module_type for one in configs),
        requirements=configs[0].requirements if configs else {},
        notes=(*notes, *_disagreements(members)),
    )


def _agreed(told: Iterable[str]) -> str:
    values = set(told)
    return values.pop() if len(values) == 1 else ""


def _disagreements(members: tuple[tuple[str, ImageConfig], ...]) -> Iterator[str]:
    told = (
        ("the driver", [(platform, config.driver_version) for platform, config in members]),
        ("the kernel", [(platform, config.kernel) for platform, config in members]),
        ("the module type", [(platform, config.module_type) for platform, config in members]),
    )
    for what, values in told:
        if len({value for _, value in values}) > 1:
            each = ", ".join(f"{value or 'not told'} on {platform}" for platform, value in values)
            yield f"{what} differs: {each}"
