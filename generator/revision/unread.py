"""Which files of the inventory have errors although a run left them unread, and how that is said."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from generator.declared.catalog_file import read_lines
from generator.declared.inventory import ENDINGS, stated_kind
from generator.documents.document import is_yaml
from generator.documents.syntax import Problem, decode
from generator.revision.declaration import declare
from generator.words import printable, shortened

# Files of this many bytes are read in a tenth of a second. Those of 1,000 clusters (4 MB) took 0.8 s, as much again as
# the check of one cluster that leaves them unread; whether they are YAML was told in 0.07 s.
EXACTLY = 1 << 18
MOST_NAMED = 5


def with_errors(files: Mapping[str, bytes], unread: Iterable[str], *, day: date) -> tuple[str, ...]:
    """The paths of `unread` files below inventory/ that have errors, sorted. `files` are all that lie there.

    Few files are read as check reads them. Of many only the syntax is looked at, and catalogs line by line, so that
    a verb about one cluster never takes as long as a verb about all of them.
    """
    suspects = {path: files[path] for path in sorted(unread) if path.endswith(ENDINGS) and not _is_clean(files[path])}
    if not suspects:
        return ()
    shared = {path: data for path, data in files.items() if stated_kind(data) not in {"Cluster", "ImageCatalog"}}
    needed = {**shared, **suspects}
    if sum(map(len, needed.values())) > EXACTLY:
        return tuple(path for path, data in suspects.items() if not is_yaml(data))
    broken = {finding.place.file for finding in declare(needed, day=day).blocking}
    return tuple(path for path in suspects if path in broken)


def note(paths: Sequence[str], check: str) -> str:
    """One line about unread files with errors. `check` is the command that reports the errors."""
    have = "has" if len(paths) == 1 else "have"
    return f"not read: {shortened([*map(printable, paths)], MOST_NAMED)}, which {have} errors; run {check}"


def _is_clean(data: bytes) -> bool:
    """Whether it is a catalog of one image a line, all of whose lines can be read."""
    text = decode(data)
    return not isinstance(text, Problem) and read_lines("", text) is not None
