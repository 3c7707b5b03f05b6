"""The command `edrew`. Data goes to standard output, messages to standard error.

Exit code 0; 1 if any source failed (the others are still printed); 2 for wrong usage. Whatever a command needs
beyond this file it imports when it runs, so that `edrew --help` answers at once.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass, replace
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from edrew_torch import __version__
from edrew_torch.errors import EdrewError
from edrew_torch.page import MAX_BYTES, MAX_WAIT, TIMEOUT, Page, load_page
from edrew_torch.profile import find_profile

if TYPE_CHECKING:
    from edrew_torch.records.methods import Settings
    from edrew_torch.result import Result, Value

Found = TypeVar("Found")  # what is kept of a page until all are read

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
VALUE_COLUMNS = ("source", "attribute", "text", "xpath", "confidence")
PLOT_SUFFIXES = (".png", ".svg", ".pdf")

app = typer.Typer(
    name="edrew",
    help="The relevant data of any web page, without rendering it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(name="data", help="Data sets: make, fetch, collect, annotate, check.", no_args_is_help=True)
app.add_typer(data_app)


class Form(StrEnum):
    """How a table is printed."""

    table = "table"
    csv = "csv"
    markdown = "markdown"


class ExtractForm(StrEnum):
    """How values are printed."""

    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    text = "text"


class RecordsForm(StrEnum):
    """How records are printed."""

    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    table = "table"


class ArticleForm(StrEnum):
    """How an article is printed."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"


class Method(StrEnum):
    """The ways to find records; tests hold it against METHODS."""

    auto = "auto"
    signal = "signal"
    wrapper = "wrapper"
    equivalence = "equivalence"


class ProfileName(StrEnum):
    """The profiles by name; tests hold it against PROFILES."""

    full = "full"
    thesis = "thesis"


Sources = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE", help="HTML files, folders of them, URLs, or '-' for standard input."),
]
ProfileOption = Annotated[
    ProfileName,
    typer.Option(help="How the page is cut: 'full' loses nothing, 'thesis' follows the thesis."),
]
MaxMb = Annotated[float, typer.Option("--max-mb", min=0, max=100_000, help="Refuse pages larger than this.")]
Timeout = Annotated[float, typer.Option(min=0, max=MAX_WAIT, help="Seconds to wait for a server.")]


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The relevant data of any web page, without rendering it."""
    if version:
        print(f"edrew {__version__}")
        raise typer.Exit


@app.command()
def retps(
    sources: Sources,
    profile: ProfileOption = ProfileName.full,
    threshold: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="Elements kept of each reTPS; 20 if not given.")
    ] = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Print the reTPS of every node with content.

    One line per node: its reTPS, a TAB, its content.

        $ edrew retps page.html --profile thesis

        <#CNT><#SEP><#CLSS><#SEP>div|21<#SEP>body|2<#SEP>html|1    MSRP: $61,550
    """
    from edrew_torch.parse import parse_tree
    from edrew_torch.retps import RetpsBuilder, content_of, format_row

    chosen = find_profile(profile.value)
    builder = RetpsBuilder(replace(chosen, threshold=threshold) if threshold else chosen)

    def show(page: Page) -> None:
        tree = parse_tree(page, builder.profile)
        rows = builder.rows(tree)
        tokens = builder.vocabulary.tokens()
        for ids, node in zip(rows.ids, rows.nodes.tolist(), strict=True):
            print(f"{format_row(ids, tokens)}\t{content_of(tree, node)}")

    for_each_page(sources, show, max_mb, timeout)


