"""Documents that are not what their schema wants: each mistake told once, where it stands, with what to do."""

import pytest

from generator.finding import Place, Severity
from tests.testing.inventories import (
    CLUSTER_FILE,
    FLEET,
    FLEET_FILE,
    IMAGE,
    IMAGE_FILE,
    POOL,
    files,
    only,
    serious,
    told,
)

PLAIN_DEFAULTS = '  driver: {repository: nvcr.io/nvidia/driver, branch: "580"}\n'


def defaults(driver: str) -> str:
    return FLEET.replace(PLAIN_DEFAULTS, f"  driver: {driver}\n")


def test_the_small_inventory_is_clean() -> None:
    assert told(files()) == []


@pytest.mark.parametrize(
    ("pool", "column", "message", "hint"),
    [
        ("nodeimage: aws", 7, 'unknown key "nodeimage" in pools.a', 'did you mean "nodeImage"?'),
        ("driver: {brnch: x}", 16, 'unknown key "brnch" in pools.a.driver', 'did you mean "branch"?'),
        (
            "driver: {upgradePolicy: {drian: {}}}",
            32,
            'unknown key "drian" in pools.a.driver.upgradePolicy',
            'did you mean "drain"?',
        ),
        (
            "driver: {upgradePolicy: {drain: {enabel: true}}}",
            40,
            'unknown key "enabel" in pools.a.driver.upgradePolicy.drain',
            'did you mean "enable"?',
        ),
        ("nodes: {mn: 1, min: 1, max: 2}", 15, 'unknown key "mn" in pools.a.nodes', 'did you mean "min"?'),
        (
            "gpu: {familly: ampere, family: ampere}",
            13,
            'unknown key "familly" in pools.a.gpu',
            'did you mean "family"?',
        ),
    ],
)
def test_an_unknown_key_is_told_at_every_depth(pool: str, column: int, message: str, hint: str | None) -> None:
    finding = only(files(pool))
    assert finding.rule == "inventory/schema"
    assert finding.severity is Severity.INVALID
    assert finding.message.startswith(message)
    assert finding.place.file == CLUSTER_FILE
    assert finding.place.line == 5
    if hint is not None:
        assert finding.place.column == column
        assert finding.hint == hint


@pytest.mark.parametrize("key", ["protect", "delivery"])
def test_inherited_settings_are_unknown_outside_of_the_fleets_levels(key: str) -> None:
    finding = only(files(fleet=f"{FLEET}{key}: {{}}\n"))
    assert (finding.place, finding.message) == (Place(FLEET_FILE, 7, 1), f'unknown key "{key}"')


@pytest.mark.parametrize(
    ("written", "quoted"), [("550.90", '"550.90"'), ("0535", '"0535"'), ("on", '"on"'), ("0x1f", '"0x1f"')]
)
def test_what_readers_disagree_about_is_refused_where_text_is_meant(written: str, quoted: str) -> None:
    finding = only(files(fleet=defaults(f"{{repository: nvcr.io/nvidia/driver, version: {written}}}")))
    assert (finding.rule, finding.place) == ("inventory/quoting", Place(FLEET_FILE, 6, 56))
    assert written in finding.message
    assert finding.hint == f"add quotes: {quoted}"


@pytest.mark.parametrize(("written", "text"), [("6.10", "kernels"), ("22.10", "os")])
def test_a_number_with_a_lost_zero_is_refused(written: str, text: str) -> None:
    image = IMAGE.replace('"22.04"', written) if text == "os" else IMAGE.replace("5.15.0-1111-aws", written)
    assert only(files(image=image)).rule == "inventory/quoting"


def test_a_whole_number_is_text_where_text_is_meant() -> None:
    assert told(files(fleet=defaults("{repository: nvcr.io/nvidia/driver, branch: 580}"))) == []


@pytest.mark.parametrize("null", ["~", "null", "Null", "NULL", ""])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("driver: {branch: ", "}"),
        ("driver: ", ""),
        ("nodes: ", ""),
        ("driver: {upgradePolicy: {drain: {enable: ", "}}}"),
        ("driver: {upgradePolicy: {maxUnavailable: ", "}}"),
        ("driver: {spec: {rdma: {enabled: ", "}}}"),
        ("driver: {spec: {priorityClassName: ", "}}"),
        ("nodeSelector: {x: ", "}"),
        ("hold: {reason: x, until: ", "}"),
    ],
)
def test_null_is_refused_everywhere(before: str, after: str, null: str) -> None:
    finding = only(files(f"nodeImage: aws, {before}{null}{after}"))
    assert finding.severity is Severity.INVALID
    assert "is empty" in finding.message
    assert finding.hint == "give a value or leave the key out"
    assert finding.place.line == 5


@pytest.mark.parametrize("written", ["2026-06-30", '"2026-06-30"', "2028-02-29", "0001-01-01", "9999-12-31"])
def test_a_day_is_one_with_and_without_quotes(written: str) -> None:
    assert told(files(f"nodeImage: aws, hold: {{reason: x, until: {written}}}")) == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-02-30", "2026-02-30"),
        ("2026-6-30", "2026-6-30"),
        ('"20260630"', "20260630"),
        ("20260630", "20260630"),
        ("2026-W26-2", "2026-W26-2"),
        ("2026-06-30T00:00:00Z", "2026-06-30T00:00:00Z"),
        ("0000-01-01", "0000-01-01"),
        ("tomorrow", "tomorrow"),
        ("12.5", "12.5"),
    ],
)
def test_what_names_no_day_is_refused_at_its_place(written: str, shown: str) -> None:
    finding = only(files(f"nodeImage: aws, hold: {{reason: x, until: {written}}}"))
    assert (finding.rule, finding.severity, finding.place) == (
        "inventory/schema",
        Severity.INVALID,
        Place(CLUSTER_FILE, 5, 48),
    )
    assert finding.message == f'pools.a.hold.until is "{shown}", a day such as 2026-12-31 is wanted'
    assert finding.hint == "write a day such as 2026-12-31"


