"""Tag lists in pages: distribution-spec, "Listing Tags", and what registries make of it."""

from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError
from generator.edges.registry import paging as registry_paging
from generator.edges.registry.client import Absent, Missing
from tests.testing.registry.faults import Asked, FaultServer, Reply, Script, as_json, error
from tests.testing.registry.sessions import session

TAGS = [f"580-6.8.0-{abi}-generic-ubuntu24.04" for abi in range(100, 350)]


def listed(home: Path, script: Script) -> tuple[list[str], FaultServer]:
    with FaultServer(script) as server, session(home) as registries:
        found = registries.repository(f"{server.address}/nvidia/driver").tags()
        assert not isinstance(found, Missing)
        return list(found), server


def refused(home: Path, script: Script) -> str:
    with FaultServer(script) as server, session(home) as registries:
        with pytest.raises(CouldNotLookError) as caught:
            list(registries.repository(f"{server.address}/nvidia/driver").tags())
        assert caught.value.exit_code == 3
        assert caught.value.hint
        assert server.address in str(caught.value)
        return str(caught.value)


def paged(form: str, size: int = 100) -> Script:
    """Pages of `size`, the next one named as `form` says; {base} and {last} are filled in."""

    def script(asked: Asked) -> Reply:
        last = asked.query.get("last", [""])[0]
        rest = [tag for tag in TAGS if tag > last]
        page = rest[:size]
        headers = {}
        if len(rest) > size and form:
            base = asked.headers["host"]
            headers["Link"] = form.format(base=base, last=page[-1], path=asked.path)
        return as_json({"name": "nvidia/driver", "tags": page}, **headers)

    return script


@pytest.mark.parametrize(
    "form",
    [
        '<{path}?n=100&last={last}>; rel="next"',
        '<http://{base}{path}?n=100&last={last}>; rel="next"',
        # Registries behind a proxy that ends TLS name themselves with another scheme, or without the port.
        '<https://127.0.0.1{path}?n=100&last={last}>; rel="next"',
        "<list?last={last}>;rel=next",
        "<?last={last}>; REL=next",
        '<{path}?n=1>; rel="first", <{path}?last={last}>; title="a, b"; rel="next last"',
    ],
)
def test_the_next_page_is_where_the_link_says(tmp_path: Path, form: str) -> None:
    tags, _ = listed(tmp_path, paged(form))
    assert tags == TAGS


def test_a_list_cut_without_a_link_is_asked_for_its_rest(tmp_path: Path) -> None:
    tags, server = listed(tmp_path, paged(""))
    assert tags == TAGS
    assert len(server.paths()) == 4  # three pages, and the one that holds nothing


@pytest.mark.parametrize("further", [as_json({"tags": TAGS}), error(400, "PAGINATION_NUMBER_INVALID"), error(404, "X")])
def test_a_registry_that_knows_no_pages_is_asked_once_more(tmp_path: Path, further: Reply) -> None:
    tags, server = listed(tmp_path, lambda asked: further if "last" in asked.query else as_json({"tags": TAGS}))
    assert tags == TAGS
    assert len(server.paths()) == 2


@pytest.mark.parametrize("empty", [{"tags": None}, {"tags": []}, {"name": "nvidia/driver"}])
def test_a_repository_without_tags(tmp_path: Path, empty: dict[str, object]) -> None:
    tags, _ = listed(tmp_path, lambda asked: as_json(empty))
    assert tags == []


def test_a_tag_on_two_pages_is_told_once(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        if "last" in asked.query:
            return as_json({"tags": TAGS[90:]})
        return as_json({"tags": TAGS[:100]}, Link="<?last=x>; rel=next")

    tags, _ = listed(tmp_path, script)
    assert tags == TAGS


def test_an_empty_page_may_lie_between(tmp_path: Path) -> None:
    pages = {"": (TAGS[:9], "a"), "a": ([], "b"), "b": (TAGS[9:], "")}

    def script(asked: Asked) -> Reply:
        tags, following = pages.get(asked.query.get("last", [""])[0], ([], ""))
        return as_json({"tags": tags}, **({"Link": f"<?last={following}>; rel=next"} if following else {}))

    tags, _ = listed(tmp_path, script)
    assert tags == TAGS


def test_a_missing_repository_is_no_trouble(tmp_path: Path) -> None:
    with FaultServer(lambda asked: error(404, "NAME_UNKNOWN")) as server, session(tmp_path) as registries:
        assert registries.repository(f"{server.address}/no/such").tags() == Missing(Absent.REPOSITORY)


def endless(asked: Asked) -> Reply:
    """Another link each time, to the same page."""
    number = int(asked.query.get("page", ["0"])[0])
    return as_json({"tags": TAGS}, Link=f"<?page={number + 1}>; rel=next")


def endlessly_empty(asked: Asked) -> Reply:
    number = int(asked.query.get("page", ["0"])[0])
    return as_json({"tags": []}, Link=f"<?page={number + 1}>; rel=next")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (lambda asked: as_json({"tags": TAGS}, Link="<?n=1000>; rel=next"), "pages without an end"),
        (endless, "a page without a new tag"),
        (endlessly_empty, "pages without an end"),
        (lambda asked: as_json({"tags": TAGS}, Link="<http://127.0.0.2/v2/>; rel=next"), "a next page on another host"),
        (lambda asked: as_json({"tags": TAGS}, Link="<http://127.0.0.1:1/>; rel=next"), "a next page on another host"),
        (lambda asked: as_json({"tags": TAGS}, Link="<//a@127.0.0.1/>; rel=next"), "a next page on another host"),
        (lambda asked: as_json({"tags": TAGS}, Link="<http://[/>; rel=next"), "a next page that is no URL"),
        (lambda asked: Reply(200, b'{"name": "nvidia/driver", "tags": ["580-6.8'), "a tag list that is cut off"),
        (lambda asked: Reply(200, b"<html>"), "a tag list that is cut off or none at all"),
        (lambda asked: as_json(["a"]), "none at all"),
        (lambda asked: as_json({"tags": [1]}), "none at all"),
        (lambda asked: as_json({"tags": ["a", 'b"\n  - {tag: "c']}), "a text that is no tag"),
        (lambda asked: as_json({"tags": ["a" * 129]}), "a text that is no tag"),
    ],
)
def test_a_list_that_can_not_be_followed_is_told(tmp_path: Path, script: Script, why: str) -> None:
    assert why in refused(tmp_path, script)


def test_a_page_in_the_middle_that_fails_gives_no_shorter_list(tmp_path: Path) -> None:
    whole = paged('<{path}?last={last}>; rel="next"')
    said = refused(tmp_path, lambda asked: error(503, "UNAVAILABLE") if "last" in asked.query else whole(asked))
    assert "503 (UNAVAILABLE)" in said


@pytest.mark.parametrize(
    "header", ["", "<", "<a", "<a>", "<a>; rel=prev", "next", '<a>; rel="next', ";" * 50_000, "<a>" * 9999]
)
def test_headers_without_a_next_page(header: str) -> None:
    assert registry_paging.following("http://127.0.0.1/v2/a/tags/list", header) in {
        None,
        "http://127.0.0.1/v2/a/tags/a",
    }
