"""Quality floors: small pinned scores that a change must not lower. This measures them, floors.toml keeps the figures.

    python -m tests.floors                      # measures all, prints each beside its floor; half a minute
    python -m tests.floors --renew attributes   # writes the new figure of this one, prints old and new
    python -m tests.floors --renew              # the same of all that can be measured here

A floor is lowered in this way or not at all: the change of floors.toml is in the commit, and the commit says why.
Read by test_floors.py, which measures them in CI.
"""

import argparse
import hashlib
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import DATA

if TYPE_CHECKING:
    from edrew_torch.datasets.lists import ListPage
    from edrew_torch.datasets.prepared import PreparedData
    from edrew_torch.datasets.sample import SamplePage
    from edrew_torch.result import Value

FILE = Path(__file__).with_suffix(".toml")
COMMAND = "python -m tests.floors --renew"


@dataclass(frozen=True)
class Measured:
    """A score and the checksum of all that it was measured on: pages and their truth, not the model."""

    score: float
    data: str


@dataclass(frozen=True)
class Floor:
    """What floors.toml says of one score."""

    name: str
    what: str
    measured: float
    margin: float
    data: str
    lower_is_better: bool = False

    @property
    def limit(self) -> float:
        """The worst score that passes."""
        return self.measured + self.margin if self.lower_is_better else self.measured - self.margin

    def gain(self, score: float) -> float:
        """By how much a score is better than the limit."""
        return self.limit - score if self.lower_is_better else score - self.limit

    def fault(self, found: Measured) -> str | None:
        """Why a measurement fails, if it does."""
        renewing = f"is meant: {COMMAND} {self.name}, and say why in the commit."
        if found.data != self.data:
            return (
                f"{self.name}: the data has changed: its checksum is {found.data}, the floor {self.limit:.6g} was "
                f"measured on {self.data}; the score on the new data is {found.score:.6g}. If the change {renewing}"
            )
        if self.gain(found.score) < 0:
            return (
                f"{self.name}: the score is {found.score:.6g}, "
                f"{'above the limit' if self.lower_is_better else 'below the floor'} of {self.limit:.6g} "
                f"(measured {self.measured:.6g}, margin {self.margin:.6g}), on data:{self.data}: {self.what}. "
                f"If the loss {renewing}"
            )
        return None

    def advice(self, found: Measured) -> str | None:
        """How to raise a floor whose score is now better than measured, by more than the margin."""
        if self.gain(found.score) <= 2 * self.margin:
            return None
        return (
            f"{self.name}: the score is {found.score:.6g}, clearly better than the {self.measured:.6g} that its floor "
            f"of {self.limit:.6g} rests on. To hold it: {COMMAND} {self.name}"
        )


def read_floors(file: Path = FILE) -> dict[str, Floor]:
    """The floors by name."""
    return {name: Floor(name, **entry) for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def renew(name: str, found: Measured, file: Path = FILE) -> None:
    """Write what was measured to the file; its comments stay."""
    text = file.read_text(encoding="utf-8")
    table = re.search(rf"^\[{name}\]\n(?:(?!\[).*\n)*", text, re.MULTILINE)
    assert table, f"{file} has no table [{name}]"
    new = re.sub(r"^measured = .*", f"measured = {found.score:.6g}", table[0], flags=re.MULTILINE)
    new = re.sub(r"^data = .*", f'data = "{found.data}"', new, flags=re.MULTILINE)
    file.write_text(text[: table.start()] + new + text[table.end() :], encoding="utf-8")


def checksum(parts: Iterable[object]) -> str:
    """Of all parts, in order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode())
    return digest.hexdigest()[:12]


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums come out a little differently on another number of threads; and nothing is taken from an earlier run."""
    import torch

    threads, before = torch.get_num_threads(), os.environ.get("EDREW_CACHE")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EDREW_CACHE"] = folder
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            os.environ.pop("EDREW_CACHE")
            os.environ.update({"EDREW_CACHE": before} if before is not None else {})


# --- on invented pages: they can be measured anywhere ---


def nodes(encoder: str) -> Measured:
    """F1 of relevant nodes after a short training."""
    from edrew_torch.training import Settings, train

    data = prepared_sample()
    with one_thread(), tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            encoder=encoder, hidden=(64,), learning_rate=0.01, schedule="cosine", max_epochs=8, progress_bar=False
        )
        return Measured(train(data, settings, Path(folder)).scores["all"].f1, data.checksum)


