"""A package on demand is the package: what is asked for is there, once, and what nobody asks for isn't loaded."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from generator.ondemand import on_demand

NAME = "package_on_demand"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose `__init__` imports two submodules and counts how often it runs."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "__init__.py").write_text("import sys\nsys.runs = getattr(sys, 'runs', 0) + 1\nfrom .one import ONE\n")
    (folder / "one.py").write_text("ONE = [1]\n")
    (folder / "two.py").write_text("TWO = [2]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "runs", 0, raising=False)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def runs() -> int:
    return int(getattr(sys, "runs", 0))


def test_a_submodule_is_imported_without_the_init(package: Path) -> None:
    found = on_demand(NAME)
    assert import_module(f"{NAME}.two").TWO == [2]
    assert found is not None
    assert found.two.TWO == [2]
    assert (runs(), f"{NAME}.one" in sys.modules) == (0, False)


def test_what_is_not_there_runs_the_init_once(package: Path) -> None:
    on_demand(NAME)
    before = import_module(f"{NAME}.one").ONE
    whole = import_module(NAME)
    assert whole.ONE is before
    with pytest.raises(AttributeError, match="no attribute 'three'"):
        whole.three  # noqa: B018 - asking is the point
    assert runs() == 1


def test_a_package_that_is_imported_already_stays_as_it_is(package: Path) -> None:
    whole = import_module(NAME)
    assert on_demand(NAME) is None
    assert sys.modules[NAME] is whole


def test_a_package_that_is_not_installed_is_left_to_the_import() -> None:
    assert on_demand("no_such_package") is None
    assert "no_such_package" not in sys.modules


AFTER_US = """
import sys
from generator.declared.libyaml import CParser, YAMLError
from generator.render.jinja import StrictUndefined
assert not {"yaml.reader", "yaml.loader", "jinja2.bccache"} & sys.modules.keys()
import yaml, jinja2
assert yaml.load("a: [1]", yaml.CSafeLoader) == yaml.safe_load("a: [1]") == {"a": [1]}
assert yaml.YAMLError is YAMLError and yaml.error.YAMLError is YAMLError and yaml.cyaml.CParser is CParser
for loader in yaml.SafeLoader, yaml.CSafeLoader:
    for text in "a: [", "a: \\x01", "a: &a *b", "%YAML 9.9":
        try:
            yaml.load(text, loader)
        except yaml.YAMLError:
            pass
        else:
            raise AssertionError(text)
assert jinja2.StrictUndefined is StrictUndefined
assert jinja2.Environment(loader=jinja2.DictLoader({"a": "{{ b }}"})).get_template("a").render(b=1) == "1"
"""


def test_another_library_finds_yaml_and_jinja_whole() -> None:
    subprocess.run([sys.executable, "-c", AFTER_US], check=True)
