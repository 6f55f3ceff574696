"""A small inventory as text, to be changed where a test wants it wrong."""

from collections.abc import Mapping

from generator.finding import Finding, Severity
from generator.render.output import Rendered
from tests.testing.judging import findings, revision_of

HEAD = "apiVersion: drivergate.dev/v1alpha1\n"
FLEET = f"""{HEAD}kind: Fleet
name: small
defaults:
  operator: {{version: v26.7.0}}
  driver: {{repository: nvcr.io/nvidia/driver, branch: "580"}}
"""
IMAGE = f"""{HEAD}kind: NodeImage
name: aws
os: {{id: ubuntu, version: "22.04"}}
arch: [amd64]
kernels:
  "2026.04": 5.15.0-1111-aws
running: ["2026.04"]
"""
CATALOG = f"""{HEAD}kind: ImageCatalog
repository: nvcr.io/nvidia/driver
images:
  - {{tag: "580-5.15.0-1111-aws-ubuntu22.04", platforms: [linux/amd64]}}
"""
POOL = "nodeSelector: {example.com/pool: a}, nodeImage: aws"
FLEET_FILE, IMAGE_FILE, CLUSTER_FILE = "inventory/fleet.yaml", "inventory/aws.yaml", "inventory/one.yaml"
WORKLOADS_FILE = "inventory/workloads.yaml"


def cluster(*pools: str, name: str = "one", more: str = "") -> str:
    """A Cluster document; each pool is what stands in its braces, the first named a, the next b."""
    lines = "".join(f"  {chr(97 + index)}: {{{pool}}}\n" for index, pool in enumerate(pools))
    text = f"{HEAD}kind: Cluster\nname: {name}\n{more}"
    return f"{text}pools:\n{lines}" if lines else text


def workloads(*entries: str, team: str = "ml") -> str:
    """A Workloads document; each entry is what stands in its braces, the first named w, then x, v and u."""
    lines = "".join(f"  {'wxvu'[index]}: {{{entry}}}\n" for index, entry in enumerate(entries))
    return f"{HEAD}kind: Workloads\nteam: {team}\nworkloads:\n{lines}"


def workload(more: str = "", *, on: str = "{pools: [a]}", owner: str = "{kind: Deployment}") -> str:
    """One entry of `workloads`, in the namespace ns and labelled app: w."""
    return f"runsOn: {on}, namespace: ns, owner: {owner}, podLabels: {{app: w}}{', ' if more else ''}{more}"


def files(*pools: str, more: str = "", **changed: str | None) -> dict[str, str]:
    """The repository with one cluster of these pools. `fleet` and `image` replace documents, None leaves one out."""
    made: dict[str, str | None] = {
        FLEET_FILE: changed.get("fleet", FLEET),
        IMAGE_FILE: changed.get("image", IMAGE),
        CLUSTER_FILE: cluster(*(pools or (POOL,)), more=more),
        "inventory/catalog.yaml": CATALOG,
    }
    return {path: text for path, text in made.items() if text is not None}


def told(repository: Mapping[str, str | bytes]) -> list[str]:
    """Rule and place of every finding that leaves no manifest to make, and of every error."""
    return [f"{one.rule} {one.place}" for one in serious(repository)]


def serious(repository: Mapping[str, str | bytes]) -> list[Finding]:
    return [one for one in findings(repository) if one.severity is not Severity.WARNING]


def only(repository: Mapping[str, str | bytes]) -> Finding:
    """The one finding of a repository."""
    found = findings(repository)
    assert len(found) == 1, found
    return found[0]


def rendered(repository: Mapping[str, str | bytes]) -> Rendered:
    """What a clean repository renders."""
    context, problems = revision_of(repository)
    assert [one for one in problems if one.severity is Severity.INVALID] == []
    assert context.rendered.findings == ()
    return context.rendered


def texts(repository: Mapping[str, str | bytes]) -> dict[str, str]:
    """The rendered files by path."""
    return {file.path: file.text for file in rendered(repository).files}
