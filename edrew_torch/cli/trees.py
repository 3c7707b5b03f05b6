"""`edrew retps` and `edrew tree`: a page as the models see it, and as a tree."""

from dataclasses import replace
from typing import Annotated

import typer

from edrew_torch.cli.arguments import MaxMb, ProfileName, ProfileOption, Sources, Timeout
from edrew_torch.cli.sources import for_each_page
from edrew_torch.page import MAX_BYTES, TIMEOUT, Page
from edrew_torch.profile import find_profile


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
