"""A fleet split by cluster, for machines that judge it side by side."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from generator.declared.inventory import ENDINGS, KIND, NAME
from generator.declared.selection import EVERYTHING, Clusters, Everything, Nothing, Selection
from generator.documents.document import read


class Shard(Struct, frozen=True):
    """One of several parts, from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class Share(Struct, frozen=True):
    """The clusters of one shard by name, those of all others, and files of the others that load can't tell by text."""

    clusters: frozenset[str]
    elsewhere: frozenset[str]
    unseen: frozenset[str]


def parse(text: str) -> Shard | None:
    """`2/5`; None for anything that is no such part."""
    match = re.fullmatch(r"([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", text)
    shard = Shard(int(match[1]), int(match[2])) if match else None
    return shard if shard and shard.number <= shard.of else None


def share(shard: Shard, files: Mapping[str, bytes], among: Selection = EVERYTHING) -> Share:
    """Every nth cluster by name of those that are selected. A document without any name is the first shard's."""
    clusters = {path: _name(data) for path, data in files.items() if path.endswith(ENDINGS) and _is_cluster(data)}
    names = frozenset(clusters.values()) - {""}
    mine = frozenset(sorted(_split(names, among))[shard.number - 1 :: shard.of])
    unseen = set()
    for path, name in clusters.items():
        is_mine = name in mine if name else shard.number == 1
        if not is_mine and not NAME.search(files[path]):
            unseen.add(path)
    return Share(mine, names - mine, frozenset(unseen))


def _split(names: frozenset[str], among: Selection) -> frozenset[str]:
    """The names that the shards share out; clusters that a change takes away are among them."""
    match among:
        case Everything():
            return names
        case Clusters(selected):
            return selected
        case Nothing():
            return frozenset()


def _is_cluster(data: bytes) -> bool:
    found = KIND.search(data)
    return found[1] == b"Cluster" if found else _value(data).get("kind") == "Cluster"


def _name(data: bytes) -> str:
    found = NAME.search(data)
    return found[1].decode("ascii", "replace") if found else str(_value(data).get("name", ""))


def _value(data: bytes) -> dict[str, Any]:
    """The document where its text doesn't begin a line with what is looked for, as in flow style."""
    value = read(data, "").value
    return value if isinstance(value, dict) else {}
