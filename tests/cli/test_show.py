import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.command import call
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CLUSTER, FLEET, HEAD, repository

Capture = pytest.CaptureFixture[str]


def test_the_table_has_a_line_for_each_pool(tmp_path: Path, capfd: Capture) -> None:
    empty = f"{HEAD}Cluster\nname: two\noperator: {{version: 25.10.1, driverApi: ClusterPolicy}}\n"
    called = call(capfd, "show", root=repository(tmp_path, two=empty))
    assert called.code == 0
    assert [" ".join(line.split()) for line in called.out.splitlines()[1:]] == [
        "one 0 v26.7.0 NVIDIADriver helm train precompiled 580 ubuntu24.04 1 1 1-4 Müller -",
        "one 0 v26.7.0 NVIDIADriver helm arm precompiled 580.126.20 rhel9.4 1 0 2 - -",
        "one 0 v26.7.0 NVIDIADriver helm host preinstalled 570.86.15 - 0 0 - - -",
        "two - v25.10.1 ClusterPolicy helm - - - - - - - - -",
    ]
    assert len(called.out.splitlines()[0].split()) == 14


def test_the_table_as_json(tmp_path: Path, capfd: Capture) -> None:
    (cluster,) = json.loads(call(capfd, "show", "--format", "json", root=repository(tmp_path)).out)["clusters"]
    assert (cluster["name"], cluster["operator"], cluster["driverApi"]) == ("one", "v26.7.0", "NVIDIADriver")
    assert cluster["pools"][0] == {
        "name": "train",
        "mode": "precompiled",
        "driver": "580",
        "os": "ubuntu24.04",
        "kernels": {"running": 1, "upcoming": 1},
        "nodes": {"min": 1, "max": 4},
        "owner": "Müller",
        "hold": "",
        "holdUntil": "",
    }


def test_a_hold_is_shown_with_its_day(tmp_path: Path, capfd: Capture) -> None:
    held = CLUSTER.replace("    owner: Müller", "    hold: {reason: benchmarks, until: 2026-06-30}\n    owner: Müller")
    root = repository(tmp_path, one=held)
    assert "Müller  benchmarks (until 2026-06-30)\n" in call(capfd, "show", root=root).out
    pool = json.loads(call(capfd, "show", "--format", "json", root=root).out)["clusters"][0]["pools"][0]
    assert (pool["hold"], pool["holdUntil"]) == ("benchmarks", "2026-06-30")
    shown = call(capfd, "show", "one/train", root=root).out
    assert 'hold:\n  reason: benchmarks\n  until: "2026-06-30"\n' in "\n".join(
        line.partition("  #")[0].rstrip() for line in shown.splitlines()
    )


def told(text: str) -> dict[str, str]:
    """The origin that the text gives each line, by the line without its place in the tree."""
    pairs = [line.partition("  # ") for line in text.splitlines() if "  # " in line]
    return {value.strip(): origin for value, _, origin in pairs}


def test_every_level_is_named_with_file_and_line(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "show", "one/train", "--origin", root=repository(tmp_path))
    assert called.code == 0
    origins = told(called.out)
    assert origins['owner: "Müller"'] == "inventory/one.yaml:9 (pool)"
    assert origins["example.com/pool: train"] == "inventory/one.yaml:10 (pool)"
    assert origins["max: 4"] == "inventory/one.yaml:11 (pool)"
    assert origins['version: "24.04"'] == "inventory/stream.yaml:4 (node image)"
    assert origins['- "6.8.0-1050-aws"'] == "inventory/stream.yaml:7 (node image)"
    assert origins['- "6.8.0-1053-aws"'] == "inventory/stream.yaml:8 (node image)"
    assert origins["kernelModuleType: open"] == "inventory/one.yaml:6 (cluster)"
    assert origins["maxUnavailable: 1"] == "inventory/fleet.yaml:13 (profile)"
    assert origins["maxParallelUpgrades: 2"] == "inventory/fleet.yaml:9 (defaults)"
    assert origins['branch: "580"'] == "inventory/fleet.yaml:8 (defaults)"
    assert origins["enable: true"] == "inventory/fleet.yaml:13 (profile)"
    assert origins["timeoutSeconds: 60"] == "inventory/one.yaml:13 (pool)"
    assert origins["enabled: true"] == "inventory/one.yaml:13 (pool)"
    assert origins["mode: precompiled"] == "(drivergate's default)"
    assert origins["protect: true"] == "(drivergate's default)"


