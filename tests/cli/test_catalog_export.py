"""Images for tools that copy them. Each form is held against its published shape:

skopeo docs/skopeo-sync.1.md; regclient cmd/regsync/config.go; oc-mirror v2 (mirror.openshift.io/v2alpha1);
oc image mirror --filename; openshift/api config/v1 types_image_tag_mirror_set.go.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.command import Exit, call
from tests.testing.levels import CATALOG, CLUSTER, FLEET, HEAD, repository

Capture = pytest.CaptureFixture[str]
DRIVER, STAGING, LOCAL = "nvcr.io/nvidia/driver", "ghcr.io/nvidia/driver", "registry.example.com/gpu/driver"
RUNNING, UPCOMING = "580-6.8.0-1050-aws-ubuntu24.04", "580-6.8.0-1053-aws-ubuntu24.04"
ARM = "580.126.20-5.14.0-427.37.1.el9_4.aarch64_64k-rhel9"
# deployments/gpu-operator/values.yaml of v26.7.0, driver.manager.
MANAGER = "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0"
DIGEST = "sha256:" + "a" * 64
BUILT = CATALOG.replace(
    "platforms: [linux/amd64]}", f'platforms: [linux/amd64], digest: "{DIGEST}"}}\n  - {{tag: "{UPCOMING}"}}'
)


def export(capfd: Capture, root: Path, *arguments: str) -> Exit:
    return call(capfd, "catalog", "export", *arguments, root=root)


def loaded(capfd: Capture, root: Path, *arguments: str) -> Any:
    called = export(capfd, root, *arguments)
    assert called.code == 0, called.err
    return yaml.load(called.out, yaml.CSafeLoader)


def mirrored(name: str, of: str, kind: str) -> str:
    return f"mirrors:\n  {name}: {{of: {of}, kind: {kind}}}\n"


def copied(tmp_path: Path, *tags: str) -> Path:
    """Pools that pull from a registry that somebody copies into."""
    lines = "".join(f'\n  - {{tag: "{tag}"}}' for tag in tags) or " []"
    local = f"{HEAD}ImageCatalog\nrepository: {LOCAL}\nimages:{lines}\n"
    fleet = FLEET.replace(DRIVER, LOCAL) + mirrored(LOCAL, DRIVER, "copy")
    return repository(tmp_path, fleet=fleet, catalog=BUILT, local=local)


def test_a_plain_list_with_digests_beside(tmp_path: Path, capfd: Capture) -> None:
    called = export(capfd, repository(tmp_path, catalog=BUILT))
    lines = [f"{MANAGER} -", f"{DRIVER}:{RUNNING} {DIGEST}", f"{DRIVER}:{UPCOMING} -", f"{DRIVER}:{ARM} -"]
    assert called == Exit(0, "".join(f"{line}\n" for line in lines), "")


def test_what_is_not_built_is_told(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    listed = export(capfd, root)
    note = f"note: {DRIVER}:{UPCOMING} (upcoming) is in no catalog of what is built"
    assert (listed.code, listed.err) == (0, f"{note}\n")
    assert UPCOMING in listed.out
    left = export(capfd, root, "--as", "oc-mirror")
    assert (left.code, left.err) == (0, f"{note} and is left out\n")
    assert UPCOMING not in left.out
    nothing = export(capfd, repository(tmp_path, catalog=CATALOG.replace("amd64]", "amd64], gone: true")))
    assert nothing.code == 1


def test_json_knows_everything(tmp_path: Path, capfd: Capture) -> None:
    images = json.loads(export(capfd, copied(tmp_path, RUNNING), "--format", "json").out)["images"]
    (one,) = [image for image in images if image["reference"] == f"{LOCAL}:{UPCOMING}"]
    assert one == {
        "reference": f"{LOCAL}:{UPCOMING}",
        "digest": None,
        "kind": "driver",
        "upcoming": True,
        "missing": False,
        "source": f"{DRIVER}:{UPCOMING}",
        "target": f"{LOCAL}:{UPCOMING}",
        "pools": ["one/train"],
    }
    (manager,) = [image for image in images if image["kind"] == "companion"]
    assert (manager["reference"], manager["pools"]) == (MANAGER, ["one/arm", "one/train"])


def test_skopeo(tmp_path: Path, capfd: Capture) -> None:
    made = loaded(capfd, repository(tmp_path, catalog=BUILT), "--as", "skopeo")
    images = {
        "nvidia/cloud-native/k8s-driver-manager": ["v0.12.0"],
        "nvidia/driver": [RUNNING, UPCOMING, ARM],
    }
    assert made == {"nvcr.io": {"images": images}}
    assert f'"{RUNNING}"  # {DIGEST}\n' in export(capfd, tmp_path, "--as", "skopeo").out


def test_regsync(tmp_path: Path, capfd: Capture) -> None:
    made = loaded(capfd, repository(tmp_path, catalog=BUILT), "--as", "regsync", "--to", "r.example.com:5000/m/")
    assert made["version"] == 1
    assert made["sync"][1] == {
        "source": f"{DRIVER}:{RUNNING}",
        "target": f"r.example.com:5000/m/nvidia/driver:{RUNNING}",
        "type": "image",
    }
    assert [set(one) for one in made["sync"]] == [{"source", "target", "type"}] * 4


def test_oc_mirror(tmp_path: Path, capfd: Capture) -> None:
    made = loaded(capfd, repository(tmp_path, catalog=BUILT), "--as", "oc-mirror")
    assert made == {
        "kind": "ImageSetConfiguration",
        "apiVersion": "mirror.openshift.io/v2alpha1",
        "mirror": {
            "additionalImages": [
                {"name": name} for name in (MANAGER, *(f"{DRIVER}:{tag}" for tag in (RUNNING, UPCOMING, ARM)))
            ]
        },
    }


def test_a_mapping_copies_to_where_pools_pull_from(tmp_path: Path, capfd: Capture) -> None:
    called = export(capfd, copied(tmp_path), "--as", "mapping")
    assert called.code == 0
    assert called.out.splitlines() == [f"{DRIVER}:{tag}={LOCAL}:{tag}" for tag in (RUNNING, UPCOMING, ARM)]
    assert called.err == "note: 1 references have no mirror, are pulled as they are and left out; --to copies all\n"


def test_a_staging_registry_is_the_source_of_the_public_one(tmp_path: Path, capfd: Capture) -> None:
    staging = f'{HEAD}ImageCatalog\nrepository: {STAGING}\nimages:\n  - {{tag: "{UPCOMING}"}}\n'
    root = repository(tmp_path, fleet=FLEET + mirrored(DRIVER, STAGING, "copy"), staging=staging)
    called = export(capfd, root, "--as", "mapping")
    assert f"{STAGING}:{UPCOMING}={DRIVER}:{UPCOMING}" in called.out.splitlines()
    assert "no catalog" not in called.err


def test_what_a_proxy_passes_on_comes_from_its_upstream(tmp_path: Path, capfd: Capture) -> None:
    fleet = FLEET.replace(DRIVER, LOCAL) + mirrored(LOCAL, DRIVER, "proxy")
    called = export(capfd, repository(tmp_path, fleet=fleet, catalog=BUILT), "--as", "oc-mirror")
    assert f'- name: "{DRIVER}:{RUNNING}"' in called.out
    assert LOCAL not in called.out


def test_openshift_sends_tags_to_a_mirror(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, fleet=FLEET + mirrored(LOCAL, DRIVER, "node"), catalog=BUILT)
    made = loaded(capfd, root, "--as", "itms")
    assert made == {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageTagMirrorSet",
        "metadata": {"name": "drivergate"},
        "spec": {"imageTagMirrors": [{"source": DRIVER, "mirrors": [LOCAL]}]},
    }
    # The pattern of `source` begins so: host[:port], then /namespace….
    host = r"^((?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.[a-zA-Z0-9-]+)*(?::[0-9]+)?)(?:/[a-z0-9._-]+)*$"
    everything = loaded(capfd, root, "--as", "itms", "--to", "r.example.com")["spec"]["imageTagMirrors"]
    assert [one["mirrors"] for one in everything] == [
        ["r.example.com/nvidia/cloud-native/k8s-driver-manager"],
        ["r.example.com/nvidia/driver"],
    ]
    assert all(re.match(host, one["source"]) for one in everything)


def test_a_digest_is_no_tag(tmp_path: Path, capfd: Capture) -> None:
    by_digest = CLUSTER.replace('driver: {version: "580.126.20"}', f'driver: {{mode: compiled, version: "{DIGEST}"}}')
    root = repository(tmp_path, one=by_digest, catalog=BUILT)
    made = loaded(capfd, root, "--as", "skopeo")
    assert DIGEST in made["nvcr.io"]["images"]["nvidia/driver"]
    called = export(capfd, root, "--as", "itms", "--to", "r.example.com")
    assert "note: references by digest are sent to mirrors by an ImageDigestMirrorSet only" in called.err


@pytest.mark.parametrize("tool", ["regsync", "mapping", "itms"])
def test_a_target_is_needed(tmp_path: Path, capfd: Capture, tool: str) -> None:
    called = export(capfd, repository(tmp_path, catalog=BUILT), "--as", tool)
    assert (called.code, called.out) == (2, "")
    assert "hint: say where with --to" in called.err


def test_two_sources_under_one_name(tmp_path: Path, capfd: Capture) -> None:
    own = CLUSTER.replace('version: "580.126.20"', 'version: "580.126.20", repository: a.io/nvidia/driver')
    arm = f'{HEAD}ImageCatalog\nrepository: a.io/nvidia/driver\nimages:\n  - {{tag: "{ARM}"}}\n'
    root = repository(tmp_path, one=own, catalog=BUILT, arm=arm)
    assert export(capfd, root, "--as", "mapping", "--to", "r.example.com").code == 0
    called = export(capfd, root, "--as", "itms", "--to", "r.example.com")
    assert called.code == 2
    assert f"a.io/nvidia/driver and {DRIVER} would both be copied to r.example.com/nvidia/driver" in called.err
    two = own.replace("name: one", "name: two").replace(", repository: a.io/nvidia/driver", "")
    both = repository(tmp_path, one=own, two=two, catalog=BUILT, arm=arm)
    assert export(capfd, both, "--as", "mapping", "--to", "r.example.com").code == 2


def test_the_driver_manager_of_a_release_that_is_not_known(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, fleet=FLEET.replace("v26.7.0", "v26.9.1"), catalog=BUILT)
    called = export(capfd, root)
    assert called.code == 0
    assert called.err == (
        f"note: one: the driver manager of operator v26.9.1 is not known; that of v26.7.0 is taken: {MANAGER}\n"
    )


def test_some_clusters(tmp_path: Path, capfd: Capture) -> None:
    root = repository(
        tmp_path, catalog=BUILT, two=CLUSTER.replace("name: one", "name: two").replace("580.126.20", "570.1.2")
    )
    assert "570.1.2" in export(capfd, root).out
    assert "570.1.2" not in export(capfd, root, "--cluster", "one").out
    called = export(capfd, root, "--cluster", "tow")
    assert called.code == 2
    assert 'did you mean "two"?' in called.err


@pytest.mark.parametrize("to", ["https://r.example.com", "r.example.com/Upper", "r.example.com:tag/x y"])
def test_what_is_no_registry(tmp_path: Path, capfd: Capture, to: str) -> None:
    called = export(capfd, repository(tmp_path, catalog=BUILT), "--as", "mapping", "--to", to)
    assert called.code == 2
    assert "is no registry" in called.err
