"""What is used of Jinja, without the loaders and bytecode caches that it loads beside it."""

# ruff: noqa: E402 - the package has to be there first

from generator.ondemand import on_demand

on_demand("jinja2")

import jinja2.nodes as nodes  # noqa: PLR0402 - asking the package for it would run its __init__
from jinja2.exceptions import TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError
from jinja2.loaders import BaseLoader
from jinja2.runtime import StrictUndefined, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = [
    "BaseLoader",
    "ImmutableSandboxedEnvironment",
    "StrictUndefined",
    "TemplateError",
    "TemplateNotFound",
    "TemplateSyntaxError",
    "Undefined",
    "UndefinedError",
    "nodes",
]
