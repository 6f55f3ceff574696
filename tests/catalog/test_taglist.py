"""Lists of tags as tools print them. The forms: crane, skopeo, regctl and oras documentation, docker image ls."""

import json

import pytest

from generator.catalog.taglist import Named, TagList, Unread, name, read

DRIVER = "nvcr.io/nvidia/driver"
ONE, TWO = "580-6.8.0-1050-aws-ubuntu24.04", "580.126.20-ubuntu24.04"
DIGEST = "sha256:" + "a" * 64


def names(text: str) -> list[tuple[str, str, str]]:
    found = read(text.encode())
    assert found.unread == ()
    return [(one.repository, one.tag, one.digest) for one in found.named]


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{TWO}\n",  # crane ls, regctl tag ls, oras repo tags
        f"\ufeff{ONE}\r\n{TWO}\r\n",
        f"# of the staging registry\n\n  {ONE}\n{TWO}",
        json.dumps({"name": "nvidia/driver", "tags": [ONE, TWO]}),  # GET /v2/nvidia/driver/tags/list
        json.dumps({"tags": [ONE, TWO]}, indent=2),  # oras repo tags --format json
        json.dumps([ONE, TWO]),
    ],
)
def test_tags_alone(text: str) -> None:
    assert names(text) == [("", ONE, ""), ("", TWO, "")]


TABLE = f"""\
REPOSITORY              TAG                              IMAGE ID       CREATED       SIZE
{DRIVER}   {ONE}   1a2b3c4d5e6f   2 weeks ago   1.2GB
{DRIVER}   {TWO}           1a2b3c4d5e60   2 weeks ago   1.2GB
{DRIVER}   <none>                           1a2b3c4d5e61   3 weeks ago   1.2GB
ubuntu                  24.04                            1a2b3c4d5e62   3 weeks ago   80MB
"""
TABLE_OF_29 = f"""\
IMAGE                                                  ID             DISK USAGE   CONTENT SIZE   EXTRA
{DRIVER}:{ONE}   1a2b3c4d5e6f       1.2GB          500MB
{DRIVER}:{TWO}           1a2b3c4d5e60       1.2GB          500MB   U
"""


@pytest.mark.parametrize(
    "text",
    [
        f"{DRIVER}:{ONE}\n{DRIVER}:{TWO}\n",  # crane ls --full-ref
        f"docker://{DRIVER}:{ONE}\ndocker://{DRIVER}:{TWO}\n",  # what skopeo inspect and copy are given
        json.dumps({"Repository": f"docker://{DRIVER}", "Tags": [ONE, TWO]}),
        json.dumps({"Repository": DRIVER, "Tags": [ONE, TWO]}, indent=4),  # skopeo list-tags
        TABLE,
        TABLE_OF_29,
        "\n".join(json.dumps({"Repository": DRIVER, "Tag": tag, "Digest": "<none>"}) for tag in (ONE, TWO)),
    ],
)
def test_whole_references(text: str) -> None:
    assert names(text) == [(DRIVER, ONE, ""), (DRIVER, TWO, "")]


def test_digests() -> None:
    assert names(f"{ONE}@{DIGEST}\n{DRIVER}:{TWO}@{DIGEST}") == [("", ONE, DIGEST), (DRIVER, TWO, DIGEST)]
    table = f"REPOSITORY   TAG   DIGEST   IMAGE ID\n{DRIVER}   {ONE}   {DIGEST}   1a2b"
    assert names(table) == [(DRIVER, ONE, DIGEST)]


def test_an_empty_repository() -> None:
    assert read(b'{"name": "nvidia/driver", "tags": null}') == read(b"") == TagList(())


def test_lines_that_name_nothing_are_told_by_number() -> None:
    found = read(f"Listing tags for {DRIVER}\n\n{ONE}\n{DRIVER}@{DIGEST}\n".encode())
    assert found.named == (Named(ONE, line=3),)
    assert found.unread == (
        Unread(1, f'"Listing tags for {DRIVER}" is neither a tag nor REPOSITORY:TAG'),
        Unread(4, f'"{DRIVER}@{DIGEST}" names no tag'),
    )


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"580\n\xff\n", 2, "the list is not UTF-8: byte 0xff"),
        (b'{"errors": [{"code": "UNAUTHORIZED"}]}', 1, "the JSON has no list of tags"),
        (b'{"tags": "580"}', 1, "the JSON's tags are no list"),
        (b'{"tags": [', 1, "no JSON: Input data was truncated"),
        (b'{"Tag": "a", "Repository": "x.io/a"}\n{"Tag"', 2, "no JSON: "),
        (b"[1]", 1, "1 is no text"),
    ],
)
def test_what_is_no_list(data: bytes, line: int, reason: str) -> None:
    (found,) = read(data).unread
    assert found.line == line
    assert found.reason.startswith(reason)


def test_a_local_registry_has_a_port() -> None:
    assert name(f"localhost:5000/driver:{ONE}") == Named(ONE, "localhost:5000/driver")
