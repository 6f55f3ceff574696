"""The inventory edit that would declare what runs: kernels that a pool or its node image doesn't name as running."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from generator.audit.audit import Audit
from generator.audit.node import Standing
from generator.declared import model
from generator.declared.fleet import Cluster, Mode, Pool
from generator.declared.kernel_twice import kernels_twice
from generator.documents.changes import AddItem, CantEdit, Change, RemoveItem, SetKey, by_hand, value_at
from generator.documents.document import read
from generator.documents.edit import edited
from generator.documents.places import Path
from generator.facts.kernel import label_form


class Missing(Struct, frozen=True, order=True):
    """A kernel that nodes of a pool run and that isn't declared as running; `written` is what uname -r says."""

    written: str
    nodes: tuple[str, ...]


class Proposed(Struct, frozen=True):
    """New texts by file, what else there is to do, and edits that can't be made with what to write; one line each."""

    texts: Mapping[str, str]
    notes: tuple[str, ...]
    refused: tuple[str, ...]


def proposed(
    audits: Iterable[tuple[Cluster, Audit]],
    images: Mapping[str, tuple[str, model.NodeImage]],
    texts: Mapping[str, str],
    uname: Mapping[tuple[str, str], str],
) -> Proposed:
    """`images` are node images with their files by name, `uname` what each (cluster, node) says of its own kernel."""
    edits = _Edits(dict(texts))
    for cluster, audit in audits:
        pools = {pool.name: pool for pool in cluster.pools}
        for pool, kernels in _undeclared(pools, audit.nodes, cluster.name, uname):
            for kernel in kernels:
                edits.add(cluster, pool, kernel, images)
        for node in audit.nodes:
            if not node.pool:
                problem = "no pool claims it: declare one (drivergate init --from-nodes proposes pools)"
                edits.notes.append(f"node {cluster.name}/{node.node}: {problem}")
    for file in sorted(edits.texts):
        edits.mend_kernels_twice(file)
    changed = {file: text for file, text in edits.texts.items() if text != texts[file]}
    return Proposed(changed, tuple(dict.fromkeys(edits.notes)), tuple(dict.fromkeys(edits.refused)))


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
    """The texts as they become, one edit after the other. An edit is made as a whole, or refused as a whole."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.notes: list[str] = []
        self.refused: list[str] = []
        self.done: set[tuple[str, str]] = set()

    def add(
        self, cluster: Cluster, pool: Pool, kernel: Missing, images: Mapping[str, tuple[str, model.NodeImage]]
    ) -> None:
        if pool.node_image in images:
            file, image = images[pool.node_image]
            if (file, kernel.written) not in self.done:
                self.done.add((file, kernel.written))
                self._into_image(file, image, kernel.written)
        else:
            self._into_pool(cluster, pool, kernel.written)

    def mend_kernels_twice(self, file: str) -> None:
        """Kernels that are both running and upcoming, as earlier releases left them, are no longer upcoming."""
        twice = kernels_twice(file, read(self.texts[file], file).value)
        # From the last one on, so that the indexes of the others stay right.
        for kernel in reversed(list(twice)):
            self._edit(file, f"end that {kernel.written} is declared twice", [RemoveItem(kernel.path)])

    def _into_image(self, file: str, image: model.NodeImage, kernel: str) -> None:
        release = next((name for name, text in image.kernels.items() if label_form(text) == label_form(kernel)), "")
        changes: list[Change] = []
        named_after_kernel = not release
        if named_after_kernel:
            release = kernel
            changes.append(SetKey(("kernels", release), kernel))
        upcoming = self._texts_at(file, ("upcoming",))
        if release in upcoming:
            changes.append(RemoveItem(("upcoming", upcoming.index(release))))
        changes.append(AddItem(("running",), release))
        made = self._edit(file, f"declare {kernel}", changes)
        if made and named_after_kernel:
            self.notes.append(f"{file}: release {release} is named after its kernel; give it the name of its image")

    def _into_pool(self, cluster: Cluster, pool: Pool, kernel: str) -> None:
        ahead: Path = ("pools", pool.name, "upcomingKernels")
        upcoming = [label_form(written) for written in self._texts_at(cluster.file, ahead)]
        changes: list[Change] = []
        if label_form(kernel) in upcoming:
            changes.append(RemoveItem((*ahead, upcoming.index(label_form(kernel)))))
        changes.append(AddItem(("pools", pool.name, "kernels"), kernel))
        self._edit(cluster.file, f"declare {kernel} in {pool.name}", changes)

    def _texts_at(self, file: str, path: Path) -> list[str]:
        """The texts of a list as it is written in a file by now; nothing where there is no such list."""
        value = value_at(read(self.texts[file], file).value, path)
        return [item if isinstance(item, str) else "" for item in value] if isinstance(value, list) else []

    def _edit(self, file: str, what: str, changes: Sequence[Change]) -> bool:
        """Whether the edit was made; else what to write is told."""
        result = edited(self.texts[file], changes)
        if isinstance(result, CantEdit):
            value = read(self.texts[file], file).value
            steps = "; ".join(by_hand(change, value) for change in changes)
            self.refused.append(f"{file}: {what} by hand ({steps}): {result.reason}")
            return False
        self.texts[file] = result
        return True
