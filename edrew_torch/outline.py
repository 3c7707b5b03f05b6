"""A tree for people: one line per node, indented, elements with id and classes, text beside them.

    html
      body
        ul #menu .nav
          li "Home"

Reads tree.py; read by cli/.
"""

from collections.abc import Iterator

from rich.text import Text

from edrew_torch.tree import BLANK, Tree

MAX_INDENT = 40  # levels shown by indentation; deeper ones say their depth, or lines would grow without end
MIN_SHOWN = 20  # characters behind the indentation, however narrow a line shall be


def outline(tree: Tree, width: int = 100) -> Iterator[Text]:
    """Yield a line for each element and each text node with content, cut to `width`."""
    depths = tree.depth.tolist()
    for node, depth in enumerate(depths):
        if tree.tag[node] == BLANK:
            continue
        indent = "  " * min(depth, MAX_INDENT)
        line = Text(indent, no_wrap=True)
        if depth > MAX_INDENT:
            line.append(f"({depth}) ", style="dim")
        if tree.tag[node] < 0:
            line.append('"' + " ".join(tree.text(node).lstrip()[: 2 * width].split()) + '"', style="green")
        else:
            attributes = tree.attributes(node)
            line.append(tree.name(node), style="bold blue")
            if "id" in attributes:
                line.append(f" #{attributes['id']}", style="magenta")
            line.append("".join(f" .{name}" for name in attributes.get("class", "").split()), style="cyan")
            others = [name for name in attributes if name not in ("id", "class")]
            line.append("".join(f" {name}" for name in others), style="dim")
        line.truncate(max(width, len(indent) + MIN_SHOWN), overflow="ellipsis")
        yield line
