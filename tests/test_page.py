import http.server
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edrew_torch.errors import BadConfig, FetchFailed, NotAPage, PageTooLarge
from edrew_torch.page import Page, decode, load_page

from .conftest import serving

GERMAN = "<p>Größe und Maße der Straße für Bücher über schöne Mädchen</p>"
RUSSIAN = "<p>Привет, как дела? Это тестовая страница с русским текстом.</p>"
JAPANESE = "<p>これは日本語のページです。価格は千円です。</p>"


@pytest.mark.parametrize(
    ("data", "header", "encoding", "origin"),
    [
        (b"\xef\xbb\xbf<meta charset=iso-8859-1>\xc3\xa9", "text/html; charset=cp1251", "utf-8", "bom"),
        ("\ufeff<p>é".encode("utf-16-le"), None, "utf-16-le", "bom"),
        ("\ufeff<p>é".encode("utf-16-be"), None, "utf-16-be", "bom"),
        (b"<meta charset=utf-8>\xe9", 'text/html; charset="ISO-8859-1"', "cp1252", "http"),
        (b"<meta charset='windows-1251'>\xef", "text/html", "cp1251", "meta"),
        (b'<meta http-equiv=x content="text/html; charset=gb2312">', None, "gb18030", "meta"),
        (b"<meta charset=utf-16>\xc3\xa9", None, "utf-8", "meta"),
        (b"<meta charset=utf-32><p>\xc3\xa9", "text/html; charset=cp037", "utf-8", "detected"),
        (b"<meta charset=no-such-thing>\xc3\xa9", "text/html; charset=base64", "utf-8", "detected"),
        (GERMAN.encode("cp1252"), None, "cp1252", "detected"),
        (RUSSIAN.encode("cp1251"), None, "cp1251", "detected"),
        (RUSSIAN.encode("koi8-r"), None, "koi8-r", "detected"),
        (JAPANESE.encode("cp932"), None, "cp932", "detected"),
        (("<html>" + GERMAN).encode("utf-16-le"), None, "utf-16-le", "detected"),
        (GERMAN.encode() + b"\xff" + GERMAN.encode(), None, "utf-8", "detected"),
        (b"caf\xe9", None, "cp1252", "detected"),
    ],
)
def test_encoding_is_told_by_mark_then_header_then_meta_then_detection(data, header, encoding, origin):
    assert decode(data, header)[1:] == (encoding, origin)


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, JAPANESE])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_detected_text_is_the_text(text, encoding):
    assert decode(f"<html>{text}".encode(encoding))[0] == f"<html>{text}"


@given(st.binary(max_size=400), st.one_of(st.none(), st.text(max_size=60)))
def test_decoding_never_raises(data, header):
    decode(data, header)


@given(st.text(st.characters(), max_size=200))
def test_any_text_behind_a_tag_is_a_page_that_can_be_encoded(text):
    Page.from_text("<p>" + text).html.encode("utf-8")


def test_nul_bytes_and_lone_surrogates_do_not_raise():
    assert Page.from_bytes(b"<p>a\0b").html == "<p>a\0b"
    assert Page.from_text("<p>\ud800\ufeff").html == "<p>\ufffd\ufeff"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 4, "not HTML (first bytes: 7f 45 4c 46"),
        (b"%PDF-1.7\n" + bytes(range(128, 160)) * 9 + b"<</Type /Page>>", "not HTML"),
        (b"%PDF-1.4\n1 0 obj <</Type /Catalog>>", "not HTML"),
        (b"plain words, no tag", "not HTML"),
        (b"3 < 5 and 7 > 2", "not HTML"),
    ],
)
def test_what_is_no_page_says_so(data, message):
    with pytest.raises(NotAPage, match=message.replace("(", r"\(")):
        Page.from_bytes(data, "thing.bin")


def test_files(tmp_path):
    page = tmp_path / "a <b>.html"
    page.write_bytes(b"<p>x")
    assert load_page(page).source == str(page)
    with pytest.raises(NotAPage, match="does not exist"):
        load_page(str(tmp_path / "none.html"))
    with pytest.raises(NotAPage, match="is a folder"):
        load_page(tmp_path)
    for name in ("a\0b.html", "a" * 300):
        with pytest.raises(NotAPage, match="cannot be read"):
            load_page(name)
    with pytest.raises(PageTooLarge, match="larger than"):
        Page.from_path(page, max_bytes=3)


def test_markup_bytes_and_standard_input(monkeypatch):
    import io
    import sys
    from types import SimpleNamespace

    assert load_page("<p>x").html == load_page(b"<p>x").html == "<p>x"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"<p>in")))
    assert load_page("-").html == "<p>in"


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        if name == "moved":
            self.send_response(302)
            self.send_header("location", "/page")
            self.end_headers()
            return
        body = {"page": b"<p>\xe9", "large": b"<p>" + b"x" * 5000, "image": b"\x89PNG"}.get(name, b"<p>no")
        kind = {"image": "image/png", "page": "text/html; charset=latin-1"}.get(name, "text/html")
        if name == "slow":
            threading.Event().wait(1)
        if name == "trickle":
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # nobody listens any more
                for _ in range(100):  # 4 s
                    self.wfile.write(b"<p>x")
                    threading.Event().wait(0.04)
            return
        self.send_response(404 if name == "missing" else 200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    with serving(Site) as server:
        yield server.url


def test_a_url_is_fetched_through_its_redirects(address):
    page = load_page(f"{address}/moved")
    assert (page.html, page.url, page.encoding_from) == ("<p>é", f"{address}/page", "http")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("missing", FetchFailed, "answered 404"),
        ("image", NotAPage, "content-type: image/png"),
        ("large", PageTooLarge, "larger than"),
        ("slow", FetchFailed, "did not answer within 0.2 s"),
        ("trickle", FetchFailed, "did not answer within 0.2 s"),
    ],
)
def test_a_url_that_gives_no_page_says_why(address, name, error, message):
    with pytest.raises(error, match=message):
        Page.from_url(f"{address}/{name}", timeout=0.2, max_bytes=1000)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://[bad", "https://"])
def test_an_address_that_cannot_be_reached_says_so(url):
    with pytest.raises(FetchFailed, match="could not be fetched"):
        load_page(url)


@pytest.mark.parametrize("timeout", [0, -1, 1e30, float("nan")])
def test_a_time_limit_that_is_none_is_told(timeout):
    with pytest.raises(BadConfig, match="give more than 0 and at most 86400"):
        load_page("http://127.0.0.1:1/x", timeout)
