import pytest

from generator.facts import data
from tests.testing.shared import REPO


def test_facts_are_read():
    assert data.read_json("releases.json")["releases"][-1]["version"] == "v26.7.0"
    assert data.read_json("cuda.json")["minor_version_compatibility"][1]["min_driver_linux"] == "525.60.13"
    with pytest.raises(FileNotFoundError):
        data.read_json("absent.json")


def test_templates_are_those_of_the_repository():
    found = data.templates()
    expected = {
        path.relative_to(REPO / "templates").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((REPO / "templates").rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }
    assert found == expected
    assert list(found) == sorted(found)


def test_a_wheels_own_folder_goes_before_the_repositorys(tmp_path, monkeypatch):
    (tmp_path / "_data" / "templates" / "{cluster}").mkdir(parents=True)
    (tmp_path / "_data" / "templates" / "{cluster}" / "a.yaml.j2").write_text("a: 1\r\n", newline="")
    (tmp_path / "_data" / "templates" / ".hidden").write_text("")
    (tmp_path / "_data" / "schemas").mkdir()
    (tmp_path / "_data" / "schemas" / "fleet.json").write_text('{"type": "object"}')
    (tmp_path / "_data" / "rules").mkdir()
    (tmp_path / "_data" / "rules" / "image.md").write_text("## image/missing\n")
    monkeypatch.setattr(data, "_PACKAGE", str(tmp_path))
    assert data.rule_docs("image") == "## image/missing\n"
    assert data.templates() == {"{cluster}/a.yaml.j2": "a: 1\r\n"}
    assert data.schema_json("fleet") == {"type": "object"}
