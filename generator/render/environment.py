"""The Jinja environment: sandboxed, strict, every printed expression quoted by `finalize`."""

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.runtime import new_context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

from generator.render.scalar import Printed, block, finalize, lines

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


def _joined(parts: Iterable[str]) -> Printed:
    return Printed("".join(parts))


class Absent(StrictUndefined):
    """A name that a template is not given; of our own structs it says what a user knows them by."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if isinstance(self._undefined_obj, Struct) and not self._undefined_hint:
            kind = type(self._undefined_obj).__name__.removesuffix("View").lower()
            return f"a {kind} has no '{self._undefined_name}'"
        return super()._undefined_message


class Sandbox(ImmutableSandboxedEnvironment):
    """Values are data. A field of one of our own structs is read without the sandbox's detour."""

    # What a macro, a block or {% set %}…{% endset %} makes is template text, with its values between marks already.
    concat = staticmethod(_joined)

    def fill(self, path: str, values: Mapping[str, Any]) -> str:
        """What a template prints. Jinja's own `render` merges the globals into each context at ten times the cost."""
        template = self.get_template(path)
        context = new_context(
            self, path, template.blocks, {**self.globals, **values}, shared=True, globals=self.globals
        )
        try:
            return self.concat(template.root_render_func(context))
        except Exception:  # noqa: BLE001 - it is raised again, with the template's own lines in its traceback
            self.handle_exception()

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """What would change values that are printed already is refused; to indent them changes none."""
        tree = super()._parse(source, name, filename)
        for node in tree.find_all((nodes.FilterBlock, nodes.EvalContextModifier, nodes.ScopedEvalContextModifier)):
            if not isinstance(node, nodes.FilterBlock) or node.filter.name != "indent" or node.filter.node is not None:
                message = "of the blocks that change what is printed only {% filter indent(…) %} is supported"
                raise TemplateSyntaxError(message, node.lineno, name, filename)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field of a template value, else what the sandbox allows."""
        if isinstance(obj, Struct) and attribute in obj.__struct_fields__:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)


def environment(texts: Mapping[str, str]) -> Sandbox:
    """An environment over templates by path."""
    made = Sandbox(
        loader=Texts(texts),
        undefined=Absent,
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
