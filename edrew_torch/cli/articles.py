"""`edrew article`: the title and the text of articles."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from edrew_torch.cli.arguments import MaxMb, Sources, Timeout, pairs_of
from edrew_torch.cli.sources import for_each_page, for_each_site, pages_of, told_usage
from edrew_torch.page import MAX_BYTES, TIMEOUT

if TYPE_CHECKING:
    from edrew_torch.result import Result


class ArticleForm(StrEnum):
    """How an article is printed."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    markdown = "markdown"


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
