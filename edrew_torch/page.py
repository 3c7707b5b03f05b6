"""Page: the text of one HTML page, where it came from, and how its bytes were read.

    bytes, str, path, "-" or URL   ->   Page(html, source, url, encoding)

Decoding tries, in this order: byte order mark, HTTP header, <meta>, detection. The mark wins because it is part
of the bytes: the SWDE pages were turned to UTF-8 and kept the <meta> of their former character set.
Read by parse/ and by whoever is given sources.
"""

import codecs
import re
import sys
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from edrew_torch.errors import BadConfig, FetchFailed, NotAPage, PageTooLarge

MAX_BYTES = 32 * 1024 * 1024  # the largest page of the shared data has 3 MB; a larger file is hardly a page
TIMEOUT = 20.0  # seconds for connecting and for each read
MAX_WAIT = 86_400.0  # seconds; of more the operating system makes errors of its own
MAX_READS = 10  # a page may take this many time-outs as a whole, so that no server holds us for ever

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What browsers read where a page says these (WHATWG Encoding): the larger set of the same family.
READ_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}

# Asked in detection, windows-1252 first among equals. Encodings of the Latin family are left to it: on pages they
# cannot be told apart, and French read as mac_latin2 is worse than Czech read as windows-1252.
DETECTED = (
    "cp1252",
    "cp1251",
    "koi8_r",
    "cp1253",
    "cp1256",
    "cp932",
    "euc_jp",
    "gb18030",
    "big5",
    "cp949",
)

