"""Collecting and annotating a site: polite, resumable, and what is written is what SWDE's reader reads."""

import http.server
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import httpx
import pytest

from edrew_torch.datasets import annotate as annotate_module
from edrew_torch.datasets.annotate import annotate
from edrew_torch.datasets.collect import collect, read_index, read_urls
from edrew_torch.datasets.swde import read_swde
from edrew_torch.errors import BadConfig, BadData, EdrewError
from edrew_torch.page import Page

from .conftest import files_below, serving

BOM = b"\xef\xbb\xbf"


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now, self.slept = 1000.0, []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append((self.path, server.time.now, self.headers["user-agent"]))
        answer = server.pages.get(self.path, 404)
        if isinstance(answer, list):  # one answer after the other
            answer = answer.pop(0)
        if callable(answer):
            answer = answer()
        status, headers, body = answer if isinstance(answer, tuple) else (answer, {}, b"")
        self.send_response(status)
        for name, value in {"content-type": "text/html", "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with serving(Handler) as made:
        made.time, made.requests, made.released = FakeTime(), [], threading.Event()
        made.pages = {f"/{n}": page(f"<title>page {n}</title><h1>Book {n}</h1>") for n in range(5)}
        yield made
        made.released.set()


@pytest.fixture(scope="module")
def client():
    with httpx.Client() as made:  # one for all: making it costs more than a test
        yield made


@pytest.fixture
def run(server, client, tmp_path):
    def run(paths, root=tmp_path, vertical="book", site="shop", **options):
        urls = [path if "://" in path else server.url + path for path in paths]
        time = server.time
        return collect(urls, root, vertical, site, client=client, clock=time.clock, sleep=time.sleep, **options)

    return run


def page(html, **headers):
    return 200, headers, html.encode()


def asked(server):
    return [path for path, _, _ in server.requests]


def pauses(server):
    return [later - earlier for (_, earlier, _), (_, later, _) in pairwise(server.requests)]


def without_dates(files):
    return {
        name: [line.split(b"\t")[:3] + line.split(b"\t")[4:] for line in data.split(b"\n")]
        if name.endswith(".tsv")
        else data
        for name, data in files.items()
    }


def test_pages_are_written_in_the_layout_of_swde(server, run, tmp_path):
    server.pages["/0?a=1&b=%22"] = 200, {"content-type": "text/html; charset=latin-1"}, b"<meta charset=utf-8><p>\xe9"
    server.pages["/1"] = 200, {}, BOM + "<p>ü".encode()
    results = run(["/0?a=1&b=%22", "/1"])
    folder = tmp_path / "book" / "book-shop(2)"
    base = f'<base href="{server.url}/0?a=1&amp;b=%22"/>\n'
    assert (folder / "0000.htm").read_bytes() == BOM + f"{base}<meta charset=utf-8><p>é".encode()
    assert (folder / "0001.htm").read_bytes() == BOM + f'<base href="{server.url}/1"/>\n<p>ü'.encode()
    assert Page.from_path(folder / "0000.htm").html.endswith("<p>é")
    assert [(entry.page_id, entry.status, entry.is_new) for entry in results] == [
        ("0000", "ok", True),
        ("0001", "ok", True),
    ]
    assert sorted(path.name for path in (tmp_path / "book").iterdir()) == ["book-shop(2)", "book-shop.urls.tsv"]
    [site] = read_swde(tmp_path)
    assert [(found.vertical, found.site, found.page_id) for found in site] == [
        ("book", "shop", "0000"),
        ("book", "shop", "0001"),
    ]


def test_requests_to_a_host_keep_the_delay(server, run):
    run(["/0", "/1", "/2"], delay=2.5, user_agent="mine/1.0")
    assert asked(server) == ["/robots.txt", "/0", "/1", "/2"]
    assert pauses(server) == [2.5, 2.5, 2.5]
    assert {agent for _, _, agent in server.requests} == {"mine/1.0"}


def test_time_that_passed_counts_towards_the_delay(server, run):
    run(["/0", "/1"], delay=2.0, on_page=lambda _: server.time.sleep(0.5))
    assert server.time.slept == [2.0, 0.5, 1.5, 0.5]


@pytest.mark.parametrize(("asked_for", "pause"), [("7", 7.0), ("900", 60.0), ("9" * 400, 60.0), ("1", 2.0)])
def test_a_longer_crawl_delay_is_kept_up_to_a_minute(server, run, asked_for, pause):
    server.pages["/robots.txt"] = page(f"User-agent: *\nCrawl-delay: {asked_for}\n")
    run(["/0", "/1"], delay=2.0)
    assert pauses(server) == [pause, pause]


def test_redirects_keep_delay_and_rules_too(server, run):
    server.pages |= {"/old": (301, {"location": "/0#top"}, b""), "/trap": (302, {"location": "/secret/x"}, b"")}
    server.pages |= {"/robots.txt": page("User-agent: *\nDisallow: /secret"), "/secret/x": page("<p>no")}
    moved, trapped = run(["/old", "/trap"], delay=3.0)
    assert (moved.final_url, moved.is_ok) == (f"{server.url}/0", True)
    assert "forbidden by" in trapped.status
    assert asked(server) == ["/robots.txt", "/old", "/0", "/trap"]
    assert pauses(server) == [3.0, 3.0, 3.0]


def test_endless_redirects_end(server, run):
    server.pages["/round"] = (302, {"location": "/round"}, b"")
    assert "redirects more than" in run(["/round"])[0].status
    assert len(server.requests) < 15


def test_addresses_that_lead_to_one_page_give_one_page(server, run, tmp_path):
    server.pages |= {f"/gone{n}": (302, {"location": "/0"}, b"") for n in range(3)}
    results = run(["/gone0", "/gone1", "/0", "/gone2"])
    assert [entry.is_ok for entry in results] == [True, False, False, False]
    assert "page 0000 already" in results[1].status
    assert asked(server) == ["/robots.txt", "/gone0", "/0", "/gone1", "/gone2"]
    assert [path.name for path in (tmp_path / "book").glob("*(*)")] == ["book-shop(1)"]


def test_robots_rules_are_obeyed_and_read_once(server, run):
    server.pages["/robots.txt"] = page("User-agent: other\nDisallow: /\n\nUser-agent: edrew\nDisallow: /1\n")
    results = run(["/0", "/1", "/2"])
    assert [entry.is_ok for entry in results] == [True, False, True]
    assert f"forbidden by {server.url}/robots.txt" in results[1].status
    assert asked(server) == ["/robots.txt", "/0", "/2"]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_host_whose_rules_cannot_be_read_is_left_out(server, run, tmp_path, status):
    server.pages["/robots.txt"] = status
    results = run(["/0", "/1", "http://127.0.0.1:1/x"])
    assert asked(server) == ["/robots.txt"]
    assert f"answered {status}" in results[0].status
    assert "could not be read" in results[2].status
    assert not list((tmp_path / "book").glob("*(*)"))  # no page, no folder


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_host_without_rules_allows_all(server, run, status):
    server.pages["/robots.txt"] = status
    assert run(["/0"])[0].is_ok


def test_rules_that_break_the_parser_leave_the_host_out(server, run):
    server.pages["/robots.txt"] = page("User-agent: *\nCrawl-delay: ²\n")
    assert "could not be read" in run(["/0"])[0].status


def http_date(hours):
    """The time `hours` from now as an HTTP header writes it."""
    return format_datetime(datetime.now(UTC) + timedelta(hours=hours), usegmt=True)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "pause"),
    [
        pytest.param(lambda: "30", 30.0, id="seconds"),
        pytest.param(lambda: "999", 120.0, id="many seconds"),
        # made when the test runs: each worker of pytest-xdist collects at a time of its own
        pytest.param(lambda: http_date(2), 120.0, id="in two hours"),
        pytest.param(lambda: http_date(-2), 1.0, id="two hours ago"),
    ],
)
def test_retry_after_is_kept_up_to_two_minutes(server, run, status, header, pause):
    server.pages["/0"] = [(status, {"retry-after": header()}, b""), page("<p>now")]
    assert run(["/0"], delay=1.0)[0].is_ok
    assert pauses(server) == [1.0, pause]