@cache
def prepared_sample() -> "PreparedData":
    """A small sample, for all trainings."""
    from edrew_torch.datasets.prepared import load_sample
    from edrew_torch.profile import PROFILES

    return load_sample(PROFILES["full"], pages=12)


@cache
def sample_sites(seed: int, pages: int) -> list[list["SamplePage"]]:
    """The pages of each site of the sample."""
    from itertools import groupby

    from edrew_torch.datasets.sample import generate_sample

    made = groupby(generate_sample(seed, pages=pages), key=lambda page: (page.vertical, page.site))
    return [list(site) for _, site in made]


def sample_checksum(pages: Iterable["SamplePage"]) -> str:
    """Of what the pages show and of what is true of them."""
    return checksum((page.vertical, page.site, page.page_id, page.html, sorted(page.truth.items())) for page in pages)


def page_scores(given: Iterable[tuple[str, Mapping[str, Sequence[str]], Sequence["Value"]]]) -> float:
    """Mean F1 over the attributes of each kind of page, from triples (kind, true values, values found).

    As in `swde-strict`, an attribute of a page is right where something is found and all of it is true.
    """
    from edrew_torch.datasets.labels import normalize
    from edrew_torch.metrics.attributes import mean_f1
    from edrew_torch.metrics.statistics import Counts

    scores: dict[str, dict[str, Counts]] = {}
    for kind, truth, values in given:
        for name, several in truth.items():
            true = {normalize(text) for text in several}
            found = {value.text for value in values if value.attribute == name}
            counts = Counts(bool(found) and found <= true, bool(found), bool(true))
            of_kind = scores.setdefault(kind, {})
            of_kind[name] = of_kind.get(name, Counts(0, 0, 0)) + counts
    return mean_f1(scores)


def attributes() -> Measured:
    """The embedded model on pages of sites that it has not seen, each page on its own."""
    from edrew_torch import extract

    pages = [page for site in sample_sites(1, 3) for page in site]
    with one_thread():
        found = [(page.vertical, page.truth, extract(page.html, vertical=page.vertical).values) for page in pages]
    return Measured(page_scores(found), sample_checksum(pages))


def by_example() -> Measured:
    """Values of the other pages of each site after one labelled page."""
    from edrew_torch import apply_wrapper, wrap_examples
    from edrew_torch.datasets.labels import normalize

    sites = sample_sites(1, 6)
    found = []
    for first, *others in sites:
        seen = {name: [normalize(text) for text in texts] for name, texts in first.truth.items()}  # entities decoded
        wrapper = wrap_examples([first.html], [seen])
        found += [(page.vertical, page.truth, apply_wrapper(wrapper, page.html).values) for page in others]
    return Measured(page_scores(found), sample_checksum(page for site in sites for page in site))


def records() -> Measured:
    """F1 of the records of invented list pages; training has the seeds 0 to 999."""
    from edrew_torch.datasets.lists import ListPage
    from edrew_torch.datasets.sample_lists import FORMS, make_list_page

    pages = []
    for form in sorted(FORMS):
        for seed in range(1000, 1006):
            made = make_list_page(seed, form)
            texts = tuple(map(" ".join, made.records))
            pages.append(ListPage("invented", form, str(seed), made.html.encode(), texts, number=len(texts)))
    return records_of(pages)


