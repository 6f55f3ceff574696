"""What a registry may do wrong. Only its own 404 means missing; all else is told and ends with 3."""

import socket
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from generator.cli.looking import look
from generator.edges.errors import CouldNotLookError, ImageUnreadableError, UnreadableError
from generator.edges.parallel import each
from generator.edges.registry.client import Absent, Missing
from generator.edges.registry.retry import Pace
from generator.edges.registry.transport import Limits
from generator.observed.image import BuiltImage
from tests.testing.registry import debian, images
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, Script, error, of_manifest
from tests.testing.registry.sessions import QUICK, session

TAG = "580-6.8.0-106-generic-ubuntu24.04"
ONE = images.image()
SCHEMA_1 = "application/vnd.docker.distribution.manifest.v1+prettyjws"


def after(times: int, first: Reply, then: Script) -> Script:
    """`first` so many times, then the usual answers."""
    left = [times]

    def script(asked: Asked) -> Reply:
        if asked.path != "/v2/" and left[0] > 0:
            left[0] -= 1
            return first
        return then(asked)

    return script


def seen(home: Path, script: Script, tag: str = TAG, **given) -> BuiltImage | Missing:
    with FaultServer(script) as server, session(home, **given) as registries:
        return look(registries.repository(f"{server.address}/nvidia/driver"), tag)


def refused(home: Path, script: Script, **given) -> CouldNotLookError:
    with FaultServer(script) as server, session(home, **given) as registries:
        with pytest.raises(CouldNotLookError) as caught:
            look(registries.repository(f"{server.address}/nvidia/driver"), TAG)
        assert caught.value.exit_code == 3
        assert server.address in caught.value.message
        assert caught.value.hint
        assert "missing" not in caught.value.message
        return caught.value


@pytest.mark.parametrize(
    "first",
    [
        Reply(429, headers={"Retry-After": "0"}),
        Reply(429),
        Reply(500),
        Reply(502),
        Reply(503, headers={"Retry-After": "soon"}),
        Reply(504),
        Reply(200, b"{}", cut=10),
    ],
)
def test_what_passes_is_waited_for(tmp_path: Path, first: Reply) -> None:
    found = seen(tmp_path, after(3, first, Holding({TAG: ONE})))
    assert isinstance(found, BuiltImage)
    assert found.digest == ONE.digest


@pytest.mark.parametrize("asked_for", ["1", "date"])
def test_retry_after_is_kept(tmp_path: Path, asked_for: str) -> None:
    header = formatdate(time.time() + 2, usegmt=True) if asked_for == "date" else asked_for
    started = time.monotonic()
    found = seen(tmp_path, after(1, Reply(429, headers={"Retry-After": header}), Holding({TAG: ONE})))
    assert isinstance(found, BuiltImage)
    assert time.monotonic() - started >= 0.95


def test_others_wait_too_when_one_is_told_to(tmp_path: Path) -> None:
    """Four workers that all go on asking would never be let in."""
    tags = {f"t{number}": images.image(images.config(env={"A": str(number)})) for number in range(8)}
    script = after(1, Reply(429, headers={"Retry-After": "1"}), Holding(tags))
    with FaultServer(script) as server, session(tmp_path) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        started = time.monotonic()
        assert len(list(each(tags, repository.digest))) == 8
        # Up to three were under way when the first was told; five were not.
        assert time.monotonic() - started >= 0.95


def test_nobody_waits_for_an_hour(tmp_path: Path) -> None:
    told = refused(tmp_path, lambda asked: Reply(429, headers={"Retry-After": "3600"}))
    assert "429" in told.message
    assert "3600 s" in told.message


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (error(401, "UNAUTHORIZED"), "401"),
        (error(403, "DENIED"), "403 (DENIED)"),
        (error(429, "TOOMANYREQUESTS"), "429 (TOOMANYREQUESTS)"),
        (error(500, "UNKNOWN"), "500 (UNKNOWN)"),
        (Reply(503, b"<html>Service Unavailable"), "503"),
        (error(400, "NAME_INVALID"), "400 (NAME_INVALID)"),
        (error(418, "hunter2 in the body"), "418"),
        (Reply(204, b""), "204"),
        (Reply(301, b""), "301"),
    ],
)
@pytest.mark.parametrize("kind", ["manifests", "blobs"])
def test_what_is_no_answer_is_not_missing(tmp_path: Path, reply: Reply, said: str, kind: str) -> None:
    holding = Holding({TAG: ONE})
    told = refused(tmp_path, lambda asked: reply if f"/{kind}/" in asked.path else holding(asked))
    assert said in told.message
    assert "hunter2" not in told.message


