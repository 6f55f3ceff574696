"""What README says beside its commands, which test_docs.py runs."""

import re
import shutil
from pathlib import Path

import pytest

from tests.testing.command import process
from tests.testing.gitrepo import Repo, isolate

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def steps(block: str) -> list[tuple[str, str]]:
    """(command, output) of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_make_knows_every_target_that_readme_names() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for block in BLOCKS:
        for command, _ in steps(block):
            if command.startswith("make "):
                assert re.search(rf"^{command.removeprefix('make ')}:", makefile, flags=re.MULTILINE), command


def test_the_inventory_of_the_readme_passes_the_gate() -> None:
    """The three YAML blocks of "In your own repository" are files by their first line."""
    from tests.testing.judging import findings

    files = dict(re.findall(r"^```yaml\n# (inventory/\S+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL))
    assert len(files) == 3
    assert findings(files) == ()


def comment(folder: Path) -> str:
    """What `diff` comments on README's change of the sample fleet, without its hidden marker."""
    for name in ("inventory", "bases", "out"):
        shutil.copytree(ROOT / name, folder / name)
    repo = Repo(folder)
    repo.commit()
    changed = folder / "inventory/clusters/onprem-muc.yaml"
    line = "    upcomingKernels: [5.15.0-177-generic]\n"
    text = changed.read_text(encoding="utf-8")
    assert text.count(line) == 1
    changed.write_text(text.replace(line, f'{line}    driver: {{branch: "595"}}\n'), encoding="utf-8")
    said = process("diff", "HEAD", "--format", "markdown", "-C", str(folder))
    assert (said.code, said.err) == (0, "")
    marker, _, body = said.out.partition("\n")
    assert marker.startswith("<!-- ")
    return body.strip("\n")


def test_the_comment_in_readme_is_what_diff_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in comment(tmp_path / "fleet").splitlines())
    assert quoted in README
