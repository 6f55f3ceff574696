"""Public cases of the area templates: undefined names are errors, and values are never code."""

import pytest
import yaml

from tests.cases.inventory import files, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"
GIVEN = files(pool("a", 'branch: "535"'), images=(TAG,))
USERS = "templates/{cluster}/gpu-operator/note-{pool}.yaml.j2"
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ pool.name }}\ndata:\n"


def test_d93_a_misspelt_name_in_a_template(repo: CaseRepo) -> None:
    """conbench/conbench#1204."""
    repo.lay(GIVEN)
    assert repo.drivergate("render").code == 0
    before = repo.out()
    said = repo.refused({USERS: HEAD + '  tag: {{ pool.kernal ~ "-" ~ pool.os_tag }}\n'})
    shows(said, f"{USERS}:6", "kernal", "[template/undefined]")
    hides(said, "tag: -")
    assert repo.out() == before


def test_d93_an_unknown_name_at_the_top(repo: CaseRepo) -> None:
    shows(repo.refused({**GIVEN, USERS: HEAD + "  tag: {{ kernal }}\n"}), f"{USERS}:6", "kernal")


def test_d93_the_name_as_it_is_spelt_right() -> None:
    said = outcome({**GIVEN, USERS: HEAD + '  tag: {{ pool.kernels[0] ~ "-" ~ pool.os_tag }}\n'})
    assert said.result is Result.OK
    shows(said.file("note-a.yaml"), 'tag: "5.15.0-118-generic-ubuntu22.04"')


VALUES = ["{{ 7*7 }} {% raw %}", "{# not a comment #}", "one\nkey: x", "'a': \"b\" # c", "<%= x %> ${HOME} !!int 7"]


@pytest.mark.parametrize("value", VALUES)
def test_d94_values_are_never_evaluated(value: str) -> None:
    """nautobot/nautobot PR#3074: by our own template, and by a user's."""
    escaped = value.replace('"', '\\"').replace("\n", "\\n")
    one = pool("a", f'branch: "535", spec: {{annotations: {{description: "{escaped}"}}}}', more=f', owner: "{escaped}"')
    said = outcome({**files(one, images=(TAG,)), USERS: HEAD + "  owner: {{ pool.owner }}\n"})
    assert said.result is Result.OK
    assert yaml.safe_load(said.file("nvidiadriver-a.yaml"))["spec"]["annotations"] == {"description": value}
    assert yaml.safe_load(said.file("note-a.yaml"))["data"] == {"owner": value}
    hides(said.file("nvidiadriver-a.yaml") + said.file("note-a.yaml"), "49")


def test_d94_the_text_appears_as_it_is() -> None:
    one = pool("a", 'branch: "535", spec: {annotations: {description: "{{ 7*7 }} {% raw %}"}}')
    shows(outcome(files(one, images=(TAG,))).shown, 'description: "{{ 7*7 }} {% raw %}"')
