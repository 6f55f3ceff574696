"""Addresses of a rule's documentation."""

import pytest

from generator.report.docs import docs_url


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b/blob/1f/docs/rules/image.md#imagemissing-platform"),
        ("https://gitlab.example.com/a/b/c", "https://gitlab.example.com/a/b/c/-/blob/1f/docs/rules/image.md#imagemissing-platform"),
        ("https://git.example.com/a", ""),
        ("ssh://git@github.com/a/b", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_an_address_is_made_where_its_form_is_known(repository: str, expected: str) -> None:
    assert docs_url(repository, "1f", "image/missing-platform") == expected


def test_no_revision_no_address() -> None:
    assert docs_url("https://github.com/a/b", "", "image/missing") == ""