def test_tries_are_counted(tmp_path: Path) -> None:
    with FaultServer(lambda asked: Reply(503)) as server, session(tmp_path, pace=QUICK) as registries:
        with pytest.raises(CouldNotLookError):
            registries.repository(f"{server.address}/nvidia/driver").digest(TAG)
        assert len(server.paths()) == QUICK.tries


def test_a_404_is_missing_and_says_of_what(tmp_path: Path) -> None:
    holding = Holding({TAG: ONE})
    assert seen(tmp_path, holding, "580-6.8.0-107-generic-ubuntu24.04") == Missing(Absent.TAG)
    assert seen(tmp_path, lambda asked: error(404, "NAME_UNKNOWN")) == Missing(Absent.REPOSITORY)
    assert seen(tmp_path, lambda asked: Reply(404, b"")) == Missing(Absent.TAG)


def test_a_web_page_that_says_404_is_no_registry(tmp_path: Path) -> None:
    told = refused(tmp_path, lambda asked: Reply(404, b"<!DOCTYPE html><title>Not Found"))
    assert "is no registry" in told.message


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(200, ONE.body[:-20], {"Content-Type": ONE.media_type}), "cut off"),
        (Reply(200, ONE.body, {"Content-Type": ONE.media_type, "Docker-Content-Digest": f"sha256:{'0' * 64}"}), "0000"),
        (Reply(200, ONE.body[:50], {"Content-Type": ONE.media_type}, cut=500), "breaks off"),
        (Reply(200, b'{"schemaVersion": 1}', {"Content-Type": SCHEMA_1}), "schema 1"),
        (Reply(200, b"[]"), "no manifest"),
        (Reply(200, b"{}"), "neither images nor a config"),
    ],
)
def test_a_manifest_that_is_not_what_it_should_be(tmp_path: Path, reply: Reply, why: str) -> None:
    holding = Holding({TAG: ONE})
    assert why in refused(tmp_path, lambda asked: reply if "/manifests/" in asked.path else holding(asked)).message


@pytest.mark.parametrize("blob", [b"{}", images.config("arm64"), b""])
def test_a_config_of_another_digest(tmp_path: Path, blob: bytes) -> None:
    holding = Holding({TAG: ONE})
    told = refused(tmp_path, lambda asked: Reply(200, blob) if "/blobs/" in asked.path else holding(asked))
    assert isinstance(told, ImageUnreadableError)
    assert images.digest(blob) in told.message
    assert images.digest(ONE.blobs[0]) in told.message


def test_a_config_that_is_cut_off_but_has_its_digest(tmp_path: Path) -> None:
    told = refused(tmp_path, Holding({TAG: images.image(images.config()[:-9])}))
    assert "config is cut off" in told.message


def test_a_member_that_is_not_there_is_a_platform_less(tmp_path: Path) -> None:
    both = images.index({"linux/amd64": ONE, "linux/arm64": images.image(images.config("arm64"))})
    holding = Holding({TAG: both})
    del holding.manifests[both.members[1].digest]
    found = seen(tmp_path, holding)
    assert isinstance(found, BuiltImage)
    assert found.platforms == ("linux/amd64",)
    assert found.notes == ("linux/arm64 is listed, but not there",)


@pytest.mark.parametrize("reply", [Reply(200, ONE.body, pause=0.05), Reply(200, ONE.body, delay=2)])
def test_a_registry_that_trickles_or_sleeps_is_left(tmp_path: Path, reply: Reply) -> None:
    """`whole` is 3 s and `silence` 1 s in the tests."""
    long_body = reply._replace(body=reply.body * 4)
    started = time.monotonic()
    refused(tmp_path, lambda asked: Reply() if asked.path == "/v2/" else long_body)
    assert time.monotonic() - started < 8


