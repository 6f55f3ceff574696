"""The inventory edit that would declare what runs: kernels that a pool or its node image doesn't name as running."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from generator.audit.audit import Audit
from generator.audit.node import Standing
from generator.declared import model
from generator.declared.fleet import Cluster, Mode, Pool
from generator.documents.edit import CantEdit, add_item, add_key, remove_item
from generator.documents.places import Path
from generator.facts.kernel import label_form

Edit = Callable[[str], str | CantEdit]


class Missing(Struct, frozen=True, order=True):
    """A kernel that nodes of a pool run and that isn't declared as running; `written` is what uname -r says."""

    written: str
    nodes: tuple[str, ...]


class Proposed(Struct, frozen=True):
    """New texts by file, and what has to be done by hand, one line each."""

    texts: Mapping[str, str]
    notes: tuple[str, ...]


def proposed(
    audits: Iterable[tuple[Cluster, Audit]],
    images: Mapping[str, tuple[str, model.NodeImage]],
    texts: Mapping[str, str],
    uname: Mapping[tuple[str, str], str],
) -> Proposed:
    """`images` are node images with their files by name, `uname` what each (cluster, node) says of its own kernel."""
    made = _Edits(dict(texts))
    for cluster, found in audits:
        pools = {pool.name: pool for pool in cluster.pools}
        for pool, kernels in _undeclared(pools, found.nodes, cluster.name, uname):
            for one in kernels:
                made.add(cluster, pool, one, images)
        for node in found.nodes:
            if not node.pool:
                told = "no pool claims it: declare one (drivergate init --from-nodes proposes pools)"
                made.notes.append(f"node {cluster.name}/{node.node}: {told}")
    changed = {file: text for file, text in made.texts.items() if text != texts[file]}
    return Proposed(changed, tuple(dict.fromkeys(made.notes)))


def _undeclared(
    pools: Mapping[str, Pool], nodes: Iterable[Standing], cluster: str, uname: Mapping[tuple[str, str], str]
) -> Iterator[tuple[Pool, list[Missing]]]:
    """Per pool the kernels of nodes on the pool's own OS and architectures; others are no edit of a kernel list."""
    found: dict[str, dict[str, list[str]]] = {}
    for node in nodes:
        pool = pools.get(node.pool)
        if pool is None or pool.driver.mode is not Mode.PRECOMPILED or not node.kernel:
            continue
        running = {kernel.name for kernel in pool.kernels if not kernel.upcoming}
        if node.os == str(pool.os) and node.arch in pool.arch and node.kernel not in running:
            said = uname.get((cluster, node.node), "")
            written = said if label_form(said) == node.kernel else node.kernel
            found.setdefault(node.pool, {}).setdefault(written, []).append(node.node)
    for name, kernels in sorted(found.items()):
        yield pools[name], sorted(Missing(written, tuple(on)) for written, on in kernels.items())


class _Edits:
    """The texts as they become, one edit after the other."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.notes: list[str] = []
        self.done: set[tuple[str, str]] = set()

    def add(
        self, cluster: Cluster, pool: Pool, one: Missing, images: Mapping[str, tuple[str, model.NodeImage]]
    ) -> None:
        if pool.node_image in images:
            file, image = images[pool.node_image]
            if (file, one.written) not in self.done:
                self.done.add((file, one.written))
                self._into_image(file, image, one.written)
        else:
            self._into_pool(cluster, pool, one.written)

    def _into_image(self, file: str, image: model.NodeImage, kernel: str) -> None:
        declare = f"declare {kernel}"
        release = next((name for name, text in image.kernels.items() if label_form(text) == label_form(kernel)), "")
        if not release:
            release = kernel
            self._edit(file, declare, lambda text: add_key(text, ("kernels", release), kernel))
            self.notes.append(f"{file}: release {release} is named after its kernel; give it the name of its image")
        if release in image.upcoming:
            at = list(image.upcoming).index(release)
            self._edit(file, f"take {release} out of upcoming", lambda text: remove_item(text, ("upcoming", at)))
        self._edit(file, declare, lambda text: add_item(text, ("running",), release))

    def _into_pool(self, cluster: Cluster, pool: Pool, kernel: str) -> None:
        above: Path = ("pools", pool.name)
        ahead = [one.name for one in pool.kernels if one.upcoming]
        if label_form(kernel) in ahead:
            at = ahead.index(label_form(kernel))
            what = f"take {kernel} out of upcomingKernels of {pool.name}"
            self._edit(cluster.file, what, lambda text: remove_item(text, (*above, "upcomingKernels", at)))
        what = f"declare {kernel} in {pool.name}"
        self._edit(cluster.file, what, lambda text: add_item(text, (*above, "kernels"), kernel))

    def _edit(self, file: str, what: str, edit: Edit) -> None:
        made = edit(self.texts[file])
        if isinstance(made, CantEdit):
            self.notes.append(f"{file}: {what} by hand: {made.reason}")
        else:
            self.texts[file] = made