@pytest.mark.parametrize("written", ["[2026-06-30]", "{a: b}", "''"])
def test_a_day_is_no_list_and_not_empty(written: str) -> None:
    assert only(files(f"nodeImage: aws, hold: {{reason: x, until: {written}}}")).rule == "inventory/schema"


def test_null_is_refused_in_a_list() -> None:
    assert only(files("nodeImage: aws, taints: [~]")).message == 'pools.a.taints.0 is empty (written "~")'
    assert only(files("nodeImage: aws, driver: {spec: {args: [a, null]}}")).place == Place(CLUSTER_FILE, 5, 49)


def test_all_problems_of_all_files_are_told_in_one_run() -> None:
    repository = files(
        "nodes: many, nodeImage: aws, owner: on",
        fleet=FLEET.replace("name: small", "nmae: small"),
        image=IMAGE.replace("[amd64]", "[amd]").replace("ubuntu", "1.10"),
    )
    assert told(repository) == [
        f"inventory/quoting {IMAGE_FILE}:4:10",
        f"inventory/schema {IMAGE_FILE}:5:8",
        f"inventory/schema {FLEET_FILE}:1:1",
        f"inventory/schema {FLEET_FILE}:3:1",
        f"inventory/schema {CLUSTER_FILE}:5:14",
        f"inventory/quoting {CLUSTER_FILE}:5:43",
    ]


def test_every_problem_has_a_place_and_a_hint() -> None:
    wrong = "nodes: -1, gpu: [x], arch: [], kernels: a, driver: {mode: fast, upgradePolicy: {maxUnavailable: many}}"
    found = serious(files(wrong))
    assert len(found) == 6
    for finding in found:
        assert finding.place.line == 5
        assert finding.place.column > 1
        assert finding.hint


@pytest.mark.parametrize("name", ['"one\\n"', '".."', '"a/b"', '"-x"', '"."', '""', '"_delivery"', '"é"', "x" * 101])
def test_a_cluster_s_name_is_one_folder(name: str) -> None:
    repository = files()
    repository[CLUSTER_FILE] = repository[CLUSTER_FILE].replace("name: one", f"name: {name}")
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/schema", Place(CLUSTER_FILE, 3, 7))


def test_a_line_end_behind_a_name_is_no_part_of_it() -> None:
    assert told(files(more='operator: {namespace: "gpu\\n"}\n')) == [f"inventory/schema {CLUSTER_FILE}:4:23"]


def test_keys_for_notes_are_free_at_the_top_only() -> None:
    assert told(files(more="x-notes: {anything: ~}\n")) == []
    assert only(files(f"{POOL}, x-notes: 1")).message == 'unknown key "x-notes" in pools.a'


def renamed(name: str) -> str:
    repository = files()
    repository[CLUSTER_FILE] = repository[CLUSTER_FILE].replace("name: one", f"name: {name}")
    return only(repository).message


def test_a_name_that_does_not_fit_is_told_in_words() -> None:
    assert renamed("../../etc") == 'name is "../../etc", which holds more than letters, digits, "-", "_" and "."'
    assert renamed('"-x"') == 'name is "-x", which begins or ends with "-"'
    assert renamed("x_") == 'name is "x_", which begins or ends with "_"'
    (finding,) = serious(files(more="operator: {namespace: Gpu}\n"))
    said = 'operator.namespace is "Gpu", which holds more than lower-case letters, digits and "-"'
    assert (finding.message, finding.hint) == (
        said,
        'write the name of a namespace (lower-case letters, digits and "-")',
    )
    assert len(serious(files(more='operator: {namespace: ""}\n'))) == 1


@pytest.mark.parametrize("key", ["namespace", "clusterPolicyName"])
def test_no_message_holds_a_pattern(key: str) -> None:
    for value in ("A_b", "-a", '"a b"'):
        (finding,) = serious(files(more=f"operator: {{{key}: {value}}}\n"))
        assert "[a-z0-9]" not in finding.message + finding.hint


def test_an_empty_list_says_what_one_of_it_is() -> None:
    finding = only(files(image=IMAGE.replace("[amd64]", "[]")))
    assert (finding.message, finding.hint) == (
        "arch is empty, at least one architecture is wanted",
        "name at least one architecture",
    )


@pytest.mark.parametrize("number", ["99999999999999999999", "-99999999999999999999"])
@pytest.mark.parametrize("key", ["nodes", "driver: {upgradePolicy: {maxUnavailable", "nodes: {max: 1, min"])
def test_a_number_that_64_bits_do_not_hold_is_too_large(key: str, number: str) -> None:
    finding = only(files(f"nodeImage: aws, {key}: {number}{'}' * key.count('{')}"))
    assert finding.message.endswith(f" is {number}, which is too large")
    assert finding.hint == "write a smaller number"


HUGE = "1." + "0" * 100_000


@pytest.mark.parametrize(
    "pool",
    [
        f"nodeImage: aws, owner: {HUGE}",
        f"nodeImage: aws, nodes: {HUGE}",
        f"nodeImage: aws, nodes: {'9' * 100_000}",
        f'nodeImage: aws, driver: {{mode: "{HUGE}"}}',
        f'nodeImage: aws, "{"k" * 1000}": 1',
        f"nodeImage: aws, driver: {{spec: {{priorityClassName: {HUGE}}}}}",
    ],
)
def test_what_is_quoted_is_cut(pool: str) -> None:
    finding = only(files(pool))
    assert "…" in finding.message
    assert len(finding.message) + len(finding.hint) < 1000