def test_an_answer_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    told = refused(tmp_path, lambda asked: Reply(200, b" " * (5 << 20)))
    assert "more than 4 MiB" in told.message
    told = refused(tmp_path, lambda asked: Reply(200, b" " * (9 << 20)), limits=Limits())
    assert "more than 8 MiB" in told.message


def test_a_digest_by_head_without_the_header(tmp_path: Path) -> None:
    holding = Holding({TAG: ONE})

    def script(asked: Asked) -> Reply:
        return Reply(405) if asked.method == "HEAD" else holding(asked)._replace(headers={})

    with FaultServer(script) as server, session(tmp_path) as registries:
        assert registries.repository(f"{server.address}/nvidia/driver").digest(TAG) == ONE.digest


def test_all_four_forms_are_asked_for(tmp_path: Path) -> None:
    accepted = []

    def script(asked: Asked) -> Reply:
        if "/manifests/" in asked.path:
            accepted.append(asked.headers["accept"])
        return of_manifest(ONE)

    with FaultServer(script) as server, session(tmp_path) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        repository.digest(TAG)
        repository.manifest(TAG)
    assert all(form in accept for accept in accepted for form in images.FORMS)
    assert len(accepted) == 2


def test_no_more_than_four_at_once(tmp_path: Path) -> None:
    tags = {f"t{number}": images.image(images.config(env={"A": str(number)})) for number in range(30)}
    holding = Holding(tags)
    with (
        FaultServer(lambda asked: holding(asked)._replace(delay=0.01)) as server,
        session(tmp_path) as registries,
    ):
        repository = registries.repository(f"{server.address}/nvidia/driver")
        assert len(list(each(tags, lambda tag: look(repository, tag), threads=16))) == 30
        assert server.most_at_once == 4


def test_a_name_that_nobody_has(tmp_path: Path) -> None:
    with session(tmp_path) as registries, pytest.raises(CouldNotLookError, match="can't be found") as caught:
        registries.repository("no-such-host.invalid/nvidia/driver").digest(TAG)
    assert "no-such-host.invalid" in caught.value.message


def test_nobody_there(tmp_path: Path) -> None:
    address = f"127.0.0.1:{debian.free_port()}"
    with session(tmp_path) as registries, pytest.raises(CouldNotLookError, match="can't be reached") as caught:
        registries.repository(f"{address}/nvidia/driver").digest(TAG)
    assert address in caught.value.message


def test_something_else_that_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with session(tmp_path, pace=Pace(tries=1)) as registries, pytest.raises(CouldNotLookError):
            registries.repository(f"{address}/nvidia/driver").digest(TAG)


@pytest.mark.parametrize("name", ["nvidia/driver", "localhosts/driver"])
def test_a_folder_is_no_registry(tmp_path: Path, name: str) -> None:
    with session(tmp_path) as registries, pytest.raises(UnreadableError, match="names no registry") as caught:
        registries.repository(name)
    assert "nvcr.io/nvidia/driver" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["", "driver", "nvcr.io", "nvcr.io/", "nvcr.io/A", "a b/c", "nvcr.io/a:b", "http://a/b"]
)
def test_what_is_no_repository(tmp_path: Path, name: str) -> None:
    with session(tmp_path) as registries, pytest.raises(UnreadableError, match="is no repository"):
        registries.repository(name)


def test_a_password_in_a_repository_is_not_repeated(tmp_path: Path) -> None:
    with session(tmp_path) as registries, pytest.raises(UnreadableError) as caught:
        registries.repository("user:hunter2@nvcr.io/nvidia/driver")
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"


@pytest.fixture
def elsewhere() -> FaultServer:
    return FaultServer(lambda asked: Reply(200, ONE.blobs[0]))


