"""What becomes of a name that nothing has: exit 2, with the nearest one that exists."""

from collections.abc import Iterable


def unknown_repository(named: Iterable[str], known: Iterable[str]) -> bool:
    """Whether one of the repositories is known to nobody; if so that is said."""
    known = set(known)
    for name in named:
        if name not in known:
            unknown("repository", name, known)
            return True
    return False


def unknown(what: str, name: str, known: Iterable[str], *, otherwise: str = "") -> int:
    """Says that `no <what> is named "<name>"`, and what is near or what to do `otherwise`; the exit code."""
    from generator.cli.outcome import UNUSABLE, say
    from generator.declared.shape import did_you_mean
    from generator.words import printable

    names = sorted(set(known))
    otherwise = otherwise or (f"use one of {', '.join(names)}" if names else "none is declared")
    hint = did_you_mean(name, names) or otherwise
    say(f'drivergate: no {what} is named "{printable(name)}"\n    hint: {printable(hint)}')
    return UNUSABLE


def no_cluster(wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnreadableError for the first name, in their order, that no cluster has."""
    from generator.declared.shape import did_you_mean
    from generator.edges.errors import UnreadableError
    from generator.words import printable

    names = sorted(known)
    for name in sorted({*wanted} - {*names}):
        hint = did_you_mean(name, names) or "list the clusters with: drivergate show"
        raise UnreadableError(f'no cluster is named "{printable(name)}"', hint)
