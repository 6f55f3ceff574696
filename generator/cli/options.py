"""The options that several verbs share."""

from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.completion import (
    complete_branches,
    complete_clusters,
    complete_kernels,
    complete_node_images,
    complete_operating_systems,
    complete_pools_of_any_cluster,
    complete_repositories,
    complete_revisions,
    complete_rings,
)
from generator.cli.outcome import Format, Reporting

if TYPE_CHECKING:
    from generator.cli.repository import Chosen

Root = Annotated[
    str | None,
    typer.Option("--root", "-C", metavar="DIR", help="The repository; default: the nearest folder with inventory/."),
]
Staged = Annotated[bool, typer.Option("--staged", help="Judge exactly what would be committed: git's index.")]
Rev = Annotated[
    str | None,
    typer.Option(
        "--rev",
        metavar="REV",
        help="Judge a commit, without checking it out.",
        autocompletion=complete_revisions,
    ),
]
Today = Annotated[
    str | None,
    typer.Option(
        "--today",
        metavar="YYYY-MM-DD",
        help="The day of the work tree or the index; default: the machine's date (UTC).",
    ),
]
Clusters = Annotated[
    list[str] | None,
    typer.Option("--cluster", metavar="NAME", help="Only this cluster (repeatable).", autocompletion=complete_clusters),
]
Rings = Annotated[
    list[str] | None,
    typer.Option(
        "--ring", metavar="RING", help="Only clusters of this ring (repeatable).", autocompletion=complete_rings
    ),
]
ResultFormat = Annotated[Format, typer.Option("--format", help="How to print the result.")]
ReportFormat = Annotated[Reporting, typer.Option("--format", help="How to print the findings.")]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORMAT=FILE",
        help="Also write the findings to a file, in any of the formats of --format (repeatable).",
    ),
]

Observed = Annotated[
    list[str] | None,
    typer.Option(
        "--observed",
        metavar="FILE",
        help="An audit (audit --format json): evidence that no node runs a kernel any more (repeatable).",
    ),
]

SyncedFile = Annotated[
    str | None,
    typer.Option(
        "--synced",
        metavar="FILE",
        help="What was applied: kubectl get applications,kustomizations,clusterpolicies -A -o json; - is stdin.",
    ),
]

# What would change, for verbs that ask about it.
Kernels = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel",
        metavar="UNAME-R",
        help="Nodes boot this kernel (repeatable).",
        autocompletion=complete_kernels,
    ),
]
System = Annotated[
    str | None,
    typer.Option(
        "--os",
        metavar="ID+VERSION",
        help="Nodes run this OS, such as ubuntu24.04 or rhel9.6.",
        autocompletion=complete_operating_systems,
    ),
]
Branch = Annotated[
    str | None,
    typer.Option(
        "--branch",
        metavar="DRIVER",
        help="A driver branch, or an exact version.",
        autocompletion=complete_branches,
    ),
]
Stream = Annotated[
    str | None,
    typer.Option(
        "--node-image",
        metavar="NAME[=RELEASE]",
        help="Nodes run this image, or one release of it.",
        autocompletion=complete_node_images,
    ),
]
Operator = Annotated[
    str | None, typer.Option("--operator", metavar="RELEASE", help="The GPU operator has this release.")
]
Pools = Annotated[
    list[str] | None,
    typer.Option(
        "--pool",
        metavar="[CLUSTER/]POOL",
        help="Only this pool (repeatable).",
        autocompletion=complete_pools_of_any_cluster,
    ),
]

# Where the objects of a cluster come from.
_AS_PRINTED = "as kubectl get prints them with -o json or -o yaml; - is stdin."
NodeFiles = Annotated[list[str] | None, typer.Option("--nodes", metavar="FILE", help=f"Nodes, {_AS_PRINTED}")]
PodFiles = Annotated[
    list[str] | None, typer.Option("--pods", metavar="FILE", help=f"Pods of all namespaces, {_AS_PRINTED}")
]
BudgetFiles = Annotated[
    list[str] | None, typer.Option("--budgets", metavar="FILE", help=f"PodDisruptionBudgets, {_AS_PRINTED}")
]
DriverFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--drivers",
        metavar="FILE",
        help=f"NVIDIADrivers, ClusterPolicy, driver DaemonSets and ControllerRevisions, {_AS_PRINTED}",
    ),
]
Dump = Annotated[
    str | None,
    typer.Option("--dump", metavar="DIR", help="A folder of YAML and JSON, such as an unpacked must-gather."),
]
Contexts = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="NAME", help="Ask this context of your kubeconfig; one for each --cluster."),
]
OperatorRelease = Annotated[
    str | None,
    typer.Option(
        "--operator", metavar="RELEASE", help="The GPU operator's release; default: the cluster's, or the newest."
    ),
]

# The catalog's.
Repositories = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REPOSITORY]...",
        help="Only these, such as nvcr.io/nvidia/driver.",
        autocompletion=complete_repositories,
    ),
]
PlainHttp = Annotated[
    list[str] | None,
    typer.Option("--plain-http", metavar="HOST[:PORT]", help="Registry that may be asked without TLS (repeatable)."),
]


def chosen_state(root: str | None, *, staged: bool, rev: str | None, today: str | None) -> "Chosen":
    """The state that the options name. Bad usage where they name two."""
    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    from generator.cli.repository import Chosen  # what reads an inventory is not loaded for verbs that read none

    return Chosen(root=root, staged=staged, rev=rev, today=today)
