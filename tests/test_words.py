"""How numbers, lists and commands are put on one line."""

import shlex

import pytest

from generator.words import and_more, counted, dots, plus, shell_quoted, shortened


def test_nouns_are_counted() -> None:
    assert [counted(number, "pool") for number in (0, 1, 2)] == ["0 pools", "1 pool", "2 pools"]
    assert counted(1200, "pool", grouped=True) == "1,200 pools"


@pytest.mark.parametrize(
    ("total", "plain", "of_pools", "aside"),
    [
        (2, "", "", ""),
        (3, " and 1 more", " and 1 more pool", " (and 1 more)"),
        (5, " and 3 more", " and 3 more pools", " (and 3 more)"),
    ],
)
def test_what_follows_the_first_two_of_a_list(total: int, plain: str, of_pools: str, aside: str) -> None:
    assert and_more(total, 2) == plain
    assert and_more(total, 2, "pool") == of_pools
    assert and_more(total, 2, aside=True) == aside


def test_a_list_is_shortened() -> None:
    names = ["a", "b", "c", "d"]
    assert shortened(names, 4) == "a, b, c, d"
    assert shortened(names, 2) == "a, b and 2 more"
    assert shortened(names, 2, plus) == "a, b +2"
    assert shortened(names, 2, dots) == "a, b, …"


@pytest.mark.parametrize("word", ["plain", "two words", "$(rm)", "it's", "`ls`", "a;b", ""])
def test_a_shell_reads_each_word_of_a_command_back(word: str) -> None:
    assert shlex.split(shell_quoted("kubectl", word, "--all")) == ["kubectl", word, "--all"]