def test_the_text_is_yaml_with_the_keys_of_the_inventory_in_the_models_order(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    plain, commented = (call(capfd, "show", "one/train", *more, root=root).out for more in ((), ("--origin",)))
    loaded = yaml.safe_load(plain)
    assert yaml.safe_load(commented) == loaded
    assert "#" not in plain
    assert list(loaded) == [
        *("cluster", "ring", "pool", "owner", "nodeSelector", "default", "nodes", "nodeImage", "os", "arch", "kernels"),
        *("upcomingKernels", "kernelSource", "driver", "protect", "object", "images"),
    ]
    assert list(loaded["driver"]) == ["repository", "mode", "branch", "kernelModuleType", "upgradePolicy", "spec"]
    # Names and defaults of the CRD's upgradePolicy: gpu-operator.md 3 and 4.
    assert loaded["driver"]["upgradePolicy"] == {
        "autoUpgrade": True,
        "maxParallelUpgrades": 2,
        "maxUnavailable": 1,
        "waitForCompletion": {"podSelector": "", "timeoutSeconds": 0},
        "podDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": False},
        "drain": {"enable": True, "force": False, "podSelector": "", "timeoutSeconds": 60, "deleteEmptyDir": False},
    }
    assert loaded["object"] == "NVIDIADriver/train"
    assert "nvcr.io/nvidia/driver:580-6.8.0-1053-aws-ubuntu24.04" in loaded["images"]


def test_json_says_the_same_with_an_origin_at_each_value(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    for name in ("one", "one/train", "one/arm", "one/host"):
        text = yaml.safe_load(call(capfd, "show", name, root=root).out)
        shown = json.loads(call(capfd, "show", name, "--format", "json", root=root).out)
        assert shown["values"] == {key: text[key] for key in shown["values"]}
        assert_same_shape(shown["values"], shown["origins"])
        assert shown.get("images", []) == text.get("images", [])
    branch = json.loads(call(capfd, "show", "one/train", "--format", "json", root=root).out)["origins"]["driver"][
        "branch"
    ]
    assert branch == {"file": "inventory/fleet.yaml", "line": 8, "level": "defaults"}


def assert_same_shape(values: Any, origins: Any) -> None:
    if isinstance(values, dict):
        assert values.keys() == origins.keys()
        for key, inner in values.items():
            assert_same_shape(inner, origins[key])
    elif isinstance(values, list):
        assert len(values) == len(origins)
        for inner, origin in zip(values, origins, strict=True):
            assert_same_shape(inner, origin)
    else:
        assert origins.keys() == {"file", "line", "level"}


def test_a_cluster_shows_what_its_pools_inherit(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "show", "one", "--origin", root=repository(tmp_path))
    loaded, origins = yaml.safe_load(called.out), told(called.out)
    assert loaded["pools"] == ["train", "arm", "host"]
    assert loaded["driver"]["kernelModuleType"] == "open"
    assert origins["version: v26.7.0"] == "inventory/fleet.yaml:5 (defaults)"
    assert origins["profile: careful"] == "inventory/one.yaml:5 (cluster)"
    assert origins["kubeContext: one"] == "(drivergate's default)"


def test_a_pool_with_a_driver_of_its_own_names_the_label_and_inherits_nothing(tmp_path: Path, capfd: Capture) -> None:
    loaded = yaml.safe_load(call(capfd, "show", "one/host", root=repository(tmp_path)).out)
    assert loaded["driver"] == {"mode": "preinstalled", "version": "570.86.15"}
    # gpu-operator.md 7: nodes labelled so get no driver DaemonSet.
    assert loaded["label"] == "nvidia.com/gpu.deploy.driver=pre-installed"
    assert "object" not in loaded
    assert "images" not in loaded


def test_the_nearer_of_two_alternatives_drops_the_other(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "show", "one/arm", "--origin", root=repository(tmp_path))
    assert told(called.out)['version: "580.126.20"'] == "inventory/one.yaml:20 (pool)"
    assert "branch" not in called.out


def test_silence_about_auto_upgrade_means_what_each_api_means(tmp_path: Path, capfd: Capture) -> None:
    """False in a ClusterPolicy of one's own, true in chart values and objects (gpu-operator.md 3 to 5)."""
    olm = CLUSTER.replace("profile: careful", "operator: {driverApi: ClusterPolicy, install: olm}")
    chart = CLUSTER.replace("profile: careful", "operator: {driverApi: ClusterPolicy}")
    found = {}
    for name, text in (("olm", olm), ("chart", chart), ("objects", CLUSTER)):
        (tmp_path / name).mkdir()
        loaded = yaml.safe_load(call(capfd, "show", "one/train", root=repository(tmp_path / name, one=text)).out)
        found[name] = (loaded["driver"]["upgradePolicy"]["autoUpgrade"], loaded["object"])
    assert found == {
        "olm": (False, "ClusterPolicy/cluster-policy"),
        "chart": (True, "ClusterPolicy/cluster-policy"),
        "objects": (True, "NVIDIADriver/train"),
    }


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("onee", 'no cluster is named "onee"', 'did you mean "one"?'),
        ("zzz/train", 'no cluster is named "zzz"', "use one of one"),
        ("one/trian", 'no pool of one is named "trian"', 'did you mean "train"?'),
        ("one/", 'no pool of one is named ""', "use one of arm, host, train"),
    ],
)
def test_unknown_names(tmp_path: Path, capfd: Capture, name: str, message: str, hint: str) -> None:
    called = call(capfd, "show", name, root=repository(tmp_path))
    assert (called.code, called.out) == (2, "")
    assert called.err == f"drivergate: {message}\n    hint: {hint}\n"


