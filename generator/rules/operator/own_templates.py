"""Driver objects that users' templates print: judged as they are rendered, since a template may print anything."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.json import encode

from generator.declared.crds import plain
from generator.declared.fleet import Cluster, Pool
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.layout import OUT, TEMPLATES
from generator.operator.driver import policy_spec
from generator.render.output import RenderedFile
from generator.render.rendered import OBJECT, POLICY, VALUES
from generator.render.views import FLUX_PRUNE, STRONGER, SYNC_OPTIONS, ClusterValues, chart_values
from generator.revision.cluster_inputs import ClusterInputs, TemplateObject
from generator.rules.operator.base_fields import DECIDED
from generator.rules.operator.claims import GPU_NODE, Claim
from generator.rules.rule import Problem

IMAGE = frozenset({"image", "repository", "usePrecompiled", "version"})
OF_OBJECT = IMAGE | {"default", "nodeSelector"}
SWITCHES = frozenset({"enabled", "useNvidiaDriverCRD"})
# What the operator makes of a switch that isn't there (api/nvidia/v1/clusterpolicy_types.go, DriverSpec.IsEnabled).
ABSENT = {"enabled": True, "default": False, "useNvidiaDriverCRD": False, "usePrecompiled": False}
OF_VALUES = IMAGE | {"enabled", "nvidiaDriverCRD"}


def spec_of(file: RenderedFile) -> Mapping[str, Any]:
    """The spec of a driver object as a Kubernetes client reads it."""
    return _mapping(plain(file.document), "spec")


def is_default(file: RenderedFile) -> bool:
    """Whether a driver object takes the GPU nodes that no other object selects."""
    return spec_of(file).get("default") is True


def claim_of(file: RenderedFile) -> Claim:
    """The nodes that a driver object selects, of which nothing else is known."""
    selector = {key: str(value) for key, value in _mapping(spec_of(file), "nodeSelector").items()}
    labels = GPU_NODE | {key: frozenset({value}) for key, value in selector.items()}
    return Claim(what=file.kind, name=file.name, selector=selector, labels=labels)


def strangers(inputs: ClusterInputs) -> tuple[TemplateObject, ...]:
    """Every NVIDIADriver that the cluster's operator would reconcile and no pool declares."""
    if inputs.cluster.operator.driver_api is not DriverApi.NVIDIADRIVER:
        return ()
    return tuple(
        printed
        for printed in inputs.template_objects
        if printed.pool is None and printed.file.kind == DriverApi.NVIDIADRIVER
    )


def object_differs(inputs: ClusterInputs) -> Iterator[Problem]:
    """What a user's template prints of the fields that drivergate decides, against what the inventory declares."""
    if inputs.template_objects:
        values = ClusterValues(inputs.cluster, inputs.base)
        for printed in inputs.template_objects:
            if printed.pool is not None:
                yield from _object(printed.file, printed.pool, values)
            elif printed.file.kind == DriverApi.CLUSTERPOLICY:
                yield from _policy(printed.file, values)
    for file in inputs.files:
        if not file.template.ours and file.template.path == VALUES:
            yield from _values(file, inputs.cluster)
    yield from _missing(inputs)


def _object(file: RenderedFile, pool: Pool, values: ClusterValues) -> Iterator[Problem]:
    wanted, owner = values.object(pool), f'pool "{pool.name}"'
    yield from _differing(file, owner, ("name",), {"name": file.name}, wanted, pool.name)
    yield from _differing(file, owner, sorted(OF_OBJECT), spec_of(file), wanted["spec"], pool.name)
    if pool.protect:
        yield from _unprotected(file, owner, wanted["annotations"], pool.name)


def _policy(file: RenderedFile, values: ClusterValues) -> Iterator[Problem]:
    cluster = values.cluster
    owner, name = f"cluster {cluster.name}", {"name": cluster.operator.policy_name}
    has_objects = cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    wanted = policy_spec(cluster, auto_upgrade=False)
    yield from _differing(file, owner, ("name",), {"name": file.name}, name)
    fields = sorted(SWITCHES if has_objects else DECIDED)
    yield from _differing(file, owner, fields, _mapping(spec_of(file), "driver"), wanted)
    if cluster.protect and values.policy:
        yield from _unprotected(file, owner, values.policy["metadata"]["annotations"])


