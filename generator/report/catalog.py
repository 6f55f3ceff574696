"""What the verbs of the catalog say: changes of lines, how images stand, what is known of one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from generator.catalog.change import Change, Kind, counted
from generator.catalog.listing import Row, State
from generator.declared.entry import Entry
from generator.facts.tag import Unreadable
from generator.report.formats.text import table
from generator.words import plus, printable, shortened

NAMED = 5  # of what is only counted
NOT_RECORDED = "not recorded"


def change_lines(changes: Iterable[Change], *, done: bool) -> str:
    """One image a line: what happens to it, and both digests where it is another image now."""
    return "".join(f"{printable(_change(one, done=done))}\n" for one in changes)


def _change(one: Change, *, done: bool) -> str:
    if one.kind is Kind.REPUSHED:
        return f"{one.kind}  {one.name}  {_digest(one.old)} -> {_digest(one.new)}"
    if one.kind is Kind.REMOVED and one.old is not None:
        verb = one.kind if done else "to remove"
        return f"{verb}  {one.name}  {one.old.file}:{one.old.line}"
    return f"{one.kind}  {one.name}"


def _digest(entry: Entry | None) -> str:
    return (entry and entry.digest) or NOT_RECORDED


def summary(changes: Sequence[Change], *, done: bool, known: int | None = None) -> str:
    """`3 new, 1 gone; 12 as before`."""
    verbs = {} if done else {Kind.REMOVED: "to remove"}
    parts = [f"{number} {verbs.get(kind, kind)}" for kind, number in counted(changes).items()]
    before = "" if known is None else f"{known} as before"
    return "; ".join(part for part in (", ".join(parts), before) if part) or "nothing to change"


def others(unfit: Sequence[Unreadable]) -> str:
    """How many tags are no driver's, with the first of them by name."""
    if not unfit:
        return ""
    named = shortened([printable(tag.raw) for tag in unfit], NAMED)
    what = "tag is no driver image's and was" if len(unfit) == 1 else "tags are no driver images' and were"
    return f"{len(unfit)} {what} left out: {named}"


def written_lines(paths: Iterable[str], removed: Iterable[str], *, done: bool) -> str:
    """One line per file that changes."""
    verbs = ("wrote", "removed") if done else ("would write", "would remove")
    lines = [f"{verbs[0]} {path}" for path in paths] + [f"{verbs[1]} {path}" for path in removed]
    return "".join(f"{printable(line)}\n" for line in lines)


def changes_json(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "change": str(one.kind),
            "repository": one.repository,
            "tag": one.tag,
            "old": _entry_json(one.old),
            "new": _entry_json(one.new),
        }
        for one in changes
    ]


def _entry_json(entry: Entry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "platforms": entry.platforms,
        "driverVersion": entry.driver_version,
        "moduleType": entry.module_type,
        "digest": entry.digest,
        "gone": entry.gone,
        **({"file": entry.file, "line": entry.line} if entry.file else {}),
    }


def listing(rows: Sequence[Row]) -> str:
    """A table for each repository."""
    parts = []
    for repository in dict.fromkeys(row.repository for row in rows):
        ours = [row for row in rows if row.repository == repository]
        head = ("TAG", "STATE", "PLATFORMS", "DRIVER", "NEEDED BY")
        parts.append(f"{printable(repository)}\n{table([head, *map(_cells, ours)])}")
    return "\n".join(parts)


def _cells(row: Row) -> tuple[str, ...]:
    entry = row.entry
    platforms = ", ".join(entry.platforms) if entry and entry.platforms else "-"
    driver = (entry and entry.driver_version) or "-"
    return row.tag, _state(row), platforms, driver, _users(row, shown=1) or "-"


def _state(row: Row) -> str:
    """`built` says where, unless this is the place; a needed platform that isn't built is told with it."""
    where = f" in {row.at}" if row.at and row.state is State.BUILT else ""
    return f"{row.state}{where}" + (f", lacks {', '.join(row.lacking)}" if row.lacking else "")


def _users(row: Row, *, shown: int) -> str:
    names = list(dict.fromkeys(f"{user.cluster}/{user.pool}" for user in row.need.users)) if row.need else []
    mark = " (upcoming)" if row.need and row.need.upcoming else ""
    return f"{shortened(names, shown, plus)}{mark}"


def rows_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "repository": row.repository,
            "tag": row.tag,
            "state": str(row.state),
            "at": row.at or None,
            "entry": _entry_json(row.entry),
            "needed": bool(row.need),
            "upcoming": bool(row.need and row.need.upcoming),
            "lacks": list(row.lacking),
            "users": to_builtins(row.need.users) if row.need else [],
        }
        for row in rows
    ]


def shown(rows: Sequence[Row]) -> str:
    """Everything that is known of one tag, repository by repository."""
    return "\n".join("".join(f"{printable(line)}\n" for line in _details(row)) for row in rows)


def _details(row: Row) -> Iterator[str]:
    yield f"{row.repository}:{row.tag}  {_state(row)}"
    pairs: list[tuple[str, str]] = []
    parsed, entry = row.parsed, row.entry
    if parsed:
        pairs += [("driver", parsed.driver), ("kernel", parsed.kernel or "- (compiled on the node)"), ("os", parsed.os)]
    if entry:
        pairs += [
            ("version", entry.driver_version or NOT_RECORDED),
            ("platforms", ", ".join(entry.platforms or ()) or NOT_RECORDED),
            ("modules", entry.module_type or NOT_RECORDED),
            ("digest", entry.digest or NOT_RECORDED),
            ("listed", f"{entry.file}:{entry.line}"),
        ]
    if row.need:
        for user in row.need.users:
            when = "upcoming" if user.upcoming else "running"
            pairs.append(("needed by", f"{user.cluster}/{user.pool}  {user.platform}  {when}"))
    else:
        pairs.append(("needed by", "no pool"))
    yield from (f"    {name:<10}  {value}" for name, value in pairs)
