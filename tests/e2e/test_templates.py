"""Users' templates through the command line: what is broken is told with file and line, and nothing is written."""

from pathlib import Path

import pytest

from tests.testing.fleet import Fleet, drivergate, lay, tree

FOLDER = "templates/{cluster}/gpu-operator"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n"
BROKEN = [
    ("extra.yaml.j2", CONFIG % "{{ cluster.nmae }}", "template/undefined", f"{FOLDER}/extra.yaml.j2:4:1", "nmae"),
    ("extra.yaml.j2", CONFIG % "x" + "{% if %}\n", "template/syntax", f"{FOLDER}/extra.yaml.j2:5:1", ""),
    ("extra.yaml.j2", CONFIG % "{{ 1 / 0 }}", "template/syntax", f"{FOLDER}/extra.yaml.j2:4:1", "division by zero"),
    (
        "extra.yaml.j2",
        CONFIG % "a" + "---\n" + CONFIG % "b",
        "template/not-a-manifest",
        f"{FOLDER}/extra.yaml.j2",
        "line 5 of out/east/gpu-operator/extra.yaml",
    ),
    (
        "extra.yaml.j2",
        CONFIG % "a" + "data:\n  a: {{ ['x', 'y', 'z'] | lines(4) }}\n  b: 1\n  b: 2\n",
        "template/not-a-manifest",
        f"{FOLDER}/extra.yaml.j2",
        "line 11 of out/east/gpu-operator/extra.yaml",
    ),
    ("extra.yaml.j2", "# no object\n", "template/not-a-manifest", f"{FOLDER}/extra.yaml.j2", "extra.yaml is not one"),
    (
        "extra.yaml.j2",
        "kind: ConfigMap\n",
        "template/not-a-manifest",
        f"{FOLDER}/extra.yaml.j2",
        "apiVersion and metadata",
    ),
    ("twin.yaml.j2", CONFIG % "drivergate-images", "template/duplicate-object", FOLDER, "ConfigMap drivergate-images"),
    ("../../extra.yaml.j2", CONFIG % "x", "template/outside-folder", "templates/extra.yaml.j2", "a cluster's folder"),
    ("{nobody}.yaml.j2", CONFIG % "x", "template/outside-folder", FOLDER, '"{nobody}"'),
    ("extra.txt.j2", "text\n", "template/not-a-manifest", f"{FOLDER}/extra.txt.j2", "renders no YAML file"),
]


@pytest.mark.parametrize(("name", "text", "rule", "place", "word"), BROKEN)
def test_a_broken_template_is_told_and_nothing_is_written(
    fleet: Fleet, name: str, text: str, rule: str, place: str, word: str
) -> None:
    before = tree(fleet.path, "out")
    lay(
        fleet.path,
        {
            f"{FOLDER}/{name}": text.replace(
                "name: drivergate-images", "name: drivergate-images\n  namespace: gpu-operator"
            )
        },
    )
    said = drivergate(fleet.path, "render")
    assert said.code == 2, said.text
    line = next(line for line in said.out.splitlines() if line.endswith(f"[{rule}]"))
    assert line.startswith(place), line
    assert word in line
    assert tree(fleet.path, "out") == before


def test_a_name_that_would_leave_the_output_is_no_name(fleet: Fleet, tmp_path: Path) -> None:
    """A pool's name becomes a file's name."""
    path = fleet.path / "inventory/clusters/east.yaml"
    path.write_text(path.read_text().replace("  train:", '  "../../../train":'))
    said = drivergate(fleet.path, "render")
    assert said.code == 2, said.text
    assert "is no object name" in said.out
    assert not list(tmp_path.rglob("*train.yaml*.tmp"))


def test_a_mended_template_is_rendered(fleet: Fleet) -> None:
    lay(fleet.path, {f"{FOLDER}/extra.yaml.j2": CONFIG % "{{ cluster.name }}"})
    said = drivergate(fleet.path, "render")
    assert said.code == 0, said.text
    assert (fleet.path / "out/east/gpu-operator/extra.yaml").read_text() == CONFIG % "east"
    assert "- extra.yaml" in (fleet.path / "out/east/gpu-operator/kustomization.yaml").read_text()