@app.command()
def tree(
    sources: Sources,
    profile: ProfileOption = ProfileName.full,
    width: Annotated[int, typer.Option(min=20, help="Characters of a line.")] = 100,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Show the tree of a page: elements with id and classes, and their text."""
    from rich.console import Console

    from edrew_torch.outline import outline
    from edrew_torch.parse import parse_tree

    console = Console(highlight=False, soft_wrap=True)

    def show(page: Page) -> None:
        for line in outline(parse_tree(page, profile.value), width):
            # colours cost time, and only a terminal shows them
            console.print(line) if console.is_terminal else print(line.plain)

    for_each_page(sources, show, max_mb, timeout)


@app.command()
def extract(
    sources: Sources,
    is_site: Annotated[
        bool, typer.Option("--site", help="The sources are pages of one site: use them together.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="A model file, or a run folder of train.py; else the embedded one."),
    ] = None,
    vertical: Annotated[str | None, typer.Option(help="What the pages are about, for example auto.")] = None,
    form: Annotated[ExtractForm, typer.Option("--format", help="How to print the values.")] = ExtractForm.json,
    builder: Annotated[
        str | None,
        typer.Option(metavar="MODULE:FUNCTION", help="A function of the list of values; its JSON is printed."),
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, help="Leave out less sure values; 0.5 if not given.")
    ] = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Print the relevant values of each page, and which attribute of its subject each is.

    JSON is one line a page. A page about something the model does not know has no values, which is no error.

        $ edrew extract car.html --format text
    """
    from edrew_torch.attributes.model import AttributeModel
    from edrew_torch.extraction import find_results, load_model, read_page
    from edrew_torch.repeats import without_repeats

    with told_usage():
        loaded = load_model(model)
        build = find_builder(builder) if builder else None
        if isinstance(loaded, AttributeModel) and vertical is not None:
            loaded.check_vertical(vertical)
        elif vertical is not None:
            raise EdrewError("--vertical is for models that know attributes; a run of train.py does not.")
    is_json = form in (ExtractForm.json, ExtractForm.jsonl)

    def show(result: "Result") -> None:
        for warning in result.warnings:
            print(f"{result.source}: {warning}", file=sys.stderr)
        if build:
            print(built_json(result, build))
        elif is_json:
            print(result.as_json())
        elif form is ExtractForm.csv:
            print_values_csv(result)
        else:
            print_values_text(result)

    if form is ExtractForm.csv:
        print(",".join(VALUE_COLUMNS))
    if is_site:
        for_each_site(
            sources,
            read_page,
            # a model of attributes has used what repeats; what a run calls relevant has not been asked
            lambda pages: (
                find_results(pages, loaded, vertical, min_confidence)
                if isinstance(loaded, AttributeModel)
                else without_repeats(find_results(pages, loaded, vertical, min_confidence))
            ),
            show,
            max_mb,
            timeout,
            as_json=is_json,
        )
    else:
        for_each_page(
            sources,
            lambda page: show(find_results([read_page(page)], loaded, vertical, min_confidence)[0]),
            max_mb,
            timeout,
            as_json=is_json,
        )


@app.command()
def records(
    sources: Sources,
    method: Annotated[Method, typer.Option(help="How records are found.")] = Method.auto,
    form: Annotated[RecordsForm, typer.Option("--format", help="How to print them.")] = RecordsForm.json,
    keep_noise: Annotated[bool, typer.Option("--all", help="Menus, footers and other noise too.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the page as a signal (.png, .svg, .pdf).")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="For example wrapper.plain=true.")
    ] = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Print the lists of records of each page as tables: one row a record, aligned in columns.

    JSON is one line a page. A page without records has no regions, which is no error.

        $ edrew records results.html --format table
    """
    from edrew_torch.pipeline import extract_records
    from edrew_torch.records.methods import read_settings

    with told_usage():
        settings = read_settings(method.value, pairs_of(setting))
        if plot:
            check_plot(plot, len(list(pages_of(sources))))

    def show(page: Page) -> None:
        print_records(extract_records(page, method.value, keep_noise, settings), form)
        if plot:  # last: a picture that cannot be written costs no records
            draw_signal(page, plot, settings)

    for_each_page(sources, show, max_mb, timeout, as_json=form in (RecordsForm.json, RecordsForm.jsonl))


@app.command()
def article(
    sources: Sources,
    form: Annotated[ArticleForm, typer.Option("--format", help="How to print it.")] = ArticleForm.text,
    is_site: Annotated[
        bool, typer.Option("--site", help="The sources are pages of one site: leave out text that many of them have.")
    ] = False,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="For example news.model=none.")
    ] = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Print the title and the text of the article of each page.

    JSON is one line a page. A page without text is an empty article, which is no error.

        $ edrew article story.html --format markdown
    """
    from edrew_torch.news.extract import read_settings
    from edrew_torch.news.forms import as_markdown, as_text
    from edrew_torch.pipeline import extract_article
    from edrew_torch.repeats import without_repeats

    with told_usage():
        settings = read_settings(pairs_of(setting))
    is_json = form in (ArticleForm.json, ArticleForm.jsonl)
    is_several = len(list(pages_of(sources))) > 1

    def show(result: "Result") -> None:
        if is_json:
            print(result.as_json())
            return
        shown = as_markdown(result) if form is ArticleForm.markdown else as_text(result)
        if shown:
            print(shown, end="\n\n" if is_several else "\n")

    if is_site:
        for_each_site(
            sources,
            lambda page: extract_article(page, settings),
            lambda results: without_repeats(results, settings.many),
            show,
            max_mb,
            timeout,
            as_json=is_json,
        )
    else:
        for_each_page(sources, lambda page: show(extract_article(page, settings)), max_mb, timeout, as_json=is_json)


@app.command()
def wrap(
    sources: Sources,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The wrapper's file (JSON).")],
    method: Annotated[Method, typer.Option(help="How the records of these pages are found.")] = Method.auto,
    keep_all: Annotated[bool, typer.Option("--all", help="All content lists, not the main one alone.")] = False,
    example: Annotated[
        list[str] | None, typer.Option("--example", metavar="NAME=TEXT", help="A value of a detail page.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(metavar="TRUTH", help="The values of the pages: an SWDE root, a .csv or a .jsonl.")
    ] = None,
    is_auto: Annotated[
        bool, typer.Option("--auto", help="Detail pages of one site without examples: the model says what is what.")
    ] = False,
    vertical: Annotated[
        str | None, typer.Option(help="With --auto: what the pages are about, for example book.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0, max=0.99, help="Share of labelled pages on which a rule may be wrong; 0, with --auto 0.3."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="For example wrapper.plain=true.")
    ] = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Learn from one or more pages of a template how to read their list, or given values, and keep it in a file.

    Two pages are better than one: what differs between them is no part of the template. Examples are values of detail
    pages, each the whole text of a text node; pages without any of them help to choose among rules.

        $ edrew wrap results1.html results2.html -o site.json

        $ edrew wrap car1.html car2.html car3.html --example price='$61,550' --example model='2010 Accent' -o site.json

        $ edrew wrap cars/ --auto -o site.json
    """
    from edrew_torch.pipeline import AUTO_TOLERANCE, wrap_examples, wrap_pages, wrap_site
    from edrew_torch.records.methods import read_settings
    from edrew_torch.records.wrapper_file import save_wrapper

    with told_usage():
        settings = read_settings(method.value, pairs_of(setting))
        examples = examples_of(example)
        if (example or truth or is_auto) and (keep_all or setting or method is not Method.auto):
            raise EdrewError("--method, --all and --set find lists: leave them out with --example, --truth or --auto.")
        if sum(map(bool, (example, truth, is_auto))) > 1:
            raise EdrewError("--example, --truth and --auto all say what the values are: give one of them.")
        if vertical and not is_auto:
            raise EdrewError("--vertical is for --auto.")
        if tolerance is not None and not (example or truth or is_auto):
            raise EdrewError("--tolerance is for --example, --truth and --auto: a list is found without labels.")
        if not out.absolute().parent.is_dir():
            raise EdrewError(f"--out {out}: there is no folder {out.parent}.")
    pages, has_failed = [], False
    for source in pages_of(sources):
        try:
            pages.append(load_source(source, max_mb, timeout))
        except EdrewError as error:  # the others may do
            report(error)
            has_failed = True
    if not pages:
        raise typer.Exit(1)
    with told_errors(out):
        if truth:
            from edrew_torch.fields.truth_file import read_page_truth

            wrapper = wrap_examples(pages, read_page_truth(truth, [page.source for page in pages]), tolerance or 0.0)
        elif is_auto:
            wrapper = wrap_site(pages, None, vertical, AUTO_TOLERANCE if tolerance is None else tolerance)
        elif examples:
            wrapper = wrap_examples(pages, examples, tolerance or 0.0)
        else:
            wrapper = wrap_pages(pages, method.value, settings, keep_all)
        save_wrapper(wrapper, out)
    for warning in wrapper.warnings:
        print(warning, file=sys.stderr)
    for each in wrapper.lists:
        columns = ", ".join(column.name for column in each.columns)
        print(f"{out}: list {each.name} at {each.selector.xpath()}: {columns}", file=sys.stderr)
    for field in wrapper.fields:
        best = field.parts[0][0]
        print(f"{out}: field {field.name} at {best.rule.xpath()}, trusted by {best.confidence:.2f}", file=sys.stderr)
    if has_failed:
        raise typer.Exit(1)


@app.command()
def apply(
    wrapper: Annotated[Path, typer.Argument(metavar="WRAPPER", help="A file that `edrew wrap` has written.")],
    sources: Sources,
    form: Annotated[RecordsForm, typer.Option("--format", help="How to print what is read.")] = RecordsForm.json,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Read the records and values of further pages as a wrapper says, without finding them anew.

    `match` tells how well a page fitted; one that does not fit any more is a warning.

        $ edrew apply site.json results3.html --format csv
    """
    from edrew_torch.pipeline import apply_wrapper
    from edrew_torch.records.wrapper_file import load_wrapper

    with told_usage():
        loaded = load_wrapper(wrapper)

    if form is RecordsForm.csv and loaded.fields:
        print(",".join(VALUE_COLUMNS))

    def show(page: Page) -> None:
        result = apply_wrapper(loaded, page)
        if form is RecordsForm.csv:
            print_values_csv(result)
        elif form is RecordsForm.table:
            print_values_table(result)
        print_records(result, form)

    for_each_page(sources, show, max_mb, timeout, as_json=form in (RecordsForm.json, RecordsForm.jsonl))


def find_builder(name: str) -> Callable[[list["Value"]], Any]:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    sys.path.insert(0, "")  # a module beside the pages
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise EdrewError(
            f"--builder {name} is not found ({error}): give MODULE:FUNCTION, both on Python's path."
        ) from None
    except Exception as error:  # whatever the module does when it is read
        raise EdrewError(f"--builder {name} cannot be imported ({type(error).__name__}: {error}).") from error
    if not callable(found):
        raise EdrewError(f"--builder {name} is no function but a {type(found).__name__}.")
    return found  # type: ignore[no-any-return]


def built_json(result: "Result", build: Callable[[list["Value"]], Any]) -> str:
    """What a builder makes of a page, as a line of JSON; whatever goes wrong in it is told of this page alone."""
    try:
        made = {"source": result.source, "result": build(list(result.values))}
        return json.dumps(made, ensure_ascii=False, default=as_plain, separators=(",", ":"), allow_nan=False)
    except Exception as error:
        raise EdrewError(f"--builder failed on this page ({type(error).__name__}: {error}).") from error


def as_plain(value: Any) -> Any:
    """A dataclass as JSON has it; and dates, paths, sets as people would write them."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def print_values_text(result: "Result") -> None:
    """Print the values a line each, under the title of their page."""
    print(printable(result.title or result.source))
    width = max((len(each.attribute or "") for each in result.values), default=0)
    for each in result.values:
        print(f"  {each.attribute or '':{width}}  {printable(each.text)}  ({each.confidence:.2f})")


def print_values_csv(result: "Result") -> None:
    """Print the values as lines of CSV; VALUE_COLUMNS is the line above them."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for each in result.values:
        writer.writerow([result.source, each.attribute or "", each.text, each.xpath, f"{each.confidence:.2f}"])


def print_values_table(result: "Result") -> None:
    """Print the values as a table, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if result.values:
        title = Text(printable(f"{result.source}: {result.title or ''}"))
        table = Table(*VALUE_COLUMNS[1:], title=title)
        for each in result.values:
            cells = (each.attribute or "", each.text, each.xpath, f"{each.confidence:.2f}")
            table.add_row(*(Text(printable(cell)) for cell in cells))
        Console().print(table)


def printable(text: str) -> str:
    """The text without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def examples_of(given: list[str] | None) -> dict[str, list[str]]:
    """`name=text` arguments as a table; a name may be given again, for another value or another page."""
    found: dict[str, list[str]] = {}
    for each in given or []:
        name, sign, text = each.partition("=")
        if not sign or not name.strip() or not text.strip():
            raise EdrewError(f"--example {each!r}: give NAME=TEXT, for example --example price='$61,550'.")
        found.setdefault(name.strip(), []).append(text)
    return found


def pairs_of(settings: list[str] | None) -> dict[str, str]:
    """`key=value` arguments as a table."""
    return dict(pair.partition("=")[::2] for pair in settings or [])


def print_records(result: "Result", form: RecordsForm) -> None:
    """Print the tables of a page, and what went wrong to standard error."""
    for warning in result.warnings:
        print(f"{result.source}: {warning}", file=sys.stderr)
    if form in (RecordsForm.json, RecordsForm.jsonl):
        print(result.as_json())
    elif form is RecordsForm.csv:
        print("\n".join(region.as_csv() for region in result.regions), end="")
    else:
        print_tables(result)


def check_plot(file: Path, num_pages: int) -> None:
    """Raise before any page is read if the plot cannot be drawn."""
    if num_pages > 1:
        raise EdrewError(f"--plot draws one page, not {num_pages}: give one source.")
    if file.suffix.lower() not in PLOT_SUFFIXES:
        raise EdrewError(f"--plot {file}: give a name that ends in {' or '.join(PLOT_SUFFIXES)}.")
    if not file.absolute().parent.is_dir():
        raise EdrewError(f"--plot {file}: there is no folder {file.parent}.")


def draw_signal(page: Page, file: Path, settings: "Settings") -> None:
    """Draw the page as a signal, with the settings of that method if it is the one in use."""
    from edrew_torch.parse import parse_tree
    from edrew_torch.records.signal import DEFAULTS, SignalSettings

    try:
        from edrew_torch.plots import plot_signal
    except ImportError as error:
        raise EdrewError(f"--plot needs matplotlib ({error}): pip install 'edrew-torch[train]'.") from None
    with told_errors(file):
        plot_signal(parse_tree(page), file, settings if isinstance(settings, SignalSettings) else DEFAULTS)


def print_tables(result: "Result") -> None:
    """Print the regions as tables, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for region in result.regions:
        kind = "content" if region.content else "noise"
        title = f"{result.source}: {len(region.rows)} records, {kind}, confidence {region.confidence:.2f}"
        console.print(Text(title), soft_wrap=True)
        table = Table(*region.columns, show_header=bool(region.columns), show_lines=True)
        for row in region.rows:
            texts = ((cell.text or cell.src or "") if cell else "" for cell in row)
            # a page must not steer the terminal
            table.add_row(*(Text(printable(text)) for text in texts))
        console.print(table)


Vertical = Annotated[str, typer.Option(help="For example auto.")]
SiteName = Annotated[str, typer.Option("--site", help="For example cars.")]


@data_app.command()
def sample(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write, made if missing.")],
    seed: Annotated[int, typer.Option(help="Another seed gives other pages.")] = 1,
    pages: Annotated[int, typer.Option(min=1, max=10_000, help="Pages of each site.")] = 30,
) -> None:
    """Write the embedded sample: 8 verticals of invented pages with ground truth, in the layout of SWDE."""
    from edrew_torch.datasets.sample import write_sample

    with told_errors(target):
        write_sample(target, seed=seed, pages=pages)
    print(f"wrote the sample to {target}", file=sys.stderr)


@data_app.command()
def check(
    root: Annotated[Path, typer.Argument(metavar="ROOT", help="An SWDE root: a folder, its packs, an archive.")],
    profile: ProfileOption = ProfileName.full,
    vertical: Annotated[list[str] | None, typer.Option(help="Only this one; may be given again.")] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print the tables.")] = Form.table,
) -> None:
    """Show which true values of a data set are found as nodes: per attribute found, missing, ambiguous.

    A second table counts the unique pages of each vertical: those whose set of reTPS no earlier page has.
    """
    from rich.console import Console

    from edrew_torch import report as reports
    from edrew_torch.datasets.check import coverage_report, unique_report
    from edrew_torch.datasets.load import load_data

    with told_errors(root):
        data = load_data("swde", find_profile(profile.value), root=root, verticals=vertical)
        for made in (coverage_report(data, profile.value), unique_report(data, profile.value)):
            if form is Form.table:
                Console().print(reports.as_rich(made))
            else:
                print({Form.csv: reports.as_csv, Form.markdown: reports.as_markdown}[form](made))


@data_app.command()
def download(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The data set: swde.")],
    folder: Annotated[Path | None, typer.Option(help="Where to keep it; the user's cache if not given.")] = None,
    url: Annotated[str | None, typer.Option(help="Another address, also by $EDREW_SWDE_URL.")] = None,
    sha256: Annotated[str | None, typer.Option(help="The checksum it must have.")] = None,
) -> None:
    """Fetch a public data set to the cache; run again after an interruption, it goes on where it stopped."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    from edrew_torch.datasets.download import download_dataset

    columns = ("{task.description}", BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with told_errors(folder or Path()), Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        done = download_dataset(
            name, folder, url, sha256, lambda there, total: progress.update(task, completed=there, total=total)
        )
    print(done.path)
    if not done.was_checked:
        print(f"sha256 {done.sha256}: not checked; give it with --sha256 to pin this file", file=sys.stderr)


@data_app.command()
def collect(
    urls: Annotated[Path, typer.Argument(metavar="LIST", help="A file with one URL a line.")],
    vertical: Vertical,
    site: SiteName,
    root: Annotated[Path, typer.Option(help="The SWDE root to write to.")] = Path("nswde"),
    delay: Annotated[float, typer.Option(min=0, max=MAX_WAIT, help="Seconds between two requests to one host.")] = 1.0,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Fetch today's pages of a site into the layout of SWDE: politely, resumable, never twice."""
    from rich.console import Console
    from rich.progress import Progress

    from edrew_torch.datasets.collect import Collected, read_urls
    from edrew_torch.datasets.collect import collect as collect_pages

    with told_errors(root), Progress(console=Console(stderr=True), transient=True) as progress:
        listed = read_urls(urls)
        task = progress.add_task(site, total=len(set(listed)))

        def show(page: Collected) -> None:
            progress.advance(task)
            if not page.is_ok:
                print(f"{page.url}: {page.status}", file=sys.stderr)

        pages = collect_pages(listed, root, vertical, site, delay=delay, timeout=timeout, on_page=show)
        failed = sum(not page.is_ok for page in pages)
    print(f"{len(pages) - failed} pages of {site} in {root}, {failed} failed", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


@data_app.command()
def annotate(
    table: Annotated[Path, typer.Argument(metavar="CSV", help="page,attribute,value or page,<attribute>,…")],
    root: Annotated[Path, typer.Argument(metavar="ROOT", help="The SWDE root that holds the site.")],
    vertical: Vertical,
    site: SiteName,
) -> None:
    """Write the ground truth files of a site from a table of values, and say which values no node holds."""
    from edrew_torch.datasets.annotate import annotate as write_truth

    with told_errors(root):
        done = write_truth(table, root, vertical, site)
    for missed in done.missed:
        hint = f"; nearest: {missed.nearest!r}" if missed.nearest else ""
        print(f"{missed.page_id} {missed.attribute}: no node holds {missed.value!r}{hint}", file=sys.stderr)
    print(
        f"{done.num_values} values on {done.num_annotated} of {done.num_pages} pages, {len(done.missed)} in no node",
        file=sys.stderr,
    )


@contextmanager
def told_errors(target: Path) -> Iterator[None]:
    """Turn what a user can mend into a message and exit code 1."""
    try:
        yield
    except EdrewError as error:
        report(error)
        raise typer.Exit(1) from None
    except OSError as error:
        report(EdrewError(f"{error.filename or target} cannot be read or written: {error.strerror}."))
        raise typer.Exit(1) from None


@contextmanager
def told_usage() -> Iterator[None]:
    """Turn a wrong argument into a message and exit code 2."""
    try:
        yield
    except EdrewError as error:
        report(error)
        raise typer.Exit(2) from None


def for_each_page(
    sources: Iterable[str], show: Callable[[Page], None], max_mb: float, timeout: float, as_json: bool = False
) -> None:
    """Call `show` with the page of each source; a folder stands for the pages in it.

    One that fails is reported and the others go on; in JSON its line says so, so that there is a line for every source.
    """
    has_failed = False
    for source in pages_of(sources):
        try:
            show(load_source(source, max_mb, timeout))
        except EdrewError as error:
            report_source(source, error, as_json)
            has_failed = True
    if has_failed:
        raise typer.Exit(1)


def for_each_site(
    sources: Iterable[str],
    find: Callable[[Page], Found],
    finish: "Callable[[list[Found]], list[Result]]",
    show: Callable[["Result"], None],
    max_mb: float,
    timeout: float,
    as_json: bool = False,
) -> None:
    """Like `for_each_page` where a page's answer depends on the others': all are found, finished together, then shown.

    Only what `find` gives is kept of each. One that fails takes no part and is told at its place.
    """
    found: list[tuple[str, Found | EdrewError]] = []
    for source in pages_of(sources):
        try:
            found.append((source, find(load_source(source, max_mb, timeout))))
        except EdrewError as error:
            found.append((source, error))
    finished = iter(finish([each for _, each in found if not isinstance(each, EdrewError)]))
    has_failed = False
    for source, each in found:
        try:
            if isinstance(each, EdrewError):
                raise each
            show(next(finished))
        except EdrewError as error:
            report_source(source, error, as_json)
            has_failed = True
    if has_failed:
        raise typer.Exit(1)


def pages_of(sources: Iterable[str]) -> Iterator[str]:
    """The sources, a folder replaced by its HTML files in order of their names; one without any is left to fail."""
    for source in sources:
        folder = Path(source)
        is_folder = source != "-" and "://" not in source and folder.is_dir()
        inside = sorted(filter(is_page_file, folder.iterdir())) if is_folder else []
        yield from map(str, inside) if inside else [source]


def is_page_file(path: Path) -> bool:
    """Does the name say that it is a page?"""
    return path.suffix.lower() in PAGE_SUFFIXES and path.is_file()


def load_source(source: str, max_mb: float, timeout: float) -> Page:
    """The page of an argument: never markup itself, which `load_page` takes too."""
    is_path = source != "-" and not source[:8].lower().startswith(("http://", "https://"))
    return load_page(Path(source) if is_path else source, timeout, int(max_mb * 2**20))


def report(error: EdrewError) -> None:
    """Say what was wrong."""
    print(f"{type(error).__name__}: {error}", file=sys.stderr)


def report_source(source: str, error: EdrewError, as_json: bool) -> None:
    """Say what was wrong with a source, in JSON on its line of the output too."""
    report(error)
    if as_json:
        told = {"source": source, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


def main() -> None:
    """Entry point of the console command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # pages hold every character; a terminal of another encoding must not stop the output
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except OSError as error:  # the output cannot be written: a full disk, say
        print(f"edrew: {error.strerror}", file=sys.stderr)
        sys.exit(1)
