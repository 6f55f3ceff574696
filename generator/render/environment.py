"""The Jinja environment: sandboxed, strict, every printed expression quoted by `finalize`."""

from collections.abc import Mapping
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, TemplateNotFound
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

from generator.render.scalar import block, finalize, lines

# Same input, same output: what draws lots or prints an object's address is not there.
NOT_DETERMINISTIC = ("random", "pprint")


class Texts(BaseLoader):
    """Templates by path, already read."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def get_source(self, _environment: Any, template: str) -> tuple[str, str, Any]:
        """Jinja's loader protocol: the text, the name that errors show, and that it never changes."""
        try:
            return self.texts[template], template, lambda: True
        except KeyError:
            raise TemplateNotFound(template) from None


class Sandbox(ImmutableSandboxedEnvironment):
    """Values are data. A field of one of our own structs is read without the sandbox's detour."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field of a template value, else what the sandbox allows."""
        if isinstance(obj, Struct) and attribute in obj.__struct_fields__:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)


def environment(texts: Mapping[str, str]) -> Sandbox:
    """An environment over templates by path."""
    made = Sandbox(
        loader=Texts(texts),
        undefined=StrictUndefined,
        finalize=finalize,
        autoescape=False,  # the output is YAML, quoted by finalize
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
    )
    for name in NOT_DETERMINISTIC:
        made.filters.pop(name)
    made.globals.pop("lipsum")
    made.filters["block"] = block
    made.filters["lines"] = lines
    return made
