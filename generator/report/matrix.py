"""The work list as build matrices: GitHub's `include` rows, and a child pipeline for GitLab."""

from collections.abc import Sequence
from typing import Any

from msgspec.json import encode

from generator.change.work import Work

# docs.github.com "Running variations of jobs in a workflow"; docs.gitlab.com "CI/CD YAML syntax", parallel:matrix.
MOST = {"github": 256, "gitlab": 200}


def rows(works: Sequence[Work]) -> list[dict[str, str]]:
    """One row an image, in the order of the work list; every value is text."""
    return [_row(one) for one in works]


def _row(one: Work) -> dict[str, str]:
    assert one.recipe is not None
    given = {name.lower(): value for name, value in sorted(one.recipe.arguments.items())}
    return {
        "tag": one.tag,
        "repository": one.repository,
        "image": f"{one.repository}:{one.tag}",
        "platforms": ",".join(one.platforms),
        "tool": one.recipe.tool,
        "folder": one.recipe.folder,
        "open_arguments": " ".join(sorted(one.recipe.open_arguments)),
        **given,
    }


def github(works: Sequence[Work]) -> str:
    """A value for `strategy.matrix`, on one line: what $GITHUB_OUTPUT takes."""
    return encode({"include": rows(works)[: MOST["github"]]}).decode() + "\n"


def gitlab(works: Sequence[Work]) -> str:
    """A child pipeline: one job with a row of variables for each image, which extends .build-driver-image.

    JSON is YAML, and its quoting leaves nothing to a reader's guess.
    """
    variables = [
        {f"DRIVERGATE_{name.upper()}": value for name, value in row.items()} for row in rows(works)[: MOST["gitlab"]]
    ]
    job: dict[str, Any] = (
        {"build-driver-image": {"extends": ".build-driver-image", "parallel": {"matrix": variables}}}
        if variables
        else {"nothing-to-build": {"script": ["true"]}}
    )
    pipeline = {"include": [{"local": ".gitlab/build-driver-image.yml"}], **job}
    lines = [f"{encode(name).decode()}: {encode(value).decode()}" for name, value in pipeline.items()]
    return "".join(f"{line}\n" for line in lines)
