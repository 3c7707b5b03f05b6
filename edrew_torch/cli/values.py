"""`edrew extract`: the values of detail pages."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edrew_torch.cli.arguments import MaxMb, Sources, Timeout
from edrew_torch.cli.printing import VALUE_COLUMNS, print_values_csv, print_values_text
from edrew_torch.cli.sources import for_each_page, for_each_site, told_usage
from edrew_torch.errors import EdrewError
from edrew_torch.page import MAX_BYTES, TIMEOUT

if TYPE_CHECKING:
    from edrew_torch.extraction import ReadPage
    from edrew_torch.result import Result, Value


class ExtractForm(StrEnum):
    """How values are printed."""

    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    text = "text"


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

    def find(pages: list["ReadPage"]) -> list["Result"]:
        return find_results(pages, loaded, vertical, min_confidence)

    def find_on_site(pages: list["ReadPage"]) -> list["Result"]:
        # a model of attributes has used what repeats; what a run calls relevant has not been asked
        return find(pages) if isinstance(loaded, AttributeModel) else without_repeats(find(pages))

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
        for_each_site(sources, read_page, find_on_site, show, max_mb, timeout, is_json)
    else:
        for_each_page(sources, lambda page: show(find([read_page(page)])[0]), max_mb, timeout, is_json)


def find_builder(name: str) -> Callable[[list["Value"]], Any]:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    sys.path.insert(0, "")  # a module beside the pages
    try:
        found: Callable[[list[Value]], Any] = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise EdrewError(
            f"--builder {name} is not found ({error}): give MODULE:FUNCTION, both on Python's path."
        ) from None
    except Exception as error:  # whatever the module does when it is read
        raise EdrewError(f"--builder {name} cannot be imported ({type(error).__name__}: {error}).") from error
    if not callable(found):
        raise EdrewError(f"--builder {name} is no function but a {type(found).__name__}.")
    return found


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
