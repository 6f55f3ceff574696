"""Files and objects that are in each other's way."""

from collections.abc import Iterable, Iterator

from generator.finding import Finding, Place, invalid
from generator.layout import OUT
from generator.render.output import KUSTOMIZATIONS, RenderedFile
from generator.render.template import cluster_of


def clashes(files: Iterable[RenderedFile]) -> Iterator[Finding]:
    """Two files of one path, or of paths that differ in case only; two manifests of one object in a cluster."""
    paths: dict[str, RenderedFile] = {}
    objects: dict[tuple[str, ...], RenderedFile] = {}
    folders = set()
    for file in files:
        folder, _, name = file.path.casefold().rpartition("/")
        first = paths.setdefault(f"{folder}/{'kustomization' if name in KUSTOMIZATIONS else name}", file)
        folders.add(folder)
        if first is not file:
            same = first.path.casefold() == file.path.casefold()
            why = "are one file on many file systems" if same else "are two kustomizations of one folder"
            yield _clash(file, f"{OUT}/{file.path} and {OUT}/{first.path} ({first.template.file}) {why}")
        if not file.kind or not file.name:
            continue
        group = file.api_version.rpartition("/")[0]
        key = (_scope(file), group, file.kind, file.namespace or "default", file.name)
        other = objects.setdefault(key, file)
        if other is not file and first is file:
            yield _clash(file, f"{file.kind} {file.name} is in out/{file.path} and in out/{other.path}")
    for folder in sorted(folders & paths.keys()):
        file = paths[folder]
        yield _clash(file, f"{OUT}/{file.path} is a file, and other files are to lie in a folder of that name")


def in_the_way(file: RenderedFile) -> Finding:
    """A file of the whole fleet where those of one cluster lie: with `--cluster` nobody could tell whose it is."""
    name = cluster_of(file.path)
    return invalid(
        "template/outside-folder",
        Place(file.template.file),
        f'{OUT}/{file.path} is the whole fleet\'s, and lies where those of cluster "{name}" do',
        'give it another name, for example in a folder that begins with "_"',
    )


def _scope(file: RenderedFile) -> str:
    """What shares one API server: a cluster's files, and below _delivery/ the files of one folder."""
    return file.path.rpartition("/")[0] if file.template.delivers else file.cluster


def _clash(file: RenderedFile, message: str) -> Finding:
    return invalid(
        "template/duplicate-object",
        Place(file.template.file),
        message,
        "rename one of the two, or remove one template",
        cluster=file.cluster,
        pool=file.pool,
        workload=file.workload,
    )
