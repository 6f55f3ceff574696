"""Repositories that stand for others: whose catalog says what is built, and what is wrong with the declared ones."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.declared import model
from generator.declared.entry import REPOSITORY
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.finding import Finding, invalid


class MirrorKind(StrEnum):
    """How a mirror comes by its images, and by whom it is named."""

    COPY = "copy"  # somebody copies: it has a catalog of its own
    PROXY = "proxy"  # it fetches from its upstream what it is asked for
    NODE = "node"  # nodes are sent to it; references name the upstream


class Mirror(Struct, frozen=True):
    """A repository that stands for another, both by their whole names."""

    name: str
    of: str
    kind: MirrorKind


Mirrors = Mapping[str, Mirror]


def catalog_name(mirrors: Mirrors, repository: str) -> str:
    """The repository whose catalog says what a name has: its own, or that of the upstream it passes on."""
    while (found := mirrors.get(repository)) is not None and found.kind is not MirrorKind.COPY:
        repository = found.of
    return repository


def upstreams(mirrors: Mirrors, repository: str) -> Iterator[str]:
    """What a name is a mirror of, and so on to the end of the chain."""
    while (found := mirrors.get(repository)) is not None:
        repository = found.of
        yield repository


def node_mirrors(mirrors: Mirrors, repository: str) -> list[Mirror]:
    """The mirrors that nodes are sent to when they are asked for a repository."""
    return [one for one in mirrors.values() if one.kind is MirrorKind.NODE and one.of == repository]


def read_mirrors(shape: model.Fleet, file: str, texts: Texts) -> tuple[dict[str, Mirror], list[Finding]]:
    """The fleet's mirrors, each chain of which ends, and what is wrong with the others."""
    declared = {name: Mirror(name, one.of, MirrorKind(one.kind)) for name, one in shape.mirrors.items()}
    sound: dict[str, Mirror] = {}
    findings: list[Finding] = []
    for name, mirror in declared.items():
        path: Path = ("mirrors", name)
        chain = _chain(declared, name)
        if not re.fullmatch(REPOSITORY, name):
            message = f'mirror "{name}" is no whole name of a repository'
            findings.append(
                invalid(
                    "inventory/schema",
                    texts.key(file, path),
                    message,
                    "write it like registry.example.com/nvidia/driver",
                )
            )
        elif chain[-1] == name and name == next(one for one in declared if one in chain):
            place = texts.value(file, (*path, "of"))
            findings.append(
                invalid("inventory/schema", place, _circle(chain), "name the repository that images are built into")
            )
        elif chain[-1] not in declared:
            sound[name] = mirror
    return sound, findings


def _chain(declared: Mirrors, name: str) -> list[str]:
    """From a mirror to the end of its chain, or to the first name that comes a second time."""
    chain, seen = [name], {name}
    for upstream in upstreams(declared, name):
        chain.append(upstream)
        if upstream in seen:
            break
        seen.add(upstream)
    return chain


def _circle(chain: list[str]) -> str:
    way = f", by way of {' and '.join(chain[1:-1])}" if len(chain) > 2 else ""
    return f'mirror "{chain[0]}" stands for itself{way}'