def test_retry_after_is_tried_once(server, run):
    server.pages["/0"] = 503, {"retry-after": "5"}, b""
    server.pages["/1"] = 503, {"retry-after": "soon"}, b""
    server.pages["/3"] = 503, {"retry-after": f"Mon, 01 Jan 2024 00:00:00 +{'9' * 30}"}, b""
    results = run(["/0", "/1", "/3", "/2"])
    assert asked(server) == ["/robots.txt", "/0", "/0", "/1", "/3", "/2"]
    assert ["answered 503" in entry.status for entry in results] == [True, True, True, False]


def test_one_bad_address_does_not_lose_the_others(server, run, tmp_path):
    def never():
        server.released.wait(5)
        return page("<p>late")

    server.pages |= {
        "/slow": never,
        "/image": page("x", **{"content-type": "image/png"}),
        "/large": page("<p>" + "x" * 5000),
        "/empty": page(""),
    }
    paths = ["/none", "/slow", "/image", "/large", "/empty", "http://[bad", "ftp://127.0.0.1/x", "/a b", "/3"]
    paths.append(f"http://me:secret@127.0.0.1:{server.server_port}/4")
    told = []
    results = run(paths, timeout=0.3, max_bytes=1000, on_page=told.append)
    assert told == results
    for entry, said in zip(
        results,
        "404,did not answer,image/png,larger,is empty,no web address,no web address,a space,ok,user name".split(","),
        strict=True,
    ):
        assert said in entry.status
    index = read_index(tmp_path / "book" / "book-shop.urls.tsv")
    assert [entry.status for entry in index.values()] == [entry.status for entry in results]
    assert "secret" not in results[-1].status
    assert [path.name for path in (tmp_path / "book").glob("*/*")] == ["0000.htm"]


