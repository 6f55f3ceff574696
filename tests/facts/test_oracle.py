"""Every answer of the real operator that the shared folder holds, and our own excerpt of each file."""

import pytest

from tests.facts import answers
from tests.testing.shared import mismatches, oracle, own

# Every input of these files can be asked of our functions: none is left out.
# File, our answer, least number of cases in the shared file, and in our excerpt.
FILES = [
    ("os_tags", answers.os_tag, 1500, 40),
    ("image_refs", answers.image_ref, 2000, 40),
    ("names", answers.name, 350, 40),
    ("node_pools", answers.pools, 400, 35),
    ("selector_conflicts", answers.selectors, 300, 35),
]


@pytest.mark.parametrize(("name", "answer", "least", "_excerpt"), FILES)
def test_all_answers_of_the_operator(name, answer, least, _excerpt):
    cases = oracle(name)
    assert len(cases) >= least
    assert mismatches(cases, answer) == []


@pytest.mark.parametrize(("name", "answer", "_least", "excerpt"), FILES)
def test_our_excerpt_of_the_answers(name, answer, _least, excerpt):
    cases = own(name)
    assert len(cases) >= excerpt
    assert mismatches(cases, answer) == []


@pytest.mark.parametrize("name", [name for name, *_ in FILES])
def test_the_excerpt_is_verbatim(name):
    cases = {case["id"]: case for case in oracle(name)}
    assert all(cases.get(case["id"]) == case for case in own(name))


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        (
            "image_refs",
            {
                "incomplete_spec",
                "empty_image",
                "digest_with_precompiled",
                "unparseable_ref",
                "node_skipped",
                "os_version_parse",
                "os_label_missing",
                "kernel_label_missing",
            },
        ),
        ("os_tags", {"os_version_parse"}),
        ("names", {"os_mismatch_same_kernel", "kernel_label_missing"}),
        ("node_pools", {"os_version_parse"}),
    ],
)
def test_the_excerpt_holds_every_error_class(name, classes):
    assert {case["error"] for case in own(name) if "error" in case} == classes
