"""`drivergate catalog add`: images that somebody says are built, without a look at a registry."""

import re
from collections.abc import Iterable
from typing import Annotated

import typer
from msgspec.structs import replace

from generator.catalog.add import CommonFacts, added
from generator.catalog.need import wishes
from generator.catalog.taglist import Named, TagList, Unread, name, read
from generator.cli.completion import complete_repositories
from generator.cli.ledger import Ledger, open_ledger, refused, revise, told, write
from generator.cli.options import ResultFormat, Root
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, say
from generator.declared.entry import MODULE_TYPE, PLATFORM, REPOSITORY
from generator.declared.mirror import catalog_name
from generator.edges.given import read_given
from generator.report import catalog
from generator.words import counted, printable

MOST = 10  # unreadable lines that are told


def add(
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[REF]...", help="REPOSITORY:TAG[@DIGEST], or a tag alone.")
    ] = None,
    *,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from-file", metavar="FILE", help="A list as crane, skopeo, regctl or docker print it; - is stdin."
        ),
    ] = None,
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository",
            metavar="REPOSITORY",
            help="Repository of arguments that are only a tag.",
            autocompletion=complete_repositories,
        ),
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            "--platform", metavar="OS/ARCH", help="Platforms of these images, such as linux/amd64 (repeatable)."
        ),
    ] = None,
    module_type: Annotated[
        str | None,
        typer.Option("--module-type", metavar="TYPE", help="The kernel modules in them: open or proprietary."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")] = False,
    root: Root = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Add images to the catalog, or correct their lines, from references or from a list of tags."""
    if not references and from_file is None:
        raise typer.BadParameter("name images, or a list of them with --from-file")
    _grammar(repository, platform or [], module_type)
    listed = _named(references or [], from_file)
    if listed.unread:
        return _unread(listed.unread, from_file)
    ledger = open_ledger(root)
    if any(one.findings for one in ledger.catalogs):
        return refused([one for file in ledger.catalogs for one in file.findings], as_json=printed is Format.JSON)
    whose = repository or ""
    if not whose and any(not one.repository for one in listed.named):
        whose = _only_repository(ledger)
    facts = CommonFacts(tuple(platform) if platform else None, module_type)
    found = added(_asked(ledger, listed.named, whose), ledger.listed, facts)
    if found.others and references:
        for one in found.others:
            say(f"drivergate: {one.reason}\n    hint: {one.hint}")
        say("nothing is written")
        return UNUSABLE
    made = revise(ledger, found.changes)
    if not check:
        write(ledger, made)
    if found.others:
        say(catalog.others(found.others))
    told(found.changes, made, done=not check, as_json=printed is Format.JSON, known=found.known)
    return FOUND if check and made.written else CLEAN


def _grammar(repository: str | None, platforms: list[str], module_type: str | None) -> None:
    if repository is not None and not re.fullmatch(REPOSITORY, repository):
        raise typer.BadParameter(f'"{repository}" is no whole name of a repository, as nvcr.io/nvidia/driver is')
    for one in platforms:
        if not re.fullmatch(PLATFORM, one):
            raise typer.BadParameter(f'"{one}" is no platform; write it like linux/amd64')
    if module_type is not None and not re.fullmatch(MODULE_TYPE, module_type):
        raise typer.BadParameter(f'"{module_type}" is no type of kernel modules; write open or proprietary')


def _named(references: list[str], from_file: str | None) -> TagList:
    given = [name(one) for one in references]
    listed = read(read_given(from_file)) if from_file is not None else TagList(())
    return TagList(
        (*(one for one in given if isinstance(one, Named)), *listed.named),
        (*(one for one in given if isinstance(one, Unread)), *listed.unread),
    )


def _unread(lines: tuple[Unread, ...], file: str | None) -> int:
    """The lines that can't be read, by number; of a file that is no list, the first few tell as much as all."""
    for one in lines[:MOST]:
        where = f"{printable(file or '')}:{one.line}: " if one.line else "drivergate: "
        say(f"{where}{printable(one.reason)}")
    if len(lines) > MOST:
        say(f"and {counted(len(lines) - MOST, 'line')} more")
    say("    hint: write one tag or REPOSITORY:TAG[@sha256:…] a line, or JSON with a list of tags")
    say("nothing is written")
    return UNUSABLE


def _asked(ledger: Ledger, named: Iterable[Named], whose: str) -> list[Named]:
    """Each image by the repository whose catalog is asked for it: what a proxy hands out, its upstream has."""
    mirrors, found = ledger.fleet.mirrors, []
    names: dict[str, str] = {}
    for one in named:
        name = one.repository or whose
        if name not in names:
            names[name] = catalog_name(mirrors, name)
            if names[name] != name:
                say(f"{name} passes on the images of {names[name]} (kind: {mirrors[name].kind}): they are listed there")
        found.append(replace(one, repository=names[name]))
    return found


def _only_repository(ledger: Ledger) -> str:
    """The one repository that tags alone can be of."""
    known = sorted({*wishes(ledger.fleet), *ledger.listed})
    if len(known) != 1:
        names = ", ".join(known) or "none"
        raise typer.BadParameter(f"say with --repository whose images these tags are (known are {names})")
    return known[0]
