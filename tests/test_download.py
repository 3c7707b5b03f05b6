"""Downloads: whole or not there, resumed where possible, never another file than the one asked for."""

import hashlib
import http.server
import io
import re
import threading
import zipfile
from pathlib import Path

import pytest

from edrew_torch.datasets import download as module
from edrew_torch.datasets.download import DATASETS, cache_folder, download, download_dataset, file_sha256
from edrew_torch.errors import BadConfig, EdrewError, FetchFailed, UnknownName

from .conftest import serving

BODY = bytes(range(256)) * 4000  # about 1 MB: more than the buffers on the way
OTHER = BODY[::-1]
SUM = hashlib.sha256(BODY).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server, asked = self.server, self.headers.get("range")
        server.requests.append((self.path, asked))
        body = server.body
        if server.wait:
            server.released.wait(5)
        if server.status:
            self.send_response(server.status)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        if_range = self.headers.get("if-range")
        start = None
        if asked and server.has_ranges and if_range in (None, server.etag):
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1])
            if start >= len(body):
                self.send_response(416)
                if server.states_total:
                    self.send_header("content-range", f"bytes */{len(body)}")
                self.send_header("content-length", "0")
                self.end_headers()
                return
        self.send_response(200 if start is None else 206)
        if server.etag:
            self.send_header("etag", server.etag)
        if start is not None:
            shifted = start + server.shift
            self.send_header("content-range", f"bytes {shifted}-{len(body) - 1}/{len(body)}")
            body = body[shifted:]
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: server.cut] if server.cut else body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with serving(Handler) as made:
        made.body, made.has_ranges, made.etag, made.requests = BODY, True, '"one"', []
        made.status, made.cut, made.wait, made.shift, made.states_total = None, None, False, 0, True
        made.released = threading.Event()
        made.url += "/file.bin"
        yield made
        made.released.set()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "sub" / "file.bin"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def interrupt(server, target, **options):
    """Leave a part behind, as a broken connection does."""
    server.cut = 300_000
    with pytest.raises(FetchFailed, match="goes on where it stopped"):
        download(server.url, target, **options)
    server.cut = None
    server.requests.clear()
    part = target.with_name("file.bin.part")
    assert not target.exists()
    assert 0 < part.stat().st_size <= 300_000
    return part.stat().st_size


def test_a_file_is_fetched_once_and_leaves_nothing_else(server, target):
    seen = []
    assert (
        download(server.url, target, SUM.upper(), on_progress=lambda done, total: seen.append((done, total))) == target
    )
    assert target.read_bytes() == BODY
    assert names(target.parent) == ["file.bin"]
    assert seen == sorted(seen)
    assert seen[-1] == (len(BODY), len(BODY))
    download(server.url, target, SUM)
    download(server.url, target)
    assert len(server.requests) == 1


def test_a_target_with_another_sum_is_fetched_again(server, target):
    target.parent.mkdir()
    target.write_bytes(b"old")
    assert download(server.url, target, SUM).read_bytes() == BODY


def test_a_broken_download_goes_on_where_it_stopped(server, target):
    size = interrupt(server, target)
    seen = []
    download(server.url, target, SUM, on_progress=lambda done, total: seen.append((done, total)))
    assert server.requests == [("/file.bin", f"bytes={size}-")]
    assert target.read_bytes() == BODY
    assert seen[0][0] > size
    assert seen[-1] == (len(BODY), len(BODY))
    assert names(target.parent) == ["file.bin"]


def test_a_part_of_unknown_origin_is_continued(server, target):
    target.parent.mkdir()
    target.with_name("file.bin.part").write_bytes(BODY[:1000])
    assert download(server.url, target, SUM).read_bytes() == BODY
    assert server.requests == [("/file.bin", "bytes=1000-")]


def test_a_server_without_ranges_starts_again(server, target):
    interrupt(server, target)
    server.has_ranges = False
    assert download(server.url, target).read_bytes() == BODY


def test_a_part_is_not_continued_with_another_version(server, target):
    interrupt(server, target)
    server.body, server.etag = OTHER, '"two"'
    assert download(server.url, target).read_bytes() == OTHER


def test_a_part_is_not_continued_from_another_address(server, target):
    interrupt(server, target)
    server.body, server.etag = OTHER, '"one"'
    assert download(f"{server.url}?mirror", target).read_bytes() == OTHER
    assert server.requests == [("/file.bin?mirror", None)]


