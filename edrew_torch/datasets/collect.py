"""Collect: the pages of one site, fetched politely into the layout of SWDE. The way to make an N-SWDE.

    urls, root, "book", "shop"   ->   root/book/book-shop(2)/0000.htm, 0001.htm
                                      root/book/book-shop.urls.tsv      page, url, final_url, date, status

Polite: one request at a time, a pause between two requests to a host, robots.txt obeyed. Resumable: at every moment
the disk holds a state that the next run goes on from (see `collect`). Reads page.py, layout.py; annotate.py adds truth.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import escape
from pathlib import Path
from urllib.parse import urldefrag, urlsplit
from urllib.robotparser import RobotFileParser

import httpx

from edrew_torch.datasets.layout import MAX_PAGES, check_names, find_site, page_ids, write_text
from edrew_torch.errors import BadConfig, BadData, EdrewError, FetchFailed
from edrew_torch.page import MAX_BYTES, MAX_READS, MAX_WAIT, TIMEOUT, Page, check_content_type

OK = "ok"
DELAY = 1.0  # seconds between two requests to a host
MAX_CRAWL_DELAY = 60  # seconds: what robots.txt may ask for
MAX_RETRY_AFTER = 120.0  # seconds: what an answer 429 or 503 may ask for
MAX_ROBOTS_BYTES = 500 * 1024  # RFC 9309, section 2.5
MAX_REDIRECTS = 10
HEADER = ("page", "url", "final_url", "date", "status")
BLANK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Collected:
    """One address of the list and what came of it."""

    url: str
    page_id: str | None  # None: no page
    final_url: str | None  # after redirects
    date: str  # UTC, ISO 8601
    status: str  # "ok", or what went wrong
    is_new: bool = True  # asked for in this run, not an earlier one

    @property
    def is_ok(self) -> bool:
        """Is its page there?"""
        return self.status == OK


def read_urls(file: Path) -> list[str]:
    """Return the addresses in a list: one on each line; blank lines and lines that begin with # do not count."""
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadData(
            f"{file} cannot be read: {error.strerror or error}. Give a file with a URL on each line."
        ) from None
    except UnicodeDecodeError as error:
        raise BadData(f"{file} is not UTF-8 text (byte {error.start}). Give a file with a URL on each line.") from None
    urls = []
    for number, line in enumerate(text.split("\n"), 1):
        url = line.strip()
        if url and not url.startswith("#"):
            if fault := _url_fault(url):
                raise BadData(f"{file}, line {number}: {fault}")
            urls.append(url)
    if not urls:
        raise BadData(f"{file} holds no URL. Write one on each line.")
    return urls


