"""The effective `delivery` of a cluster: defaults filled in, contradictions told where they stand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from generator.declared.layers import Level, below, merged, origin
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.release import Release, Unsupported, resolve
from generator.finding import Finding, Place, Severity
from generator.layout import is_plain_path

ALTERNATIVES: tuple[tuple[Path, str, str], ...] = (
    ((), "argocd", "flux"),
    (("argocd", "destination"), "name", "server"),
)
CHARTS = "https://helm.ngc.nvidia.com/nvidia"
OCI = "oci://"
# argo-cd util/argo/resource_tracking.go: under label tracking an Application's name is a label's value.
LONGEST_NAME = 63
PREFIX = "gpu-operator-"
BUDGETS_PREFIX = "gpu-budgets-"
PART = r"([0-9.]+)(ms|s|m|h)"
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
SHORTEST = 60  # fluxcd/kustomize-controller docs/spec/v1/kustomizations.md, "Interval"


class Destination(Struct, frozen=True):
    """A cluster as Argo CD knows it: by one of the two."""

    name: str = ""
    server: str = ""


class Chart(Struct, frozen=True, kw_only=True, rename="camel"):
    """The operator's chart; an empty version means that of the operator."""

    enabled: bool = True
    repo_url: str = field(default=CHARTS, name="repoURL")
    name: str = "gpu-operator"
    version: str = ""
    release_name: str = "gpu-operator"
    value_files: tuple[str, ...] = ()


class Automated(Struct, frozen=True, kw_only=True, rename="camel"):
    """Argo CD syncs by itself; it prunes only where that is said."""

    prune: bool = False
    self_heal: bool = False