def test_another_range_than_asked_for_is_not_appended(server, target):
    interrupt(server, target)
    server.shift = 7
    assert download(server.url, target).read_bytes() == BODY
    assert [asked is None for _, asked in server.requests] == [False, True]


@pytest.mark.parametrize("states_total", [True, False])
def test_a_complete_part_is_taken_as_it_is(server, target, states_total):
    target.parent.mkdir()
    target.with_name("file.bin.part").write_bytes(BODY)
    server.states_total = states_total
    assert download(server.url, target, SUM).read_bytes() == BODY
    assert len(server.requests) == 1


def test_a_part_longer_than_the_file_is_fetched_anew(server, target):
    target.parent.mkdir()
    target.with_name("file.bin.part").write_bytes(BODY + b"more")
    assert download(server.url, target, SUM).read_bytes() == BODY
    assert [asked is None for _, asked in server.requests] == [False, True]


def test_a_wrong_sum_names_both_and_removes_the_part(server, target):
    wrong = "0" * 64
    with pytest.raises(FetchFailed, match=f"{SUM}, expected {wrong}"):
        download(server.url, target, wrong)
    assert names(target.parent) == []


@pytest.mark.parametrize("status", [404, 500, 503])
def test_a_server_error_keeps_the_part(server, target, status):
    size = interrupt(server, target)
    server.status = status
    with pytest.raises(FetchFailed, match=rf"answered {status} .*goes on where it stopped"):
        download(server.url, target)
    assert target.with_name("file.bin.part").stat().st_size == size


def test_a_silent_server_is_given_up(server, target):
    server.wait = True
    with pytest.raises(FetchFailed, match=r"did not answer within 0\.1 s.*goes on where it stopped"):
        download(server.url, target, timeout=0.1)


def test_no_server_says_so(target):
    with pytest.raises(FetchFailed, match="could not be fetched"):
        download("http://127.0.0.1:1/x", target)


def test_disk_errors_are_told(server, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EdrewError, match="cannot be written"):
        download(server.url, tmp_path / "file" / "below")
    with pytest.raises(BadConfig, match="is a folder"):
        download(server.url, tmp_path)


def test_wrong_arguments_are_all_told_before_any_request(target):
    with pytest.raises(BadConfig, match=r"no address.*no SHA-256"):
        download("ftp://127.0.0.1/x", target, "abc")
    assert not target.parent.exists()


def test_a_data_set_is_fetched_from_the_address_given(server, tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as pack:
        pack.writestr("a", "b")
    server.body = packed.getvalue()
    monkeypatch.setenv("EDREW_SWDE_URL", "http://127.0.0.1:1/not-asked")
    monkeypatch.setenv("EDREW_CACHE", str(tmp_path / "cache"))
    found = download_dataset("swde", url=server.url)
    assert (found.path, found.sha256) == (tmp_path / "cache" / "swde.zip", file_sha256(found.path))
    assert not found.was_checked
    monkeypatch.setenv("EDREW_SWDE_URL", f"{server.url}?env")
    again = download_dataset("swde", tmp_path / "other", sha256=found.sha256)
    assert again.was_checked
    assert [path for path, _ in server.requests] == ["/file.bin", "/file.bin?env"]


def test_a_page_in_place_of_the_archive_is_refused(server, tmp_path):
    server.body = b"<p>try later"
    with pytest.raises(FetchFailed, match="no zip archive"):
        download_dataset("swde", tmp_path, url=server.url)
    assert names(tmp_path) == []


def test_known_data_sets_have_addresses():
    with pytest.raises(UnknownName, match="did you mean 'swde'"):
        download_dataset("swd")
    assert all(known.url.startswith("https://") for known in DATASETS.values())


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, "~/.cache/edrew"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/edrew"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "~/.cache/edrew"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "~/Library/Caches/edrew"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/edrew"),
        ("win32", {}, "~/AppData/Local/edrew"),
        ("darwin", {"EDREW_CACHE": "/mine"}, "/mine"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(monkeypatch, platform, variables, folder):
    for name in ("EDREW_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(module.sys, "platform", platform)
    found = cache_folder()
    monkeypatch.undo()
    assert found == Path(folder).expanduser()
