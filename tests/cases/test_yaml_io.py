"""Public cases of the area yaml-io: bytes in, bytes out, and files that people wrote stay as they are."""

import pytest
import yaml

from tests.cases.inventory import CLUSTER, FLEET, files, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"
GIVEN = files(pool("a", 'branch: "535"'), images=(TAG,))
MARK = b"\xef\xbb\xbf"
QUOTE = "# the team\N{RIGHT SINGLE QUOTATION MARK}s pools\n".encode()
LOCALES = {
    "C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "cp1252": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"},
    "utf-8": {"LC_ALL": "C.UTF-8"},
}


@pytest.mark.parametrize("name", LOCALES)
def test_d90_a_byte_order_mark_in_every_locale(repo: CaseRepo, name: str) -> None:
    """ScrollPrize/villa#1524."""
    marked = {path: MARK + QUOTE + str(text).encode() for path, text in GIVEN.items()}
    repo.lay(marked)
    said = repo.process("render", env=LOCALES[name])
    assert said.code == 0, said.text
    hides(said.text, "UnicodeDecodeError", "Traceback")
    checked = repo.process("check", env=LOCALES[name])
    assert checked.code == 0, checked.text
    plain = outcome(GIVEN).out
    assert {path.removeprefix("out/"): text for path, text in repo.out().items() if "manifest" not in path} == plain
    assert all(not (repo.path / path).read_bytes().startswith(MARK) for path in repo.out())


@pytest.mark.parametrize("name", LOCALES)
def test_d90_what_is_printed_is_utf_8_in_every_locale(repo: CaseRepo, name: str) -> None:
    repo.lay({**GIVEN, CLUSTER: files(pool("a", 'branch: "535"', more=", größe: 1"))[CLUSTER]})
    said = repo.process("check", env=LOCALES[name])
    assert said.code == 2
    shows(said.out, "größe")


@pytest.mark.parametrize("name", LOCALES)
def test_d90_outputs_are_utf_8(repo: CaseRepo, name: str) -> None:
    text = "Zoë\N{RIGHT SINGLE QUOTATION MARK}s"
    repo.lay(files(pool("a", f'branch: "535", spec: {{annotations: {{owner: "{text}"}}}}'), images=(TAG,)))
    assert repo.process("render", env=LOCALES[name]).code == 0
    written = (repo.path / "out/east/gpu-operator/nvidiadriver-a.yaml").read_bytes().decode("utf-8")
    assert yaml.safe_load(written)["spec"]["annotations"]["owner"] == text


def test_d91_a_long_text_stays_on_one_line() -> None:
    """treeverse/dvc#9397; the driver's own annotations are what a pool can describe itself in."""
    words = " ".join(["plain"] * 40)
    one = pool("a", f'branch: "535", spec: {{annotations: {{description: "{words}"}}}}')
    said = outcome(files(one, images=(TAG,)))
    assert said.result is Result.OK
    assert len(words) > 200
    lines = [line for line in said.file("nvidiadriver-a.yaml").splitlines() if "description:" in line]
    assert lines == [f'    description: "{words}"']


HANDWRITTEN = """\
# yaml-language-server: $schema=../../docs/schemas/cluster.json

apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: east   # a comment

x-note: ~
x-base: &base {os: {id: ubuntu, version: '22.04'}, arch: [amd64]}

pools:

    a:
        <<: *base
        nodeSelector: {gpu-pool: a}   # by hand
        kernels: [ 5.15.0-118-generic ]
        driver: {branch: 535, spec: {annotations: {text: "550_90"}}}
"""
VERBS = (
    ("render",),
    ("render", "--diff"),
    ("render", "--check"),
    ("check",),
    ("check", "--format", "json"),
    ("check", "--strict"),
    ("show",),
    ("show", "east/a", "--origin"),
    ("tag", "east/a", "--why"),
)


def test_d92_no_command_touches_what_people_wrote(repo: CaseRepo) -> None:
    """pycontribs/ruyaml#115."""
    repo.lay({**GIVEN, CLUSTER: HANDWRITTEN})
    before = repo.hashes("inventory")
    codes = {}
    for arguments in VERBS:
        codes[arguments] = repo.drivergate(*arguments).code
        assert repo.hashes("inventory") == before, arguments
    assert [arguments for arguments, code in codes.items() if code] == [("check", "--strict")]
    assert set(before) >= {FLEET, CLUSTER}
    shows(repo.out()["out/east/gpu-operator/nvidiadriver-a.yaml"], 'text: "550_90"')
