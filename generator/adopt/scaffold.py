"""The files of a new repository beside its inventory: hook, CI, attributes, owners, a page for the team."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from generator.facts import data

HOOKS, ATTRIBUTES, GITLAB = ".pre-commit-config.yaml", ".gitattributes", ".gitlab-ci.yml"
IGNORE = ".gitignore"
# Files that other tools share: where one is there already, what it lacks is told.
SHARED = (HOOKS, ATTRIBUTES, GITLAB, IGNORE)


class Ci(StrEnum):
    """Where the repository is hosted."""

    GITHUB = "github"
    GITLAB = "gitlab"


class Source(Struct, frozen=True):
    """Where this drivergate was installed from; "" where that is no place that others can reach."""

    requirement: str = ""
    url: str = ""
    revision: str = ""


def scaffold(name: str, ci: Ci | None, source: Source) -> dict[str, str]:
    """Every file by its path."""
    files = {
        "README.md": data.scaffold("readme.md").replace("@NAME@", name),
        ATTRIBUTES: data.scaffold("gitattributes"),
        HOOKS: _hooks(source),
    }
    owners = data.scaffold("codeowners")
    if ci is None:
        return {**files, "CODEOWNERS": owners}
    files |= {".ci/drivergate": data.scaffold("ci.sh"), ".ci/requirements.txt": _requirements(source)}
    files |= {f".ci/{name}": data.scaffold(f"{name}.in") for name in ("catalog_sync.py", "comment.py")}
    files[".gitignore"] = data.scaffold("gitignore")
    if ci is Ci.GITHUB:
        workflows = {
            ".github/workflows/drivergate.yaml": data.scaffold("github.yaml"),
            ".github/workflows/drivergate-catalog.yaml": data.scaffold("github-catalog.yaml"),
        }
        return {**files, **workflows, ".github/CODEOWNERS": owners}
    jobs = {".gitlab/drivergate.yml": data.scaffold("gitlab.yaml"), GITLAB: data.scaffold("gitlab-ci.yaml")}
    return {**files, **jobs, "CODEOWNERS": owners}


def additions(path: str, present: str, files: Mapping[str, str]) -> str:
    """What a shared file that is there already lacks; "" where it has it."""
    if path in {ATTRIBUTES, IGNORE}:
        there = {line.split("#")[0].strip() for line in present.splitlines()}
        wanted = [line for line in files[path].splitlines() if line and not line.startswith("#")]
        return "".join(f"{line}\n" for line in wanted if line not in there)
    return "" if "drivergate" in present else files[path]


def _hooks(source: Source) -> str:
    if not source.url:
        return data.scaffold("pre-commit-local.yaml")
    text = data.scaffold("pre-commit-remote.yaml")
    return text.replace("@URL@", source.url).replace("@REVISION@", source.revision)


def _requirements(source: Source) -> str:
    line = source.requirement or "# drivergate @ git+https://HOST/PATH@COMMIT"
    return data.scaffold("requirements.txt").replace("@REQUIREMENT@", line)