def test_what_could_be_read_is_shown_beside_what_could_not(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = call(capfd, "show", root=root)
    assert called.code == 2
    assert 'inventory/two.yaml:4:1: error: unknown key "pool"' in called.err
    assert "train" in called.out
    other = call(capfd, "show", "two", root=root)
    assert (other.code, other.out) == (2, "")
    assert "unknown key" in other.err
    assert "no cluster is named" not in other.err


def test_a_cluster_is_shown_without_reading_the_others(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = call(capfd, "show", "one/train", root=root)
    note = "note: not read: inventory/two.yaml, which has errors; run drivergate check\n"
    assert (called.code, called.err) == (0, note)


def test_catalogs_are_not_read(tmp_path: Path, capfd: Capture) -> None:
    broken = f"{HEAD}ImageCatalog\nrepository: [\n"
    assert call(capfd, "show", root=repository(tmp_path, catalog=broken)).code == 0


def test_index_and_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Capture) -> None:
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path))
    repo.commit()
    path = tmp_path / "inventory" / "one.yaml"
    path.write_text(CLUSTER.replace("nodes: 2", "nodes: 3"), encoding="utf-8")
    repo.git("add", "-A")
    path.write_text(CLUSTER.replace("nodes: 2", "nodes: 4"), encoding="utf-8")
    sizes = {
        arguments: yaml.safe_load(call(capfd, "show", "one/arm", *arguments, root=tmp_path).out)["nodes"]
        for arguments in ((), ("--staged",), ("--rev", "HEAD"))
    }
    assert list(sizes.values()) == [4, 3, 2]
    both = call(capfd, "show", "--staged", "--rev", "HEAD", root=tmp_path)
    assert both.code == 2
    assert "alternatives" in both.err


NOTE = "the fields of operator v24.9.1 are taken from v24.9.2"  # no CRD of v24.9.1 is among the facts (crd-fields/)


def test_a_release_that_uses_the_fields_of_another_says_so(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, fleet=FLEET.replace("v26.7.0", "v24.9.1"))
    for name in ("one", "one/train"):
        assert yaml.safe_load(call(capfd, "show", name, root=root).out)["note"] == NOTE
        assert json.loads(call(capfd, "show", name, "--format", "json", root=root).out)["note"] == NOTE
    table = call(capfd, "show", root=root)
    assert (table.code, table.err) == (0, f"note: {NOTE}\n")
    (cluster,) = json.loads(call(capfd, "show", "--format", "json", root=root).out)["clusters"]
    assert (cluster["operator"], cluster["note"]) == ("v24.9.1", NOTE)
    assert "taken from" not in call(capfd, "check", root=root).out


@pytest.mark.parametrize("arguments", [(), ("two",), ("one/train",)])
def test_json_tells_what_could_not_be_read(tmp_path: Path, capfd: Capture, arguments: tuple[str, ...]) -> None:
    broken = f"{HEAD}Cluster\nname: two\npool: {{}}\n"
    called = call(capfd, "show", *arguments, "--format", "json", root=repository(tmp_path, two=broken))
    printed = json.loads(called.out)
    note = "note: not read: inventory/two.yaml, which has errors; run drivergate check\n"
    assert called.err == (note if arguments == ("one/train",) else "")
    told = [(one["file"], one["line"], one["blocking"]) for one in printed.pop("findings")]
    assert (called.code, told) == ((0, []) if "one/train" in arguments else (2, [("inventory/two.yaml", 4, True)]))
    assert bool(printed) is (arguments != ("two",))
