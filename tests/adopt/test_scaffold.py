"""The files of a new repository. Whether they work is tested with the real tools: tests/e2e/test_init.py."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.adopt.scaffold import ATTRIBUTES, HOOKS, Ci, Source, additions, scaffold
from tests.testing.shared import REPO

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


def workflows() -> dict[str, tuple[str, dict[str, Any]]]:
    files = scaffold("x", Ci.GITHUB, HOSTED)
    return {path: (text, yaml.safe_load(text)) for path, text in files.items() if path.startswith(".github/workflows/")}


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for _, workflow in workflows().values():
        yield from workflow["jobs"].items()


def validated(text: str, schema: str, path: Path) -> None:
    """By the public schemas that check-jsonschema carries (SchemaStore's)."""
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_workflows_are_valid_by_their_public_schema(tmp_path: Path) -> None:
    for path, (text, _) in workflows().items():
        validated(text, "github-workflows", tmp_path / path.rpartition("/")[2])


def test_jobs_of_gitlab_are_valid_by_their_public_schema(tmp_path: Path) -> None:
    files = scaffold("x", Ci.GITLAB, HOSTED)
    for path in (".gitlab-ci.yml", ".gitlab/drivergate.yml"):
        validated(files[path], "gitlab-ci", tmp_path / path.rpartition("/")[2])


def test_github_pins_every_action_and_lets_no_text_into_a_script() -> None:
    for text, workflow in workflows().values():
        assert workflow["permissions"] == {"contents": "read"}
        assert "secrets." not in text
    for _, job in jobs():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"(actions|github)/[a-z-]+(/[a-z-]+)?@[0-9a-f]{40}", step["uses"])
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "")  # text from a pull request is no part of a script
    assert dict(jobs())["gate"]["steps"][0]["with"]["fetch-depth"] == 0


def test_what_may_write_runs_no_drivergate() -> None:
    """A change can name any drivergate in .ci/requirements.txt: that one must not hold a token."""
    writing = {
        "sarif": {"security-events": "write"},
        "comment": {"pull-requests": "write"},
        "propose": {"contents": "write", "pull-requests": "write"},
    }
    for name, job in jobs():
        rights = {right: may for right, may in job.get("permissions", {}).items() if may != "read"}
        assert rights == writing.get(name, {})
        script = "\n".join(step.get("run", "") for step in job["steps"])
        assert ("token" in str(job)) is (name in {"before", "comment", "propose"})
        if rights or "token" in str(job):
            assert "pip" not in script
            assert "sh .ci/drivergate" not in script


def needed(line: str) -> bool:
    """What hands a token to git alone, or asks whether there is one."""
    return any(
        known in line
        for known in ("credential.helper", '[ -z "${DRIVERGATE_TOKEN:-}" ]', "curl --silent --fail --header")
    )


def test_nothing_prints_a_token() -> None:
    for ci in Ci:
        for path, text in scaffold("x", ci, HOSTED).items():
            lines = [line for line in text.splitlines() if re.search(r"\b(echo|print|printf|set -x|curl)\b", line)]
            assert not [line for line in lines if re.search(r"\$\{?\w*TOKEN", line) and not needed(line)], path


def test_gitlab_includes_its_jobs() -> None:
    files = scaffold("x", Ci.GITLAB, HOSTED)
    [included] = yaml.safe_load(files[".gitlab-ci.yml"])["include"]
    jobs = yaml.safe_load(files[included["local"]])
    names = {f"drivergate-{name}" for name in ("before", "gate", "drift", "diff", "scheduled", "audit", "catalog")}
    assert {name for name in jobs if not name.startswith(".")} == names
    reports = jobs["drivergate-gate"]["artifacts"]
    assert reports["when"] == "always"
    assert reports["reports"] == {"codequality": "build/code-quality.json", "junit": "build/junit.xml"}


def test_the_schedule_judges_what_stands() -> None:
    script = "sh .ci/drivergate scheduled"
    text, workflow = workflows()[".github/workflows/drivergate-catalog.yaml"]
    assert workflow["jobs"]["scheduled"]["steps"][-1] == {"run": script}
    assert "\non:\n  schedule:\n" in text
    job = yaml.safe_load(scaffold("x", Ci.GITLAB, HOSTED)[".gitlab/drivergate.yml"])["drivergate-scheduled"]
    assert (job["rules"], job["script"]) == ([{"if": '$CI_PIPELINE_SOURCE == "schedule"'}], [script])
    assert "drivergate check --scheduled" in scaffold("x", Ci.GITLAB, HOSTED)[".ci/drivergate"]


@pytest.mark.parametrize("ci", Ci)
def test_what_a_pipeline_names_is_written(ci: Ci) -> None:
    files = scaffold("x", ci, HOSTED)
    text = "\n".join(files[path] for path in files if path.endswith((".yaml", ".yml")))
    named = set(re.findall(r"\.ci/[a-z_]+(?:\.[a-z]+)?", text))
    assert named == {path for path in files if path.startswith(".ci/")}


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


def test_all_jobs_of_a_run_have_one_day_and_the_queue_is_judged_against_its_own_base() -> None:
    text, workflow = workflows()[".github/workflows/drivergate.yaml"]
    assert "\n  merge_group:\n" in text
    of_jobs = workflow["jobs"]
    steps = [
        step
        for name in ("gate", "drift", "diff")
        for step in of_jobs[name]["steps"]
        if "sh .ci/drivergate" in step.get("run", "")
    ]
    assert [of_jobs[name]["needs"] for name in ("gate", "drift", "diff")] == ["before"] * 3
    days = [step["env"].get("DRIVERGATE_TODAY") for step in steps]
    # diff reads two commits, each of which has its own day.
    assert days == ["${{ needs.before.outputs.today }}"] * 2 + [None]
    assert steps[0]["env"]["QUEUED"] == "${{ github.event.merge_group.base_sha }}"
    assert steps[0]["env"]["DRIVERGATE_GREEN"] == "${{ needs.before.outputs.green }}"
    gitlab = yaml.safe_load(scaffold("x", Ci.GITLAB, HOSTED)[".gitlab/drivergate.yml"])
    assert 'export DRIVERGATE_TODAY="${CI_PIPELINE_CREATED_AT%%T*}"' in gitlab[".drivergate"]["before_script"]
    assert gitlab["drivergate-gate"]["script"][0].startswith(
        'sh .ci/drivergate gate "${CI_MERGE_REQUEST_TARGET_BRANCH_SHA:-'
    )


def test_an_audit_is_kept_by_a_schedule_and_read_by_the_gate() -> None:
    audit = dict(jobs())["audit"]
    assert (audit["if"], audit["runs-on"]) == ("${{ vars.DRIVERGATE_AUDIT != '' }}", "${{ vars.DRIVERGATE_AUDIT }}")
    kept = audit["steps"][-1]["with"]
    assert (kept["name"], kept["path"]) == ("drivergate-audit", "build/audit.json")
    script = dict(jobs())["before"]["steps"][0]["run"]
    # A run of a pull request could keep a file of that name as well.
    assert "--event schedule" in script
    assert "--name drivergate-audit" in script
