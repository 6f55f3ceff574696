"""What a revision is assembled from, and what it carries."""

from collections.abc import Sequence
from datetime import date

from generator.declared.inventory import ENDINGS
from generator.revision.assemble import Purpose, assemble, is_read, places, unrendered
from generator.revision.declaration import declare
from tests.testing.inventories import FLEET, files
from tests.testing.judging import DAY, bytes_of


def test_the_day_of_a_declaration_is_that_of_its_revision() -> None:
    texts = bytes_of(files())
    assert all(path.endswith(ENDINGS) for path in texts)
    days = (date(2026, 3, 31), date(2031, 1, 1))
    for day in days:
        declaration = declare(texts, day=day)
        assert declaration.day == day
        assert unrendered(declaration).day == day
        assert assemble(declaration, lambda paths: {}, {}).day == day


def test_for_a_comparison_neither_the_fleets_crds_nor_files_of_all_clusters_are_made() -> None:
    delivered = FLEET.replace("defaults:", "crds: [bases/crd.yaml]\ndefaults:") + (
        "  delivery: {argocd: {repoURL: 'https://git.example.com/f.git'}}\n"
    )
    declaration = declare(bytes_of(files(fleet=delivered)), day=DAY)
    assert declaration.findings == ()
    asked: list[str] = []

    def door(paths: Sequence[str]) -> dict[str, bytes]:
        asked.extend(paths)
        return {}

    judged = assemble(declaration, door, {})
    assert asked == ["bases/crd.yaml"]
    assert [finding.rule for finding in judged.findings] == ["inventory/schema"]
    asked.clear()
    compared = assemble(declaration, door, {}, purpose=Purpose.COMPARE)
    assert (asked, compared.findings) == ([], ())
    of_all = {file.path for file in judged.rendered.files} - {file.path for file in compared.rendered.files}
    assert of_all == {"_delivery/argocd/_health/argocd-cm.yaml"}


def test_files_that_the_inventory_names_are_input_too() -> None:
    named = frozenset({"bases/policy.yaml", "../outside.yaml"})
    assert places(named) == ("bases/policy.yaml", "inventory", "templates")
    read = ("inventory/a.yaml", "templates/a.yaml.j2")
    assert all(map(is_read, read))
    assert not any(map(is_read, ("inventory/NOTES.md", "templates/a.yaml")))