def records_of(pages: list["ListPage"]) -> Measured:
    """F1 of the main lists by the default method."""
    from edrew_torch.metrics.statistics import micro
    from edrew_torch.page import Page
    from edrew_torch.parse import parse_tree
    from edrew_torch.records.methods import main_list
    from edrew_torch.records.sequence import page_sequence

    scores = []
    for given in pages:
        page = page_sequence(parse_tree(Page.from_bytes(given.data)))
        scores.append(given.score_list(page, main_list(page)))
    told = ((page.name, page.data, page.texts, page.number) for page in pages)
    return Measured(micro(scores).f1, checksum(told))


# --- on shared pages: where they lie (EDREW_DATA) ---


def real_records() -> Measured:
    """F1 of the records of the sites that no model was trained on."""
    from edrew_torch.datasets.lists import read_list_pages, sites_for_testing

    pages = list(read_list_pages(DATA, ("tbdw", "zhao1", "zhao2", "zhao3")))
    held_out = sites_for_testing(pages)
    return records_of([page for page in pages if (page.set, page.site) in held_out])


def articles(model: str | None = None) -> Measured:
    """F1 of four-word shingles, on every sixth page of the benchmark."""
    from edrew_torch import extract_article
    from edrew_torch.datasets.articles import read_articles
    from edrew_torch.metrics.words import score_articles
    from edrew_torch.news.extract import NewsSettings
    from edrew_torch.page import Page

    pages = list(read_articles(DATA, ("benchmark",)))[::6]
    settings = NewsSettings() if model is None else NewsSettings(model=model)
    found = [extract_article(Page.from_bytes(page.data), settings) for page in pages]
    score = score_articles((result.text, page.text or "") for result, page in zip(found, pages, strict=True))
    return Measured(score.shingles.f1_of_means, checksum((page.name, page.data, page.text) for page in pages))


def elmo_parity() -> Measured:
    """The largest difference of the top layer to AllenNLP's stored activations."""
    from tests.test_elmo import largest_difference

    folder = DATA / "elmo"
    with one_thread():
        worst = largest_difference(folder)
    return Measured(worst, checksum(file.read_bytes() for file in sorted(folder.glob("*.hdf5"))))


MEASURES: dict[str, Callable[[], Measured]] = {
    "nodes_elmo": lambda: nodes("elmo"),
    "nodes_native": lambda: nodes("native"),
    "attributes": attributes,
    "by_example": by_example,
    "records": records,
    "real_records": real_records,
    "articles": articles,
    "articles_plain": lambda: articles("none"),
    "elmo_parity": elmo_parity,
}
NEEDS = {"real_records": "records", "articles": "articles", "articles_plain": "articles", "elmo_parity": "elmo"}


def what_is_missing(name: str) -> str | None:
    """Why a floor cannot be measured here, if it cannot."""
    folder = DATA / NEEDS.get(name, "")
    if folder.is_dir() or name not in NEEDS:
        return None
    return f"no {NEEDS[name]}/ at {DATA}: set EDREW_DATA to the folder that holds it."


def main() -> int:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MEASURES)}; none: all")
    parser.add_argument("--renew", action="store_true", help="write what is measured to floors.toml")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in MEASURES]:
        parser.error(f"no floor named {unknown[0]!r}: they are {', '.join(MEASURES)}.")
    faults = 0
    for name in given.names or MEASURES:
        if missing := what_is_missing(name):
            print(f"{name}: left out, {missing}", file=sys.stderr)
            continue
        floor, found = read_floors()[name], MEASURES[name]()
        print(f"{name}: {found.score:.6g} on data:{found.data}; was {floor.measured:.6g} on data:{floor.data}")
        if given.renew:
            renew(name, found)
            print(f"  floors.toml: its limit was {floor.limit:.6g} and is now {read_floors()[name].limit:.6g}")
        elif told := floor.fault(found) or floor.advice(found):
            print(f"  {told}")
            faults += floor.fault(found) is not None
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