def test_a_page_that_trickles_in_is_given_up(server, run):
    def trickle():
        server.time.now += 1000
        return page("<p>x")

    server.pages["/0"] = trickle
    assert "did not answer" in run(["/0"])[0].status
    assert run(["/0"], timeout=101.0)[0].is_ok


def test_nothing_is_fetched_twice(server, run, tmp_path):
    first = run(["/0", "/1#a", "/1#b", "/1"])
    assert [entry.url for entry in first] == [f"{server.url}/0", f"{server.url}/1"]
    assert asked(server) == ["/robots.txt", "/0", "/1"]
    before = files_below(tmp_path)
    server.requests.clear()
    again = run(["/0", "/1"])
    assert server.requests == []
    assert files_below(tmp_path) == before
    assert [(entry.page_id, entry.is_new) for entry in again] == [("0000", False), ("0001", False)]


def test_what_failed_is_tried_again_and_the_folder_grows(server, run, tmp_path):
    later, server.pages["/1"] = server.pages["/1"], 500
    run(["/0", "/1", "/2"])
    server.pages["/1"] = later
    server.requests.clear()
    results = run(["/0", "/1", "/2", "/3"])
    assert asked(server) == ["/robots.txt", "/1", "/3"]
    assert [entry.page_id for entry in results] == ["0000", "0002", "0001", "0003"]
    assert [path.name for path in (tmp_path / "book").glob("*(*)")] == ["book-shop(4)"]