def _values(file: RenderedFile, cluster: Cluster) -> Iterator[Problem]:
    wanted, driver = chart_values(cluster).get("driver", {}), _mapping(plain(file.document), "driver")
    fields = sorted(OF_VALUES & wanted.keys())
    yield from _differing(file, f"cluster {cluster.name}", fields, driver, wanted)


def _differing(
    file: RenderedFile,
    owner: str,
    fields: Iterable[str],
    printed: Mapping[str, Any],
    wanted: Mapping[str, Any],
    pool: str = "",
) -> Iterator[Problem]:
    whole = {POLICY: "document", VALUES: "values"}.get(file.template.path, "spec")
    for field in fields:
        absent = ABSENT.get(field)
        if printed.get(field, absent) == wanted.get(field, absent):
            continue
        message = f"{field} of {_what(file)} is {_shown(printed.get(field))}"
        message += f", and {owner} declares {_shown(wanted.get(field))}"
        given = f"{{{{ {'name' if field == 'name' else whole} }}}}"
        hint = f"declare it in the inventory, or leave the field as {given} gives it"
        yield _problem(file, message, hint, pool, field)


def _unprotected(file: RenderedFile, owner: str, wanted: Mapping[str, Any], pool: str = "") -> Iterator[Problem]:
    """Options of prune protection that are not there; a stronger one, "never", will do."""
    annotations = _mapping(_mapping(plain(file.document), "metadata"), "annotations")
    there = {option.strip() for option in str(annotations.get(SYNC_OPTIONS, "")).split(",")}
    there |= {STRONGER[option] for option in there & STRONGER.keys()}
    lacking = [one for one in STRONGER.values() if one in str(wanted[SYNC_OPTIONS]).split(",") and one not in there]
    if FLUX_PRUNE in wanted and annotations.get(FLUX_PRUNE) != wanted[FLUX_PRUNE]:
        lacking.append(f"{FLUX_PRUNE}: {wanted[FLUX_PRUNE]}")
    if lacking:
        message = f"annotations of {_what(file)} lack {', '.join(lacking)}: {owner} is protected"
        hint = "print the annotations as {{ annotations }} gives them, or set protect: false"
        yield _problem(file, message, hint, pool, "annotations")


def _missing(inputs: ClusterInputs) -> Iterator[Problem]:
    """Objects that drivergate's own template would print, and the user's in its place doesn't."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is not DriverApi.NVIDIADRIVER:
        return
    if any(file.template.path == OBJECT and file.template.ours for file in inputs.files):
        return
    there = {printed.pool.name for printed in inputs.template_objects if printed.pool is not None}
    for pool in cluster.managed_pools:
        if pool.name not in there:
            yield Problem(
                place=Place(f"{TEMPLATES}/{OBJECT}"),
                message=f'pool "{pool.name}" of cluster {cluster.name} declares a driver, and the template prints no '
                f'NVIDIADriver "{pool.object_name}"',
                hint="print the object wherever {{ spec }} is not empty",
                cluster=cluster.name,
                pool=pool.name,
                fact=f"{DriverApi.NVIDIADRIVER} {pool.object_name}",
            )


def _what(file: RenderedFile) -> str:
    what = f'{file.kind} "{file.name}" in ' if file.kind else "driver in "
    return f"{what}{OUT}/{file.path}"


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    inner = value.get(key) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _shown(value: Any) -> str:
    return "not set" if value is None else encode(value).decode()


def _problem(file: RenderedFile, message: str, hint: str, pool: str, field: str) -> Problem:
    fact = f"{file.kind} {file.name} {field}".strip()
    place = Place(file.template.file)
    return Problem(place=place, message=message, hint=hint, cluster=file.cluster, pool=pool, fact=fact)