def collect(
    urls: Iterable[str],
    root: Path,
    vertical: str,
    site: str,
    *,
    delay: float = DELAY,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_BYTES,
    user_agent: str = "edrew",
    client: httpx.Client | None = None,
    on_page: Callable[[Collected], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> list[Collected]:
    """Fetch the pages at `urls` into a site's folder; return what came of each address, once, in order.

    An address that fails is recorded and does not stop the others; the next run tries it again. A page that is there
    is not fetched again. `on_page` is called with each result, those of earlier runs included.

    What an interruption leaves: a page is written under its final name in one step, then its line is added to the
    index. So a file without a line is the last one at most; the next run removes it and goes on from its id. The
    folder keeps its name from before the run, `(0)` if it is new, until the run ends, also by an interrupt: then it
    is renamed to the number of its pages. After a hard kill only this number is wrong; the next run finds the folder
    whatever its number.
    """
    check_names(vertical, site)
    if not 0 <= delay <= MAX_WAIT or not 0 < timeout <= MAX_WAIT:
        raise BadConfig(
            f"delay is {delay:g} s and timeout {timeout:g} s: give at least 0 and more than 0, at most {MAX_WAIT:g}."
        )
    root = Path(root)
    wanted = list(dict.fromkeys(urldefrag(url).url for url in urls))
    folder, index_file = _open_site(root, vertical, site)
    index = read_index(index_file)
    ids = {entry.page_id for entry in index.values() if entry.page_id}
    next_id = 1 + max(map(int, ids), default=-1)
    _check_room(folder, ids, next_id, sum(1 for url in wanted if not (url in index and index[url].is_ok)))
    _remove_leftovers(folder, next_id)
    known = {entry.final_url: entry.page_id for entry in index.values() if entry.is_ok}
    results = []
    try:
        with httpx.Client() if client is None else nullcontext(client) as open_client:
            fetcher = PoliteFetcher(open_client, delay, timeout, max_bytes, user_agent, clock, sleep)
            for url in wanted:
                entry = index.get(url)
                if entry is None or not entry.is_ok:
                    entry = _collect_page(fetcher, url, known, folder, f"{next_id:04d}", index_file)
                if entry.is_new and entry.is_ok:
                    known[entry.final_url] = entry.page_id
                    next_id += 1
                results.append(entry)
                if on_page:
                    on_page(entry)
    finally:
        _name_by_count(folder)
    return results


def _collect_page(
    fetcher: "PoliteFetcher",
    url: str,
    known: Mapping[str | None, str | None],
    folder: Path,
    page_id: str,
    index_file: Path,
) -> Collected:
    """Fetch, write and record one page."""
    page = None
    try:
        if fault := _url_fault(url):
            raise FetchFailed(fault)
        page = fetcher.page(url, known)
        status = OK
    except EdrewError as error:
        status = " ".join(str(error).split())
    date = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        if page is None:
            entry = Collected(url, None, None, date, status)
        else:
            final_url = page.url or url
            write_text(folder / f"{page_id}.htm", f'<base href="{escape(final_url)}"/>\n{page.html}')
            entry = Collected(url, page_id, final_url, date, status)
        _append_index(index_file, (entry.page_id, entry.url, entry.final_url, entry.date, entry.status))
    except OSError as error:
        raise _disk_error(folder, error) from None
    return entry


def read_index(file: Path) -> dict[str, Collected]:
    """Return what a site's index says of each address in its last line: the page, or what went wrong."""
    index: dict[str, Collected] = {}
    if not file.is_file():
        return index
    # a line without its end was cut off by a hard kill: its page is fetched again
    lines = file.read_bytes().decode("utf-8", "replace").split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        if number == 1 and cells == list(HEADER):
            continue
        if len(cells) != len(HEADER):
            raise BadData(
                f"{file}, line {number}: {len(cells)} columns instead of {', '.join(HEADER)}. Repair or remove."
            )
        page_id, url, final_url, date, status = cells
        if (status == OK) != bool(re.fullmatch("[0-9]{4}", page_id)):
            raise BadData(f"{file}, line {number}: page {page_id!r} with status {status!r}. Repair or remove the line.")
        entry = Collected(
            url,
            None if page_id == "-" else page_id,
            None if final_url == "-" else final_url,
            date,
            status,
            is_new=False,
        )
        index[url] = entry
    return index


def index_path(root: Path, vertical: str, site: str) -> Path:
    """Return where the index of a site stands."""
    return root / vertical / f"{vertical}-{site}.urls.tsv"


class PoliteFetcher:
    """Pages over HTTP at the pace and within the bounds that their hosts set."""

    def __init__(
        self,
        client: httpx.Client,
        delay: float,
        timeout: float,
        max_bytes: int,
        user_agent: str,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
    ) -> None:
        self._client, self._timeout, self._max_bytes = client, timeout, max_bytes
        self._delay, self._user_agent, self._clock, self._sleep = delay, user_agent, clock, sleep
        self._last: dict[str, float] = {}  # host -> when its last answer was over
        self._crawl_delay: dict[str, float] = {}  # host -> what its robots.txt asks for
        self._robots: dict[str, RobotFileParser | str] = {}  # origin -> its rules, or why they cannot be known

    def page(self, url: str, known: Mapping[str | None, str | None]) -> Page:
        """Return the page at `url`; FetchFailed where it is one of `known`, final address -> page id."""
        try:
            here = httpx.URL(url)
            for _ in range(MAX_REDIRECTS + 1):
                # lists of old addresses: many lead to one page, which must not be in the data twice
                if str(here) in known:
                    raise FetchFailed(f"{url} leads to {here}, which is page {known[str(here)]} already.")
                self._check_allowed(here)
                answer = self._get(here, self._max_bytes, must_be_page=True)
                if answer.redirect is None:
                    break
                here = answer.redirect.copy_with(fragment=None)
            else:
                raise FetchFailed(f"{url} redirects more than {MAX_REDIRECTS} times.")
        except httpx.TimeoutException:
            raise FetchFailed(
                f"{url} did not answer within {self._timeout:g} s. Try again, or raise the time limit."
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # ValueError: host names that cannot be
            raise FetchFailed(f"{url} could not be fetched: {error or type(error).__name__}.") from None
        if not 200 <= answer.status < 300:
            raise FetchFailed(f"{url} answered {answer.status} {answer.reason}.")
        return Page.from_bytes(answer.body, url, str(here), answer.headers.get("content-type"), self._max_bytes)

    def _get(self, url: httpx.URL, max_bytes: int, must_be_page: bool) -> "_Answer":
        """Ask, and once more where the server says when to come back."""
        answer = self._ask(url, max_bytes, must_be_page)
        if answer.status in (429, 503):
            wait = _read_retry_after(answer.headers.get("retry-after", ""))
            if wait is not None:
                self._sleep(min(wait, MAX_RETRY_AFTER))
                answer = self._ask(url, max_bytes, must_be_page)
        return answer

    def _ask(self, url: httpx.URL, max_bytes: int, must_be_page: bool) -> "_Answer":
        """Make one request, not before its host may be asked again."""
        host = url.host
        if host in self._last:
            due = self._last[host] + max(self._delay, self._crawl_delay.get(host, 0.0))
            if (wait := due - self._clock()) > 0:
                self._sleep(wait)
        headers = {"user-agent": self._user_agent, "accept": "text/html,*/*;q=0.5"}
        deadline = self._clock() + MAX_READS * self._timeout
        try:
            # redirects are followed in `page`: each may lead to another host, with rules and a pace of its own
            with self._client.stream(
                "GET", url, headers=headers, timeout=self._timeout, follow_redirects=False
            ) as answer:
                redirect = answer.next_request.url if answer.next_request else None
                body = bytearray()
                if answer.is_success:
                    if must_be_page:
                        check_content_type(str(url), answer.headers.get("content-type", ""))
                    for chunk in answer.iter_bytes():
                        body += chunk
                        if len(body) > max_bytes:
                            break  # who asked sees by the length that it is too large
                        if self._clock() > deadline:
                            raise httpx.ReadTimeout("the whole took too long")
                return _Answer(answer.status_code, answer.reason_phrase, answer.headers, bytes(body), redirect)
        finally:
            self._last[host] = self._clock()

    def _check_allowed(self, url: httpx.URL) -> None:
        """Raise FetchFailed where the rules of the page's host forbid it or cannot be known."""
        robots = url.copy_with(raw_path=b"/robots.txt", fragment=None)
        origin = str(robots)
        if origin not in self._robots:
            self._robots[origin] = rules = self._read_robots(robots)
            if isinstance(rules, RobotFileParser) and (asked := rules.crawl_delay(self._user_agent)):
                asked_seconds = float(min(int(asked), MAX_CRAWL_DELAY))  # it may have hundreds of digits
                self._crawl_delay[url.host] = max(asked_seconds, self._crawl_delay.get(url.host, 0.0))
        rules = self._robots[origin]
        if isinstance(rules, str):
            raise FetchFailed(f"{url} is left out: {origin} {rules}, so it is not known what the site allows.")
        if not rules.can_fetch(self._user_agent, str(url)):
            raise FetchFailed(f"{url} is forbidden by {origin}.")

    def _read_robots(self, url: httpx.URL) -> RobotFileParser | str:
        """Return the rules at `url`, or why they cannot be known. RFC 9309, section 2.3.1."""
        try:
            for _ in range(MAX_REDIRECTS + 1):
                answer = self._get(url, MAX_ROBOTS_BYTES, must_be_page=False)
                if answer.redirect is None:
                    break
                url = answer.redirect
            rules = RobotFileParser()
            # no such file: all is allowed. 429 says "slow down", not "no such file"
            is_absent = 400 <= answer.status < 500 and answer.status != 429
            if not is_absent and not 200 <= answer.status < 300:
                return f"answered {answer.status} {answer.reason}".strip()
            text = "" if is_absent else answer.body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace")
            rules.parse(text.splitlines())  # it knows no wildcards: `Disallow: /*.pdf` is a path with a star to it
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # ValueError: what the parser cannot read
            return f"could not be read ({error or type(error).__name__})"
        return rules


@dataclass(frozen=True)
class _Answer:
    status: int
    reason: str
    headers: httpx.Headers
    body: bytes
    redirect: httpx.URL | None


def _read_retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks for: a number or a date."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0)


def _url_fault(url: str) -> str | None:
    """Return what is wrong with an address of the list."""
    if BLANK_OR_CONTROL.search(url):
        return f"{url!r} has a space or a control character in it. Write %20 for a space."
    try:
        parts = urlsplit(url)
        if parts.username or parts.password:
            return "an address has a user name in it; page and index would keep it. Leave it out."
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    return None if is_web else f"{url!r} is no web address: it must begin with http:// or https:// and name a host."


def _open_site(root: Path, vertical: str, site: str) -> tuple[Path, Path]:
    """Return the site's folder and index, made if missing: no page is written before its site has an index."""
    index_file = index_path(root, vertical, site)
    folder = find_site(root, vertical, site)
    if folder and page_ids(folder) and not index_file.is_file():
        raise BadData(
            f"{folder} has pages but no index {index_file.name}: it was not made here. Give another site name."
        )
    try:
        folder = folder or root / vertical / f"{vertical}-{site}(0)"
        folder.mkdir(parents=True, exist_ok=True)
        text = index_file.read_bytes() if index_file.is_file() else b""
        if not text.endswith(b"\n"):  # new, or its last line was cut off
            whole = text[: text.rfind(b"\n") + 1] or ("\t".join(HEADER) + "\n").encode()
            index_file.write_bytes(whole)
    except OSError as error:
        raise _disk_error(root, error) from None
    return folder, index_file


def _check_room(folder: Path, ids: set[str], next_id: int, num_wanted: int) -> None:
    """Raise BadData where a page would be written over, or where ids run out."""
    strangers = sorted(set(page_ids(folder)) - ids - {f"{next_id:04d}"})
    if strangers:
        raise BadData(
            f"{folder} has pages that its index does not name: {', '.join(strangers[:5])}"
            f"{', …' if len(strangers) > 5 else ''}. Move them away, or give another site name."
        )
    if next_id + num_wanted > MAX_PAGES:
        raise BadData(f"{num_wanted} more pages after {next_id} are too many: a site has at most {MAX_PAGES}.")


def _remove_leftovers(folder: Path, next_id: int) -> None:
    """Remove the page that an interruption left without its line."""
    try:
        for name in (f"{next_id:04d}.htm", f".{next_id:04d}.htm.part"):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise _disk_error(folder, error) from None


def _append_index(file: Path, cells: Iterable[str | None]) -> None:
    line = "\t".join(BLANK_OR_CONTROL.sub(" ", cell) if cell else "-" for cell in cells) + "\n"
    with file.open("ab") as index:
        index.write(line.encode("utf-8", "replace"))


def _name_by_count(folder: Path) -> None:
    """Give the folder the number of its pages; remove it where it has none."""
    count = len(page_ids(folder))
    named = folder.with_name(re.sub(r"\([0-9]+\)$", f"({count})", folder.name))
    try:
        if not any(folder.iterdir()):
            folder.rmdir()
        elif named != folder:
            folder.rename(named)
    except OSError as error:
        raise _disk_error(folder, error) from None


def _disk_error(folder: Path, error: OSError) -> EdrewError:
    reason = error.strerror or str(error)
    return EdrewError(f"{folder} cannot be written: {reason}. Run the same command again: it goes on where it stopped.")
