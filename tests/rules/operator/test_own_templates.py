"""Driver objects of users' templates: judged field by field against what their pools need, as they are rendered."""

import pytest

from generator.finding import Finding
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from tests.testing.inventories import POOL, cluster, files
from tests.testing.judging import revision_of

DIFFERS, OVERLAP = "operator/object-differs", "operator/selector-overlap"
OURS = "templates/{cluster}/gpu-operator/nvidiadriver-{pool}.yaml.j2"
EXTRA = "templates/{cluster}/gpu-operator/more.yaml.j2"
PER_POOL = "templates/{cluster}/gpu-operator/more-{pool}.yaml.j2"
POLICY = "templates/{cluster}/gpu-operator/clusterpolicy.yaml.j2"
B = POOL.replace("pool: a", "pool: b")
HEAD = "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata:\n"
METADATA = "  name: {{ name }}\n  annotations:\n    {{ annotations | block(4) }}\n"
# What tests/testing/inventories.py declares of pool a, in the fields of an NVIDIADriver (CRD of v26.7.0).
FIELDS = {
    "repository": "nvcr.io/nvidia",
    "image": "driver",
    "version": '"580"',
    "usePrecompiled": "true",
    "default": "false",
    "nodeSelector": "{example.com/pool: a}",
}


def printing(metadata: str = METADATA, **changed: str | None) -> str:
    fields = {**FIELDS, **changed}
    return HEAD + metadata + "spec:\n" + "".join(f"  {key}: {value}\n" for key, value in fields.items() if value)


def told(rule: str, repository: dict[str, str]) -> list[Finding]:
    revision, problems = revision_of(repository)
    assert problems == ()
    assert revision.rendered.findings == ()
    return [BY_ID[rule].finding(problem) for problem in problems_of(BY_ID[rule], revision)]


def differing(text: str) -> list[str]:
    return [one.message.partition(" of ")[0] for one in told(DIFFERS, {**files(), OURS: text})]


def test_what_says_the_same_is_no_difference() -> None:
    assert differing(printing()) == []
    assert differing(printing(default=None)) == []
    assert differing(HEAD + METADATA + "spec:\n  {{ spec | block(2) }}\n") == []


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("repository", "example.com/nvidia", '"example.com/nvidia"'),
        ("image", "vgpu", '"vgpu"'),
        ("image", None, "not set"),
        ("version", '"570"', '"570"'),
        ("usePrecompiled", "false", "false"),
        ("usePrecompiled", None, "not set"),
        ("default", "true", "true"),
        ("nodeSelector", "{example.com/pool: b}", '{"example.com/pool":"b"}'),
        ("nodeSelector", "{}", "{}"),
        ("nodeSelector", None, "not set"),
    ],
)
def test_a_field_that_the_gate_judges_by_the_inventory(field: str, value: str | None, shown: str) -> None:
    (finding,) = told(DIFFERS, {**files(), OURS: printing(**{field: value})})
    where = 'NVIDIADriver "a" in out/one/gpu-operator/nvidiadriver-a.yaml'
    assert finding.message.startswith(f'{field} of {where} is {shown}, and pool "a" declares ')
    assert finding.hint == "declare it in the inventory, or leave the field as {{ spec }} gives it"
    assert (finding.severity, finding.place.file) == ("error", OURS)
    assert (finding.cluster, finding.pool, finding.fact) == ("one", "a", f"NVIDIADriver a {field}")


def test_other_fields_are_the_user_s() -> None:
    more = {"priorityClassName": "high", "rdma": "{enabled: true}", "kernelModuleType": "open", "labels": "{x: y}"}
    assert differing(printing(**more)) == []


def test_a_name_of_its_own_is_told_once() -> None:
    (finding,) = told(DIFFERS, {**files(), OURS: printing(METADATA.replace("{{ name }}", '{{ name ~ "-x" }}'))})
    assert finding.message.endswith('is "a-x", and pool "a" declares "a"')
    assert finding.hint.endswith("{{ name }} gives it")


def test_a_document_without_a_spec() -> None:
    assert differing(HEAD + METADATA) == ["image", "nodeSelector", "repository", "usePrecompiled", "version"]
    assert differing(HEAD + METADATA + "spec: text\n") == [
        "image",
        "nodeSelector",
        "repository",
        "usePrecompiled",
        "version",
    ]


UNPROTECTED = "  name: {{ name }}\n  annotations:\n"
PRUNE = "argocd.argoproj.io/sync-options"
FLUX = "kustomize.toolkit.fluxcd.io/prune"


@pytest.mark.parametrize(
    ("annotations", "lacking"),
    [
        ("", f"Delete=confirm, Prune=confirm, {FLUX}: disabled"),
        (f"    {FLUX}: disabled\n", "Delete=confirm, Prune=confirm"),
        (f"    {PRUNE}: Prune=confirm\n    {FLUX}: disabled\n", "Delete=confirm"),
        (f'    {PRUNE}: "Prune=false, Delete=confirm"\n', f"{FLUX}: disabled"),
    ],
)
def test_prune_protection_has_to_be_printed_where_it_is_on(annotations: str, lacking: str) -> None:
    text = printing(UNPROTECTED + (annotations or "    x: y\n"))
    (finding,) = told(DIFFERS, {**files(), OURS: text})
    assert f'lack {lacking}: pool "a" is protected' in finding.message
    assert told(DIFFERS, {**files(f"{POOL}, protect: false"), OURS: text}) == []