def test_a_redirect_is_followed_without_credentials(tmp_path: Path, elsewhere: FaultServer) -> None:
    environ = {"DRIVERGATE_REGISTRY_TOKEN": "hunter2"}
    holding = Holding({TAG: ONE})

    def script(asked: Asked) -> Reply:
        if asked.path != "/v2/" and asked.authorization != "Bearer hunter2":
            return Reply(401, headers={"WWW-Authenticate": "Bearer"})
        if "/blobs/" in asked.path:
            return Reply(307, headers={"Location": f"{elsewhere.base}/signed?with=something"})
        return holding(asked)

    with elsewhere, FaultServer(script) as server:
        environ["DRIVERGATE_REGISTRY"] = server.address
        with session(tmp_path, environ) as registries:
            found = look(registries.repository(f"{server.address}/nvidia/driver"), TAG)
        assert isinstance(found, BuiltImage)
        assert [one.path for one in elsewhere.asked] == ["/signed"]
        assert "hunter2" not in str(elsewhere.asked)


def test_another_host_by_redirect_and_back_gets_none_either(tmp_path: Path) -> None:
    """Whoever was redirected away may be sent back by somebody else."""
    with FaultServer(lambda asked: Reply()) as server, FaultServer(lambda asked: Reply()) as other:
        other.script = lambda asked: Reply(307, headers={"Location": f"{server.base}/back"})

        def script(asked: Asked) -> Reply:
            if asked.path == "/back":
                return Reply(200, ONE.body)
            if not asked.authorization:
                return Reply(401, headers={"WWW-Authenticate": "Bearer"})
            return Reply(307, headers={"Location": f"{other.base}/away"})

        server.script = script
        environ = {"DRIVERGATE_REGISTRY_TOKEN": "hunter2", "DRIVERGATE_REGISTRY": server.address}
        with session(tmp_path, environ) as registries:
            registries.repository(f"{server.address}/nvidia/driver").manifest(TAG)
        (back,) = [one for one in server.asked if one.path == "/back"]
        assert back.authorization == ""
        assert "hunter2" not in str(other.asked)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(404), "is no registry"),
        (Reply(401, headers={"WWW-Authenticate": 'Bearer realm="http://127.0.0.1:1/token"'}), "credentials of its own"),
        (Reply(403), "403"),
    ],
)
def test_what_another_host_says_counts_for_nothing(tmp_path: Path, reply: Reply, why: str) -> None:
    with FaultServer(lambda asked: reply) as elsewhere:
        told = refused(tmp_path, lambda asked: Reply(307, headers={"Location": f"{elsewhere.base}/x"}))
    assert why in told.message


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("/v2/nvidia/driver/manifests/again", "without an end"),
        ("http://registry.invalid/x", "plain HTTP"),
        ("ftp://127.0.0.1/x", "no place on the web"),
        ("file:///etc/passwd", "no place on the web"),
        ("http://a:b@127.0.0.1/x", "no place on the web"),
        ("http://[/x", "no URL"),
    ],
)
def test_redirects_that_are_not_followed(tmp_path: Path, target: str, why: str) -> None:
    assert why in refused(tmp_path, lambda asked: Reply(302, headers={"Location": target})).message


def test_a_crew_hands_out_what_is_done_and_then_says_what_broke() -> None:
    def work(number: int) -> int:
        if number == 20:
            raise CouldNotLookError("a", "b")
        return number

    handed: list[tuple[int, object]] = []
    with pytest.raises(CouldNotLookError):
        handed.extend(each(range(1000), work))
    assert {(number, number) for number in range(20)} <= set(handed)
    assert len(handed) < 40


def test_a_broken_image_is_told_in_its_place_but_not_hundreds() -> None:
    def broken(which: Callable[[int], bool]) -> Callable[[int], int]:
        def work(number: int) -> int:
            if which(number):
                raise ImageUnreadableError("a", "b")
            return number

        return work

    some = dict(each(range(100), broken(lambda number: number % 3 == 0)))
    assert [number for number, found in some.items() if isinstance(found, ImageUnreadableError)] == list(
        range(0, 100, 3)
    )
    with pytest.raises(ImageUnreadableError):
        list(each(range(100), broken(lambda number: True)))


def test_items_are_taken_as_fast_as_answers() -> None:
    taken = []

    def items():
        for number in range(1000):
            taken.append(number)
            yield number

    answers = each(items(), lambda number: number)
    next(answers)
    assert len(taken) <= 9
    answers.close()