class ArgoCd(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the cluster's Application says."""

    enabled: bool = True
    namespace: str = "argocd"
    project: str = "default"
    repo_url: str = field(default="", name="repoURL")
    target_revision: str = "HEAD"
    path: str = ""
    destination: Destination = Destination()
    chart: Chart = Chart()
    automated: Automated | None = None


class SourceRef(Struct, frozen=True):
    """The source that `flux bootstrap` makes, unless another is named."""

    kind: str = "GitRepository"
    name: str = "flux-system"
    namespace: str = ""


class Dependency(Struct, frozen=True):
    """A Kustomization that must be ready before; of the same namespace where none is named."""

    name: str
    namespace: str = ""


class Flux(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the cluster's Flux Kustomization says."""

    enabled: bool = True
    namespace: str = "flux-system"
    source_ref: SourceRef = SourceRef()
    path: str = ""
    interval: str = "10m"
    timeout: str = "30m"
    prune: bool = False
    wait: bool = True
    depends_on: tuple[Dependency, ...] = ()
    substitute: str = "disabled"
    values_config_map: bool = False
    helm_release_namespace: str = ""


class Delivery(Struct, frozen=True, kw_only=True, rename="camel"):
    """Who brings the cluster's manifests to it: Argo CD, Flux, or nobody that drivergate writes for."""

    argocd: ArgoCd | None = None
    flux: Flux | None = None
    image_digests: bool = False

    @property
    def follows(self) -> str:
        """The revision that the cluster's Application follows, "" where that is the default branch's tip.

        What Flux follows stands in a GitRepository that is not ours.
        """
        if self.argocd is None or not self.argocd.enabled or self.argocd.target_revision == "HEAD":
            return ""
        return self.argocd.target_revision


NONE = Delivery()


def settings(delivery: Delivery) -> dict[str, Any]:
    """The delivery as the inventory would write it, defaults included and what is empty left out."""
    found: dict[str, Any] = _without_empty(to_builtins(delivery, str_keys=True))
    return found


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in (None, "", {}, [])}
    return [_without_empty(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def application_name(cluster: str) -> str:
    """The name of the cluster's Application, as an object may be named."""
    return f"{PREFIX}{re.sub(r'[^a-z0-9]+', '-', cluster.lower())}"


def budgets_application_name(cluster: str) -> str:
    """The name of the Application that brings the cluster's budgets: shorter than the other, and as much its own."""
    return f"{BUDGETS_PREFIX}{application_name(cluster).removeprefix(PREFIX)}"


def both(level: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The alternatives that one level's `delivery` gives at once: path of the second, and what is wrong."""
    for path, one, other in ALTERNATIVES:
        inner: Any = level
        for step in path:
            inner = inner.get(step, {})
        if one in inner and other in inner:
            names = [".".join(("delivery", *map(str, path), key)) for key in (one, other)]
            yield (*path, other), f"{names[0]} and {names[1]} are alternatives, and both are given"


class DeliveryMaker:
    """Makes the effective delivery of clusters, one after the other, with names of their own."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.names: dict[tuple[str, str], str] = {}

    def make(self, cluster: str, levels: tuple[Level, ...], release: Release) -> tuple[Delivery, list[Finding]]:
        """What holds for a cluster. Findings are INVALID; an Application without a name of its own is left out."""
        own = below(levels, "delivery")
        if not own:
            return NONE, []
        made = _named(convert(merged(own), Delivery), cluster, release)
        said = _Said(self.texts, cluster, own)
        findings = []
        if made.argocd is not None:
            unnamed = list(self._name(made.argocd, said))
            findings += [*_argocd(made.argocd, said, release), *unnamed]
            made = replace(made, argocd=None) if unnamed else made
        if made.flux is not None:
            findings += _flux(made.flux, said)
        return made, findings

    def _name(self, argocd: ArgoCd, said: "_Said") -> Iterator[Finding]:
        """Applications of all clusters lie in one namespace of one cluster."""
        name = application_name(said.cluster)
        if len(name) > LONGEST_NAME:
            message = f'the Application "{name}" has {len(name)} characters, and Argo CD may write it into a label'
            hint = f"give the cluster a name of at most {LONGEST_NAME - len(PREFIX)} characters"
            yield said.problem(("argocd",), message, hint)
        first = self.names.setdefault((argocd.namespace, name), said.cluster)
        if first != said.cluster:
            message = f'the Applications of clusters "{first}" and "{said.cluster}" are both named "{name}"'
            hint = "rename one of the clusters, or give one of them another delivery.argocd.namespace"
            yield said.problem(("argocd",), message, hint, rule="inventory/name-clash")


class _Said:
    """Tells where the settings of one cluster's delivery stand."""

    def __init__(self, texts: Texts, cluster: str, levels: tuple[Level, ...]) -> None:
        self.texts, self.cluster, self.levels = texts, cluster, levels

    def place(self, *path: str | int) -> Place:
        found = origin(self.levels, path)
        assert found is not None
        return self.texts.key(found[0].file, found[1]) if len(path) == 1 else self.texts.value(found[0].file, found[1])

    def problem(self, path: Path, message: str, hint: str, *, rule: str = "inventory/schema") -> Finding:
        return Finding(
            rule=rule,
            severity=Severity.INVALID,
            place=self.place(*path),
            message=message,
            hint=hint,
            cluster=self.cluster,
        )


def _named(delivery: Delivery, cluster: str, release: Release) -> Delivery:
    """The delivery with what follows from the cluster written out; what is switched off is not there."""
    argocd, flux = delivery.argocd, delivery.flux
    if argocd is not None and not argocd.destination.server and not argocd.destination.name:
        argocd = replace(argocd, destination=Destination(name=cluster))
    if argocd is not None and not argocd.chart.version:
        argocd = replace(argocd, chart=replace(argocd.chart, version=release.version))
    if flux is not None and not flux.helm_release_namespace:
        flux = replace(flux, helm_release_namespace=flux.namespace)
    return replace(
        delivery,
        argocd=argocd if argocd and argocd.enabled else None,
        flux=flux if flux and flux.enabled else None,
    )


def _argocd(argocd: ArgoCd, said: _Said, release: Release) -> Iterator[Finding]:
    chart = argocd.chart
    if not argocd.repo_url:
        message, hint = "delivery.argocd.repoURL is not set", "add repoURL: the git repository that holds out/"
        yield said.problem(("argocd",), message, hint)
    if chart.repo_url.startswith(OCI):
        message = f'delivery.argocd.chart.repoURL is "{chart.repo_url}", and Argo CD wants charts without {OCI}'
        yield said.problem(("argocd", "chart", "repoURL"), message, f"write {chart.repo_url.removeprefix(OCI)}")
    of_chart = resolve(chart.version)
    if isinstance(of_chart, Unsupported) or of_chart.version != release.version:
        message = f'delivery.argocd.chart.version is "{chart.version}", and operator.version is {release.written}'
        hint = "leave chart.version out, or make both the release that the cluster runs"
        yield said.problem(("argocd", "chart", "version"), message, hint)
    paths: list[Path] = [("argocd", "chart", "valueFiles", index) for index in range(len(chart.value_files))]
    yield from _paths(said, [(("argocd", "path"), argocd.path), *zip(paths, chart.value_files, strict=True)])


def _flux(flux: Flux, said: _Said) -> Iterator[Finding]:
    if not flux.depends_on:
        message = "delivery.flux.dependsOn is not set, and driver objects can't be applied before the operator's CRDs"
        hint = "name the Kustomization that installs the operator, for example dependsOn: [{name: gpu-operator}]"
        yield said.problem(("flux",), message, hint)
    if _seconds(flux.interval) < SHORTEST:
        message = f'delivery.flux.interval is "{flux.interval}", and Flux takes at least {SHORTEST}s'
        yield said.problem(("flux", "interval"), message, 'write a longer one, for example "10m"')
    yield from _paths(said, [(("flux", "path"), flux.path)])


def _paths(said: _Said, paths: Iterable[tuple[Path, str]]) -> Iterator[Finding]:
    for path, written in paths:
        if written and not is_plain_path(written):
            name = ".".join(str(step) for step in ("delivery", *path))
            message = f'{name} is "{written}", which is no path inside of a repository'
            yield said.problem(path, message, "write it like fleet/gpu: no dots, no slash at its ends")


def _seconds(duration: str) -> float:
    return sum(float(number) * SECONDS[unit] for number, unit in re.findall(PART, duration))
