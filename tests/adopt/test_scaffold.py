"""The files of a new repository. Whether they work is tested with the real tools: tests/e2e/test_init.py."""

import re

import pytest
import yaml

from generator.adopt.scaffold import ATTRIBUTES, HOOKS, Ci, Source, additions, scaffold
from tests.shared import REPO

HOSTED = Source("drivergate @ git+https://example.com/drivergate@1a2b", "https://example.com/drivergate", "v0.1.0")
PUBLISHED = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_local_hooks_are_the_published_ones() -> None:
    [repo] = yaml.safe_load(scaffold("x", None, Source())[HOOKS])["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        published = next(one for one in PUBLISHED if one["id"] == hook["id"])
        kept = published.keys() - {"language", "description", "minimum_pre_commit_version"}
        assert {key: hook.get(key) for key in kept} == {key: published[key] for key in kept}
    assert [hook["id"] for hook in repo["hooks"]] == ["drivergate-render", "drivergate-check"]


def test_a_known_origin_is_named_in_hooks_and_ci() -> None:
    files = scaffold("x", Ci.GITHUB, HOSTED)
    [repo] = yaml.safe_load(files[HOOKS])["repos"]
    assert (repo["repo"], repo["rev"]) == ("https://example.com/drivergate", "v0.1.0")
    assert {hook["id"] for hook in repo["hooks"]} == {one["id"] for one in PUBLISHED}
    assert HOSTED.requirement in files[".ci/requirements.txt"].splitlines()


def test_github_reads_only_and_pins_every_action() -> None:
    text = scaffold("x", Ci.GITHUB, HOSTED)[".github/workflows/drivergate.yaml"]
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
            assert "${{" not in step.get("run", "")  # text from a pull request is no part of a script
    assert workflow["jobs"]["gate"]["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_gitlab_includes_its_jobs() -> None:
    files = scaffold("x", Ci.GITLAB, HOSTED)
    [included] = yaml.safe_load(files[".gitlab-ci.yml"])["include"]
    jobs = yaml.safe_load(files[included["local"]])
    assert {name for name in jobs if not name.startswith(".")} == {"drivergate-gate", "drivergate-drift"}


@pytest.mark.parametrize("ci", [None, *Ci])
def test_owners_are_hints_only(ci: Ci | None) -> None:
    files = scaffold("x", ci, Source())
    [owners] = [text for path, text in files.items() if path.endswith("CODEOWNERS")]
    assert all(line.startswith("#") for line in owners.splitlines())


def test_the_catalog_merges_by_union_and_nothing_is_hidden_from_review() -> None:
    lines = [line.split() for line in scaffold("x", None, Source())[ATTRIBUTES].splitlines() if line[:1] != "#"]
    assert ["inventory/catalog/**", "merge=union"] in lines
    assert [line[0] for line in lines if "linguist-generated" in line] == ["out/.drivergate-manifest"]


def test_what_a_shared_file_lacks_is_told() -> None:
    files = scaffold("x", None, Source())
    assert additions(ATTRIBUTES, "out/** text eol=lf # ours\n", files).splitlines() == [
        "inventory/** text eol=lf", "bases/** text eol=lf", "templates/** text eol=lf",
        "inventory/catalog/** merge=union", "out/.drivergate-manifest linguist-generated gitlab-generated",
    ]  # fmt: skip
    assert additions(HOOKS, "repos: []\n", files) == files[HOOKS]
    assert additions(HOOKS, files[HOOKS], files) == ""
