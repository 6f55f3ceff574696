"""libyaml's parser: PyYAML's C extension, without the readers and writers in Python that PyYAML loads beside it."""

# The package has to be there first, and the extension takes all of these modules from it.
# ruff: noqa: E402, F401

from types import SimpleNamespace

from generator.ondemand import on_demand

package = on_demand("yaml")

import yaml.events
import yaml.nodes
import yaml.tokens
from yaml.error import MarkedYAMLError, YAMLError

if package is not None:
    # The extension takes the classes of its errors from modules that it needs for nothing else, and one of them
    # compiles a regular expression for 7 ms. What the parser raises carries its places, as the parent class does.
    for name in ("composer", "parser", "scanner"):
        setattr(package, name, SimpleNamespace(**{f"{name.title()}Error": MarkedYAMLError}))
    for name in ("constructor", "emitter", "reader", "representer", "serializer"):
        setattr(package, name, SimpleNamespace(**{f"{name.title()}Error": YAMLError}))

from yaml._yaml import CParser, Mark
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

__all__ = [
    "AliasEvent",
    "CParser",
    "DocumentStartEvent",
    "MappingEndEvent",
    "MappingStartEvent",
    "Mark",
    "MarkedYAMLError",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "YAMLError",
]
