"""Sources of a Fleet document against the lock file, and what git may never be given."""

import pytest

from generator.declared.build import sources_of
from generator.declared.fleet import Source
from generator.declared.sources import Pinned, lock_text, problems, read_lock
from generator.finding import Severity
from generator.layout import SOURCES_LOCK
from tests.testing.inventories import FLEET, files
from tests.testing.judging import findings, revision_of

URL = "https://git.example.com/platform/kernels.git"
COMMIT = "1a2b3c4d" * 5
PINNED = Pinned(url=URL, ref="main", path="inventory", commit=COMMIT)


def repository(said: str, lock: str | None) -> dict[str, str]:
    made = files(fleet=f"{FLEET}sources:\n  kernels: {said}\n")
    return made if lock is None else {**made, SOURCES_LOCK: lock}


def told(said: str, lock: str | None = lock_text({"kernels": PINNED})) -> list[tuple[str, str]]:
    found = [one for one in findings(repository(said, lock)) if one.rule == "inventory/source"]
    assert all(one.severity is Severity.INVALID for one in found)
    return [(str(one.place), one.message) for one in found]


def test_what_is_pinned_as_declared_is_sound() -> None:
    assert told(f"{{url: {URL}, ref: main}}") == []
    context, _ = revision_of(repository(f"{{url: {URL}, ref: main, path: a//b/}}", None))
    assert context.fleet.sources == (Source(name="kernels", url=URL, ref="main", path="a/b"),)


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/a", "https://git.example.com:8443/a/b.git", "ssh://git@git.example.com:22/a.git",
        "git@git.example.com:a/b.git", "http://localhost:3000/a", "http://127.0.0.1/a", "file:///srv/git/a.git",
    ],
)  # fmt: skip
def test_urls_that_git_may_be_given(url: str) -> None:
    assert (
        told(
            f'{{url: "{url}", ref: main}}',
            lock_text({"kernels": Pinned(url=url, ref="main", path="inventory", commit=COMMIT)}),
        )
        == []
    )


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% x", "ext::x", "fd::7", "file://server/a", "../a", "/srv/git/a", "git://git.example.com/a",
        "http://git.example.com/a", "-x@git.example.com:a", "ssh://-oProxyCommand=x/a", "git@-oProxyCommand=x:a",
        "--upload-pack=x", "https://git.example.com/a b", "https://git.example.com/a?token=x", "https:///a",
        "https://git.example.com", "git@git.example.com:-x", "https://git.example.com/a\\nb", "transport::address",
    ],
)  # fmt: skip
def test_urls_that_git_is_never_given(url: str) -> None:
    found = dict(told(f'{{url: "{url}", ref: main}}', None))
    assert found["inventory/fleet.yaml:8:18"] == "the url of a source is none that git may be given"


@pytest.mark.parametrize(
    "url", ["https://user:pa55@git.example.com/a", "https://to-ken@git.example.com/a", "ssh://a:b@h/c"]
)
def test_credentials_are_refused_and_not_repeated(url: str) -> None:
    found = told(f'{{url: "{url}", ref: main}}', None)
    assert "the url of a source holds credentials" in dict(found).values()
    assert not [message for _, message in found if "pa55" in message or "to-ken" in message]


@pytest.mark.parametrize(
    "ref", ["-x", "a..b", "a b", "a:b", "refs/heads/", "^a", "a~1", "x.lock", "a@{1}", "a\\\\b", "*"]
)
def test_refs_that_are_none(ref: str) -> None:
    assert "is no branch, tag or commit" in str(told(f'{{url: {URL}, ref: "{ref}"}}', None))


@pytest.mark.parametrize("path", ["../a", "a/../b", ".", "./a", "a\\tb"])
def test_paths_that_lead_out(path: str) -> None:
    assert "is no path inside its repository" in str(told(f'{{url: {URL}, ref: main, path: "{path}"}}', None))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (f"{{url: {URL}, ref: v2}}", f'the source kernels has ref "v2", and {SOURCES_LOCK} pins one with ref "main"'),
        (
            f"{{url: {URL}x, ref: main}}",
            f'the source kernels has url "{URL}x", and {SOURCES_LOCK} pins one with url "{URL}"',
        ),
        (
            f"{{url: {URL}, ref: main, path: b}}",
            f'the source kernels has path "b", and {SOURCES_LOCK} pins one with path "inventory"',
        ),
    ],
)  # fmt: skip
def test_a_change_of_what_is_asked_for_needs_a_new_pin(said: str, message: str) -> None:
    assert [found for _, found in told(said)] == [message]


def test_unpinned_and_pinned_for_nobody() -> None:
    assert told(f"{{url: {URL}, ref: main}}", None) == [
        ("inventory/fleet.yaml:8:3", f"the source kernels is pinned to no commit in {SOURCES_LOCK}")
    ]
    lock = lock_text({"kernels": PINNED, "others": PINNED})
    assert told(f"{{url: {URL}, ref: main}}", lock) == [
        (f"{SOURCES_LOCK}:1:1", f"{SOURCES_LOCK} pins the source others, and the Fleet document has none of that name")
    ]


@pytest.mark.parametrize("name", ["../x", "A", "a/b", ".x", "x" * 64])
def test_names_that_lead_out(name: str) -> None:
    source = Source(name=name, url=URL, ref="main", path="inventory")
    context, _ = revision_of(files())
    found = [one.message for one in problems((source,), "inventory/fleet.yaml", context.fleet.texts, None)]
    assert found[0] == f'a source can\'t be named "{name}"'
    assert isinstance(read_lock(lock_text({name: PINNED}).encode()), str)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "sources:\n", '{"sources": {"a": {}}}',
        lock_text({"a": PINNED}).replace(COMMIT, "main"),
        lock_text({"a": PINNED}).replace(COMMIT, COMMIT.upper()),
        lock_text({"a": PINNED}).replace(URL, "ext::sh"),
        lock_text({"a": PINNED}).replace("inventory", "../x"),
        lock_text({"a": PINNED}).replace("main", "--upload-pack=x"),
        lock_text({"a": PINNED}).replace('"sources"', '"more": 1, "sources"'),
    ],
)  # fmt: skip
def test_what_is_no_lock_file(text: str) -> None:
    assert isinstance(read_lock(text.encode()), str)
    assert "the lock file of sources can't be read: " in str(told(f"{{url: {URL}, ref: main}}", text))


def test_a_lock_file_is_sorted_and_read_as_it_was_written() -> None:
    text = lock_text({"b": PINNED, "a": PINNED})
    assert text.index('"a"') < text.index('"b"')
    lock = read_lock(text.encode())
    assert not isinstance(lock, str)
    assert lock.sources == {"a": PINNED, "b": PINNED}


def test_no_sources_need_no_lock_file() -> None:
    assert sources_of({}) == ()
    assert findings(files()) == ()