def test_an_object_by_its_name_in_another_template() -> None:
    repository = {**files(), OURS: "", EXTRA: printing("  name: a\n" + METADATA.partition("\n")[2], version='"570"')}
    repository[EXTRA] = repository[EXTRA].replace("    {{ annotations | block(4) }}\n", f"    {FLUX}: disabled\n")
    found = told(DIFFERS, repository)
    assert [one.message.partition(" of ")[0] for one in found] == ["version", "annotations"]
    assert {one.place.file for one in found} == {EXTRA}


def test_a_pool_without_its_object() -> None:
    text = f"{{% if name == 'a' %}}\n{printing()}{{% endif %}}\n"
    (finding,) = told(DIFFERS, {**files(POOL, B), OURS: text})
    said = 'pool "b" of cluster one declares a driver, and the template prints no NVIDIADriver "b"'
    assert (finding.message, finding.place.file, finding.pool) == (said, OURS, "b")
    unmanaged = "nodeSelector: {x: z}, driver: {mode: unmanaged}"
    assert told(DIFFERS, {**files(POOL, unmanaged), OURS: text}) == []


def test_nothing_is_asked_of_our_own_templates() -> None:
    assert told(DIFFERS, files(POOL, B)) == []
    assert told(OVERLAP, files(POOL, B)) == []


CP = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n  driver: "
SAME = '{repository: nvcr.io/nvidia, image: driver, version: "580", usePrecompiled: true}\n'


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (CP + SAME, []),
        (CP + SAME.replace("580", "570"), ["version"]),
        (CP + SAME.replace("{", "{enabled: false, "), ["enabled"]),
        (CP + SAME.replace("{", "{useNvidiaDriverCRD: true, "), ["useNvidiaDriverCRD"]),
        (CP.replace("cluster-policy", "other") + SAME, ["name"]),
        (CP + "{}\n", ["image", "repository", "usePrecompiled", "version"]),
    ],
)
def test_a_cluster_policy(text: str, fields: list[str]) -> None:
    repository = {**files(more="operator: {driverApi: ClusterPolicy}\n"), POLICY: text}
    assert [one.message.partition(" of ")[0] for one in told(DIFFERS, repository)] == fields


def test_a_cluster_policy_beside_nvidiadriver_objects_switches_them_on() -> None:
    found = told(DIFFERS, {**files(), POLICY: CP + SAME})
    assert [one.message.partition(" of ")[0] for one in found] == ["useNvidiaDriverCRD"]
    assert told(DIFFERS, {**files(), POLICY: CP + "{useNvidiaDriverCRD: true}\n"}) == []


def stranger(selector: str = "", name: str = "x") -> str:
    return f'{HEAD}  name: {name}\nspec:\n  driverType: gpu\n  version: "570"\n{selector}'


@pytest.mark.parametrize("selector", ["", "  nodeSelector: {}\n", "  nodeSelector: {example.com/pool: a}\n"])
def test_an_object_that_no_pool_declares_and_that_selects_its_nodes(selector: str) -> None:
    (finding,) = told(OVERLAP, {**files(), EXTRA: stranger(selector)})
    assert (finding.severity, finding.place.file) == ("error", EXTRA)
    assert (finding.cluster, finding.pool) == ("one", "a")
    assert 'NVIDIADriver "x"' in finding.message
    assert 'pool "a"' in finding.message


def test_one_that_nothing_keeps_apart_is_a_warning() -> None:
    (finding,) = told(OVERLAP, {**files(), EXTRA: stranger("  nodeSelector: {example.com/zone: z}\n")})
    assert (finding.severity, finding.place.file) == ("warning", EXTRA)
    assert "example.com/pool=a, example.com/zone=z" in finding.message


def test_one_of_other_nodes_is_the_user_s() -> None:
    assert told(OVERLAP, {**files(POOL, B), EXTRA: stranger("  nodeSelector: {example.com/pool: c}\n")}) == []
    by_policy = files(more="operator: {driverApi: ClusterPolicy}\n")
    assert told(OVERLAP, {**by_policy, EXTRA: stranger()}) == []  # the operator reconciles none


def test_two_of_them_for_one_node() -> None:
    text = stranger("  nodeSelector: {example.com/pool: c}\n", '{{ "x-" ~ name }}')
    found = told(OVERLAP, {**files(POOL, B), PER_POOL: text})
    assert [(one.place.file, one.pool) for one in found] == [(PER_POOL, "")]
    assert 'NVIDIADriver "x-b" also claims nodes of NVIDIADriver "x-a"' in found[0].message


def test_pools_among_themselves_are_told_as_before() -> None:
    repository = files(POOL, POOL)
    alone = told(OVERLAP, repository)
    with_one = told(OVERLAP, {**repository, EXTRA: stranger("  nodeSelector: {example.com/pool: c}\n")})
    assert [one.message for one in alone] == [one.message for one in with_one]
    assert alone[0].place == with_one[0].place


def test_a_second_default() -> None:
    repository = {**files(POOL, "default: true, nodeImage: aws"), EXTRA: stranger("  default: true\n")}
    (finding,) = told("operator/default-conflict", repository)
    assert (finding.message, finding.place.file) == (
        'NVIDIADriver "x" is default: true, and so is pool "b"',
        EXTRA,
    )
    assert told(OVERLAP, repository) == []


def test_a_cluster_s_own_are_judged_by_its_own_pools() -> None:
    two = {**files(), "inventory/two.yaml": cluster(B, name="two")}
    text = stranger("  nodeSelector: {example.com/pool: b}\n")
    assert [one.cluster for one in told(OVERLAP, {**two, EXTRA: text})] == ["two"]
