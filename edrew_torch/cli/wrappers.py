"""`edrew wrap` and `edrew apply`: how to read a site, learnt from some of its pages, and applied to others."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edrew_torch.cli.arguments import MaxMb, Method, MethodSettings, RecordsForm, Sources, Timeout, pairs_of
from edrew_torch.cli.printing import VALUE_COLUMNS, print_records, print_values_csv, print_values_table
from edrew_torch.cli.sources import for_each_page, load_all, told_errors, told_usage
from edrew_torch.errors import EdrewError
from edrew_torch.page import MAX_BYTES, TIMEOUT, Page

if TYPE_CHECKING:
    from edrew_torch.records.wrapper import Wrapper


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
    setting: MethodSettings = None,
    max_mb: MaxMb = MAX_BYTES / 2**20,
    timeout: Timeout = TIMEOUT,
) -> None:
    """Learn from one or more pages of a template how to read their list, or given values, and keep it in a file.

    Two pages are better than one: what differs between them is no part of the template.

    Examples are values of detail pages, each the whole text of a text node; pages without labels help to choose a rule.

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
    pages, has_failed = load_all(sources, max_mb, timeout)
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
    tell_learnt(wrapper, out)
    if has_failed:
        raise typer.Exit(1)


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


def tell_learnt(wrapper: "Wrapper", out: Path) -> None:
    """Say where the lists and fields of a new wrapper are, and what did not work out."""
    for warning in wrapper.warnings:
        print(warning, file=sys.stderr)
    for each in wrapper.lists:
        columns = ", ".join(column.name for column in each.columns)
        print(f"{out}: list {each.name} at {each.selector.xpath()}: {columns}", file=sys.stderr)
    for field in wrapper.fields:
        best = field.parts[0][0]
        print(f"{out}: field {field.name} at {best.rule.xpath()}, trusted by {best.confidence:.2f}", file=sys.stderr)


def examples_of(given: list[str] | None) -> dict[str, list[str]]:
    """`name=text` arguments as a table; a name may be given again, for another value or another page."""
    found: dict[str, list[str]] = {}
    for each in given or []:
        name, sign, text = each.partition("=")
        if not sign or not name.strip() or not text.strip():
            raise EdrewError(f"--example {each!r}: give NAME=TEXT, for example --example price='$61,550'.")
        found.setdefault(name.strip(), []).append(text)
    return found