META_WINDOW = 8192  # bytes searched for <meta charset>; browsers look at 1,024, real pages put scripts before it
META = re.compile(rb"<meta\b[^>]{0,1000}?\bcharset\s{0,9}=\s{0,9}[\"']?\s{0,9}([a-z0-9_.:-]{1,40})", re.I)
HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([A-Za-z0-9_.:-]{1,40})", re.I)
TAG = re.compile(r"<[A-Za-z!/?]")
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Page:
    """One page, decoded. `html` has no byte order mark and no lone surrogate, so it can always be encoded."""

    html: str
    source: str = "<str>"  # what the user gave: a path, a URL, "-"
    url: str | None = None  # where it was fetched from, after redirects
    encoding: str | None = None  # None when it came as text
    encoding_from: str | None = None  # "bom", "http", "meta", "detected" or None

    @classmethod
    def from_text(cls, html: str, source: str = "<str>", url: str | None = None) -> "Page":
        """A page that is text already."""
        return cls(_check_html(_clean(html), source, html[:8].encode("utf-8", "replace")), source, url)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        source: str = "<bytes>",
        url: str | None = None,
        content_type: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> "Page":
        """A page as it was stored or sent; `content_type` is the HTTP header, if there was one."""
        if len(data) > max_bytes:
            raise _too_large(source, max_bytes)
        html, encoding, origin = decode(data, content_type)
        return cls(_check_html(_clean(html), source, data[:8]), source, url, encoding, origin)

    @classmethod
    def from_path(cls, path: str | Path, max_bytes: int = MAX_BYTES) -> "Page":
        """A page in a file."""
        path = Path(path)
        try:
            if path.is_dir():
                raise NotAPage(f"{path} is a folder. Give the pages in it, for example {path}/*.html.")
            with path.open("rb") as file:
                data = _read_limited(file, str(path), max_bytes)
        except FileNotFoundError:
            raise NotAPage(f"{path} does not exist. Give an HTML file, a URL (http:// or https://) or '-'.") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise NotAPage(f"{path!s} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
        return cls.from_bytes(data, str(path), max_bytes=max_bytes)

    @classmethod
    def from_url(cls, url: str, timeout: float = TIMEOUT, max_bytes: int = MAX_BYTES) -> "Page":
        """A page from the web; redirects are followed, `max_bytes` counts what was unpacked."""
        import httpx  # here: reading files needs no HTTP client

        if not 0 < timeout <= MAX_WAIT:
            raise BadConfig(f"the time limit is {timeout:g} s: give more than 0 and at most {MAX_WAIT:g}.")
        headers = {"user-agent": "edrew", "accept": "text/html,*/*;q=0.5"}
        deadline = time.monotonic() + MAX_READS * timeout
        try:
            with (
                httpx.Client(follow_redirects=True, timeout=timeout, headers=headers) as client,
                client.stream("GET", url) as answer,
            ):
                answer.raise_for_status()
                content_type = answer.headers.get("content-type", "")
                check_content_type(url, content_type)
                data = bytearray()
                for chunk in answer.iter_bytes():
                    data += chunk
                    if len(data) > max_bytes:
                        raise _too_large(url, max_bytes)
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the whole took too long")
                final_url = str(answer.url)
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            raise FetchFailed(f"{url} answered {status} {error.response.reason_phrase}.") from None
        except httpx.TimeoutException:
            raise FetchFailed(
                f"{url} did not answer within {timeout:g} s. Try again, or raise the time limit."
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise FetchFailed(f"{url} could not be fetched: {error or type(error).__name__}.") from None
        return cls.from_bytes(bytes(data), url, final_url, content_type, max_bytes)


def load_page(source: str | bytes | Path, timeout: float = TIMEOUT, max_bytes: int = MAX_BYTES) -> Page:
    """Return the page that `source` names or is.

    bytes are a page. A str is a URL if it begins with http:// or https://, standard input if it is "-", a page if
    it holds a "<", else a path (a path with a "<" in it: give a `pathlib.Path`).
    """
    if isinstance(source, bytes):
        return Page.from_bytes(source, max_bytes=max_bytes)
    if isinstance(source, Path):
        return Page.from_path(source, max_bytes)
    if source[:8].lower().startswith(("http://", "https://")):
        return Page.from_url(source, timeout, max_bytes)
    if source == "-" and sys.stdin is None:
        raise NotAPage("standard input is closed. Give an HTML file, a URL, or a page on standard input.")
    if source == "-":
        return Page.from_bytes(_read_limited(sys.stdin.buffer, "-", max_bytes), "-", max_bytes=max_bytes)
    if "<" in source:
        return Page.from_text(source)
    return Page.from_path(source, max_bytes)


def decode(data: bytes, content_type: str | None = None) -> tuple[str, str, str]:
    """Return the text, the encoding and what told it: bom, http, meta or detected. Never raises.

    >>> decode(b"\\xef\\xbb\\xbf<meta charset=iso-8859-1>\\xc3\\xa9")[1:]
    ('utf-8', 'bom')
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding, "bom"
    header = HEADER.search(content_type or "")
    if header and (known := _codec(header[1])):
        return data.decode(known, "replace"), known, "http"
    # a <meta> that can be read as ASCII cannot say UTF-16 truly: browsers take UTF-8 then, and so do we
    meta = META.search(data[:META_WINDOW])
    if meta and (known := _codec(meta[1].decode("ascii"))):
        known = "utf-8" if known.startswith("utf-16") else known
        return data.decode(known, "replace"), known, "meta"
    encoding = _detect(data)
    return data.decode(encoding, "replace"), encoding, "detected"


def _codec(label: str) -> str | None:
    """The Python codec a browser would use for `label`; None where Python knows it not, or not as an encoding."""
    try:
        name = codecs.lookup(label.strip()).name
        if name.startswith(("utf-7", "unicode", "raw_unicode", "idna", "punycode", "undefined")):
            return None  # Python's own, never a page's
        # base64, zip… are codecs to Python, but do not decode to text; a page whose label could be read is no EBCDIC
        if b"<a".decode(name, "replace") != "<a" and not name.startswith("utf-16"):
            return None
    except LookupError:
        return None
    return READ_AS.get(name, name)


def _detect(data: bytes) -> str:
    """UTF-8 where that is (nearly) what it is, UTF-16 by how its first tag begins, else the likeliest of `DETECTED`."""
    if data[:2] in (b"<\0", b"\0<"):
        return "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    if broken <= 0:
        return "utf-8"
    # four good characters to a broken one: a UTF-8 page with an accident in it, not another encoding
    if sum(character > "\x7f" for character in text) - broken >= 4 * broken:
        return "utf-8"
    if len(data.translate(None, bytes(range(128)))) < 8:
        return "cp1252"  # too few letters beyond ASCII to tell anything from
    from charset_normalizer import from_bytes  # here: few pages need it

    best = from_bytes(data[:65536], cp_isolation=list(DETECTED)).best()
    return (best and _codec(best.encoding)) or "cp1252"


def _clean(html: str) -> str:
    """Without byte order mark and lone surrogates: what no encoder and no parser takes."""
    html = html.removeprefix("\ufeff")
    return SURROGATE.sub("\ufffd", html) if SURROGATE.search(html) else html


def _check_html(html: str, source: str, first_bytes: bytes) -> str:
    """Return `html`; raise NotAPage where it is empty, binary, or has no tag at all."""
    if not html or html.isspace():
        raise NotAPage(f"{source} is empty. Give an HTML file, a URL or '-' with a page on standard input.")
    if TAG.match(html.lstrip("\x00 \t\r\n\f")):
        return html
    head = html[:2048]
    odd = sum((unicodedata.category(c) == "Cc" and c not in "\t\n\r\f") or c == "\ufffd" for c in head)
    is_pdf = html.startswith("%PDF-")  # it may be all text, and "<</Type" looks like a tag
    if is_pdf or odd > len(head) // 10 or not TAG.search(html):
        shown = first_bytes.hex(" ")
        raise NotAPage(f"{source} is not HTML (first bytes: {shown}). Give an HTML file, a URL or '-'.")
    return html


def check_content_type(url: str, content_type: str) -> None:
    """Raise NotAPage where the server says that it sends something else than a page."""
    kind = content_type.partition(";")[0].strip().lower()
    # text/plain and no type at all are what careless servers say of pages: their bytes decide
    if kind and "html" not in kind and "xml" not in kind and kind != "text/plain":
        raise NotAPage(f"{url} is not HTML (content-type: {kind}). Give the address of a page.")


def _read_limited(file: BinaryIO, source: str, max_bytes: int) -> bytes:
    data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise _too_large(source, max_bytes)
    return data


def _too_large(source: str, max_bytes: int) -> PageTooLarge:
    return PageTooLarge(
        f"{source} is larger than {max_bytes / 2**20:g} MiB. Give a page, or raise the limit (--max-mb)."
    )
