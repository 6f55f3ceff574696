"""Where a finding's place leads a reviewer."""

from generator.finding import Place
from generator.report.reported import below
from tests.testing.reports import finding


def test_places_are_relative_to_git_s_top_folder() -> None:
    (one,) = below("gpu/", [finding(3)])
    assert one.place == Place("gpu/inventory/a.yaml", 3, 2)
    assert below("", [finding(3)]) == (finding(3),)


def test_a_document_of_another_repository_stands_at_its_pin() -> None:
    """Reviewers' tools drop what names a file that the repository hasn't."""
    theirs = finding(3, place=Place("inventory/@kernels/node-images/a.yaml", 12, 5))
    for prefix in ("", "gpu/"):
        (one,) = below(prefix, [theirs])
        assert one.place == Place(f"{prefix}.drivergate-sources.lock")
        assert one.message == "inventory/@kernels/node-images/a.yaml:12:5: message 3"
    own = finding(3, place=Place("inventory/@note.yaml", 1, 1))
    assert below("", [own]) == (own,)