@pytest.mark.parametrize("stop_at", [0, 1, 3])
def test_an_interrupted_run_goes_on_to_the_same_result(server, run, tmp_path, stop_at):
    paths = ["/0", "/1", "/2", "/3", "/4"]
    run(paths, tmp_path / "whole")

    def stop(entry):
        if entry.url.endswith(paths[stop_at]):
            raise KeyboardInterrupt

    server.requests.clear()
    with pytest.raises(KeyboardInterrupt):
        run(paths, tmp_path / "parts", on_page=stop)
    assert [path.name for path in (tmp_path / "parts" / "book").glob("*(*)")] == [f"book-shop({stop_at + 1})"]
    run(paths, tmp_path / "parts")
    assert sorted(asked(server)) == ["/0", "/1", "/2", "/3", "/4", "/robots.txt", "/robots.txt"]
    assert without_dates(files_below(tmp_path / "parts")) == without_dates(files_below(tmp_path / "whole"))


def test_a_hard_kill_leaves_a_state_to_go_on_from(server, run, tmp_path):
    run(["/0", "/1", "/2"], tmp_path / "whole")
    run(["/0", "/1"], tmp_path / "parts")
    folder, index = tmp_path / "parts/book/book-shop(2)", tmp_path / "parts/book/book-shop.urls.tsv"
    # killed after the page was written and in the middle of its line, before the folder got its number
    (folder / "0002.htm").write_bytes(b"half")
    index.write_bytes(index.read_bytes() + f"0002\t{server.url}/2\t".encode())
    folder.rename(folder.with_name("book-shop(0)"))
    run(["/0", "/1"], tmp_path / "parts")
    assert sorted(path.name for path in folder.iterdir()) == ["0000.htm", "0001.htm"]  # only whole pages count
    run(["/0", "/1", "/2"], tmp_path / "parts")
    assert without_dates(files_below(tmp_path / "parts")) == without_dates(files_below(tmp_path / "whole"))


def test_pages_made_elsewhere_are_never_written_over(run, server, tmp_path):
    folder = tmp_path / "book" / "book-shop(2)"
    folder.mkdir(parents=True)
    (folder / "0000.htm").write_bytes(b"mine")
    with pytest.raises(BadData, match="has pages but no index"):
        run(["/0"])
    assert files_below(tmp_path) == {"book/book-shop(2)/0000.htm": b"mine"}
    run(["/0"], site="other")
    (tmp_path / "book" / "book-other(1)" / "0007.htm").write_bytes(b"mine")
    with pytest.raises(BadData, match="does not name: 0007"):
        run(["/1"], site="other")


def test_two_folders_of_a_site_are_refused(run, tmp_path):
    for count in (1, 2):
        (tmp_path / "book" / f"book-shop({count})").mkdir(parents=True)
    with pytest.raises(BadData, match="2 folders of the site 'shop'"):
        run(["/0"])


def test_a_site_has_as_many_pages_as_there_are_ids(run, server):
    with pytest.raises(BadData, match="at most 10000"):
        run([f"/p{n}" for n in range(10_001)])
    assert server.requests == []


