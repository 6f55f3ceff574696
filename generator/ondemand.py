"""Packages of a library whose own `__init__` runs when something of it is asked for, not when a submodule is imported.

PyYAML and Jinja load everything they have in theirs, of which a run uses a part: without it a check starts a tenth
faster. Whoever asks for more, another library in the same process, gets the whole package.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def on_demand(name: str) -> ModuleType | None:
    """The package, to be called before the first import from it; None where its `__init__` has run already."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return None
    loader, package = spec.loader, module_from_spec(spec)

    def whole(attribute: str) -> Any:
        """What a module does when it is asked for what it doesn't have (PEP 562)."""
        if vars(package).pop("__getattr__", None) is not None:
            loader.exec_module(package)
        return getattr(package, attribute)

    vars(package)["__getattr__"] = whole
    sys.modules[name] = package
    return package
