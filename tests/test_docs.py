"""What README and docs/ show is what a reader gets: their console blocks are run as they stand."""

import re
from pathlib import Path

import pytest

from tests.testing.docs import ROOT, as_run, blocks, commands, pages
from tests.testing.gitrepo import isolate

TASKS = ("roll-a-kernel", "add-a-pool", "mirror-images", "override-a-template")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_the_commands_of_a_page_print_what_it_shows(page: Path) -> None:
    """Mended with: python -m tests.testing.docs."""
    text = page.read_text(encoding="utf-8")
    assert as_run(text) == text


@pytest.mark.parametrize("task", TASKS)
def test_a_page_for_each_task_has_commands_with_output(task: str) -> None:
    text = (ROOT / "docs" / f"{task}.md").read_text(encoding="utf-8")
    found = blocks(text)
    assert sum(len(commands(block["body"])) for block in found) >= 3
    assert any("drivergate check" in block["body"] and " errors, " in block["body"] for block in found)


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_output_that_is_not_the_commands_own_is_replaced() -> None:
    text = "```console\n$ echo one; (exit 3)\ntwo\n$ echo $?\n$ cat <<EOF\n> a\n> b\n> EOF\n```\n"
    assert (
        as_run(text) == "```console\n$ echo one; (exit 3)\none\n$ echo $?\n3\n$ cat <<EOF\n> a\n> b\n> EOF\na\nb\n```\n"
    )


def test_output_with_fences_of_its_own_stands_in_a_longer_one() -> None:
    text = "````console\n$ printf '```sh\\nls\\n```\\n'\n````\n\n```sh\nls\n```\n"
    assert as_run(text) == "````console\n$ printf '```sh\\nls\\n```\\n'\n```sh\nls\n```\n````\n\n```sh\nls\n```\n"
    assert as_run(as_run(text)) == as_run(text)