BAD_NAMES = ["..", "../x", "a/b", "", "A", "a-b", "a\n", "x" * 65, "C:\\x", "a\0"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_could_lead_out_of_the_root_are_refused(run, server, tmp_path, name):
    root = tmp_path / "root"
    for names in ({"vertical": name}, {"site": name}):
        with pytest.raises(BadConfig, match="is no name"):
            run(["/0"], root, **names)
        with pytest.raises(BadConfig, match="is no name"):
            annotate(tmp_path / "none.csv", root, **{"vertical": "book", "site": "shop", **names})
    assert server.requests == []
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_truth_is_no_vertical_and_all_faults_are_told(run):
    with pytest.raises(BadConfig, match=r"'A B'.*groundtruth"):
        run(["/0"], vertical="groundtruth", site="A B")
    with pytest.raises(BadConfig, match="delay is -1"):
        run(["/0"], delay=-1)
    with pytest.raises(BadConfig, match="at most 86400"):
        run(["/0"], delay=float("inf"))


def test_disk_errors_are_told(run, tmp_path):
    (tmp_path / "book").write_bytes(b"")
    with pytest.raises(EdrewError, match="cannot be written"):
        run(["/0"])


def test_a_list_of_addresses(tmp_path):
    file = tmp_path / "list.txt"
    file.write_bytes(BOM + b"# mine\r\n\r\nhttp://a.example/1#x\r\n  https://b.example/\n")
    assert read_urls(file) == ["http://a.example/1#x", "https://b.example/"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"http://a.example/\n\nfile:///etc/passwd\n", r"list\.txt, line 3: 'file:///etc/passwd' is no web address"),
        (b"www.a.example\n", "line 1: 'www.a.example' is no web address"),
        (b"http://a.example/a b\n", "line 1: .* has a space"),
        (b"http:///x\n", "name a host"),
        (b"# nothing\n", "holds no URL"),
        (b"\xff\xfe\n", "not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_list_names_file_and_line(tmp_path, text, message):
    file = tmp_path / "list.txt"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(BadData, match=message):
        read_urls(file)


def test_a_damaged_index_names_file_and_line(run, tmp_path):
    run(["/0"])
    index = tmp_path / "book" / "book-shop.urls.tsv"
    whole = index.read_bytes()
    for line in (b"0001\tx\n", b"../x\thttp://a.example\t-\t-\tok\n"):
        index.write_bytes(whole + line)
        with pytest.raises(BadData, match=r"book-shop\.urls\.tsv, line 3"):
            run(["/0"])


# annotate


@pytest.fixture
def site(run, server, tmp_path):
    server.pages["/0"] = page("<h1>Sea &amp;  Salt</h1><p>by <b>Alma Roe</b><b>Bo Ek</b></p><p>Price:\n $5</p>")
    server.pages["/1"] = page("<h1>1 &lt; 2</h1><script>var hidden = 'Rain'</script>")
    run(["/0", "/1", "/2"])
    return tmp_path


@pytest.fixture
def table(tmp_path):
    def write(text):
        file = tmp_path / "table.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def truth_of(root):
    return [found.truth for found in next(read_swde(root))]


TRUTH = [
    {"title": ("Sea &amp; Salt",), "author": ("Alma Roe", "Bo Ek")},
    {"title": ("1 &lt; 2",), "author": ()},
    {"title": (), "author": ()},
]


@pytest.mark.parametrize(
    "text",
    [
        "page,title,author\n0000,Sea & Salt,Alma Roe | Bo Ek\n0001,1 < 2,\n",
        'Page,author,title\r\n0,Alma Roe,"Sea\n\t& Salt"\r\n\r\n0,Bo Ek,Sea & Salt\r\n1,,1 < 2\r\n',
        "page,attribute,value\n0000,title,Sea & Salt\n0000,author,Alma Roe\n0000,author,Bo Ek\n1,title,1 < 2\n",
        "value,page,attribute\nSea & Salt,URL/0#x,title\nAlma Roe,0000,author\nBo Ek,0,author\n1 < 2,URL/1,title\n",
        "\ufeffpage,title,author\n0000,Sea\u00a0&  Salt,Alma Roe | Alma Roe |  Bo Ek\n0001,1 < 2,\n",
    ],
)
def test_truth_is_read_back_as_it_was_given(site, table, server, text):
    report = annotate(table(text.replace("URL", server.url)), site, "book", "shop")
    assert truth_of(site) == TRUTH
    assert (report.num_pages, report.num_annotated, report.num_values, report.missed) == (3, 2, 4, ())
    assert sorted(file.relative_to(site).as_posix() for file in report.files) == [
        "groundtruth/book/book-shop-author.txt",
        "groundtruth/book/book-shop-title.txt",
    ]


def test_a_truth_file_to_the_byte(site, table):
    annotate(table("page,author\n0,Alma Roe | Bo Ek\n1,Bo Ek\n"), site, "book", "shop")
    assert (site / "groundtruth/book/book-shop-author.txt").read_bytes() == BOM + (
        b"book\tshop\tauthor\n3\t2\t3\t2\n0000\t2\tAlma Roe\tBo Ek\n0001\t1\tBo Ek\n0002\t0\t<NULL>\n"
    )


def test_a_value_named_null_and_separators_in_the_long_form_are_kept(site, table):
    annotate(table("page,attribute,value\n0,note,<NULL>\n1,note,a | b\n"), site, "book", "shop")
    assert truth_of(site) == [{"note": ("&lt;NULL&gt;",)}, {"note": ("a | b",)}, {"note": ()}]


def test_values_that_no_node_holds_come_with_the_nearest(site, table):
    text = "page,title,author,price\n0,Sea and Salt,Alma Roe,$5\n1,Rain,,\n2,Book 2,zzzzzz,\n"
    report = annotate(table(text), site, "book", "shop")
    assert [(miss.page_id, miss.attribute, miss.value, miss.nearest) for miss in report.missed] == [
        ("0000", "price", "$5", "Price: $5"),
        ("0000", "title", "Sea and Salt", "Sea & Salt"),
        ("0001", "title", "Rain", None),  # a script is no content
        ("0002", "author", "zzzzzz", None),
    ]
    assert truth_of(site)[0]["price"] == ("$5",)  # written all the same


def test_hints_are_bounded(site, table, monkeypatch):
    monkeypatch.setattr(annotate_module, "MAX_HINTS", 1)
    report = annotate(table("page,a,b\n0,Alma Ro,Alma Ro\n1,1 <,\n"), site, "book", "shop")
    assert [miss.nearest for miss in report.missed] == ["Alma Roe", None, None]


def test_other_attributes_stay_and_the_same_is_replaced(site, table):
    annotate(table("page,title,author\n0,Sea & Salt,Alma Roe\n"), site, "book", "shop")
    annotate(table("page,author\n0,Bo Ek\n"), site, "book", "shop")
    assert truth_of(site)[0] == {"title": ("Sea &amp; Salt",), "author": ("Bo Ek",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("page,title\n", "a header and no rows"),
        ("title,author\nx,y\n", r"line 1: no column 'page'. Columns there: title, author"),
        ("page;title\n0;x\n", r"no column 'page'. Columns there: page;title. Part columns with commas"),
        ("page\n0000\n", "no column besides 'page'"),
        ("page,attribute\n0,title\n", "no column 'value'"),
        ("page,title,title\n0,a,b\n", "stands twice"),
        ("page,../x\n0,a\n", r"line 1: '\.\./x' is no name of an attribute"),
        ("page,attribute,value\n0,title,a\n0,a/b,a\n", "line 3: 'a/b' is no name of an attribute"),
        ("page,title\n0,a\n0009,b\n", r"table\.csv, line 3: no page '0009'.*has 3: 0000, 0001, 0002"),
        ("page,title\nhttp://127.0.0.1/x,b\n", "line 2: no page 'http://127.0.0.1/x'"),
        ("page,title\n0,a,b\n", "line 2: 3 cells, but the header has 2: page, title"),
        ('page,title\n0,"a\n', "line 2: no CSV"),
        (b"page,title\n0,\xff\n", "not UTF-8"),
    ],
)
def test_a_wrong_table_names_file_and_line_and_writes_nothing(site, table, text, message):
    with pytest.raises(BadData, match=message):
        annotate(table(text), site, "book", "shop")
    assert not (site / "groundtruth").exists()


def test_a_missing_table_or_site_is_told(site, table):
    with pytest.raises(BadData, match="cannot be read"):
        annotate(site / "none.csv", site, "book", "shop")
    with pytest.raises(BadData, match=r"no site 'shap'\. Sites there: shop"):
        annotate(table("page,title\n0,a\n"), site, "book", "shap")
    with pytest.raises(BadData, match="Sites there: none"):
        annotate(table("page,title\n0,a\n"), site, "movie", "shop")
