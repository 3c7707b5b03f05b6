"""Invented list pages with known records: shops, search results, directories, in twenty-one ways to mark up a list.

    seed   ->   ListSample(html, records=(("Amber heron", "$12.00", …), …))

For tests, and to train the record finder (experiments/records) on more forms of markup than the shared pages have:
lists, cards, grids, tables of one or two rows a record, definition lists, records that no element holds together.
Around the list stands what is taken for it: menus, filters, related items, page numbers, footers. Everything is drawn
from the seed. Words come from sample_words.py.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from edrew_torch.datasets.sample_entities import expand
from edrew_torch.datasets.sample_words import COMMON

Field = tuple[str, str]  # what it is, its text
Record = tuple[Field, ...]


@dataclass(frozen=True)
class ListSample:
    """A page and the texts of each of its records, in page order."""

    html: str
    records: tuple[tuple[str, ...], ...]
    form: str


def make_list_page(seed: int, form: str | None = None) -> ListSample:
    """Draw a page; `form` is a key of FORMS, drawn too if not given."""
    rng = random.Random(f"list/{seed}")
    form = form or rng.choice(sorted(FORMS))
    style = _Style(rng)
    records = tuple(style.record() for _ in range(rng.choice((2, 3, 4, 5, 6, 8, 10, 10, 12, 15, 20, 20, 25, 30, 48))))
    body = FORMS[form](style, records)
    html = style.page(style.declared(len(records)) + body)
    return ListSample(html, tuple(tuple(text for _, text in record) for record in records), form)


def make_article_page(seed: int) -> str:
    """Draw a page whose content is running text and no list, with the same furniture around it."""
    rng = random.Random(f"article/{seed}")
    style = _Style(rng)
    low, high = rng.choice(((1, 3), (3, 8), (6, 12)))
    paragraphs = []
    for _ in range(rng.randint(3, 25)):
        sentences = " ".join(style.text("{remark} {verdict} in {town}.") for _ in range(rng.randint(low, high)))
        text = escape(sentences)
        if rng.random() < 0.2:
            text += f' <a href="/more">{escape(style.text("{town} {beast}"))}</a>.'
        paragraphs.append(f"<p>{text}</p>" if rng.random() < 0.9 else f"<h2>{escape(style.text('{verdict}'))}</h2>")
    tag = rng.choice(("article", "div", "td", "section"))
    return style.page(f"<{tag}{style.cls('story')}>{''.join(paragraphs)}</{tag}>")


class _Style:
    """How one invented site writes its pages: its classes, its fields, its furniture."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.is_old = rng.random() < 0.35  # font and table, no classes
        self.class_form = rng.choice(("{word}", "{word}-{word2}", "c-{word}__{word2}", "css-{hex}", "{word} {word2}"))
        self.class_of: dict[str, str] = {}
        optional = ("image", "price", "about", "meta", "rating", "badge", "more")
        self.fields = ["title", *(name for name in optional if rng.random() < 0.5)]
        if len(self.fields) == 1:
            self.fields.append(rng.choice(optional))
        self.absent = rng.choice((0.0, 0.0, 0.1, 0.3))
        self.num_sentences = rng.choice(((1, 1), (1, 3), (2, 5)))
        self.has_stripes = rng.random() < 0.3
        self.is_numbered = rng.random() < 0.2
        self.count = 0

    # texts

    def text(self, pattern: str) -> str:
        return expand(pattern, COMMON, self.rng, {})

    def record(self) -> Record:
        """The fields of one record; the title is always there."""
        self.count += 1
        number = f"{self.count}. " if self.is_numbered else ""
        made: list[Field] = [("title", number + self.text("{adjective} {beast} of {town} {1..999}").capitalize())]
        patterns = {
            "price": self.rng.choice(("${3..900}.{10..99}", "{3..900},{10..99} €", "from ${10..99}")),
            "meta": self.rng.choice(("{person}, {recent}", "{town}, {state}", "Posted {recent}")),
            "rating": "{1.0..5.0} of 5 ({2..900} reviews)",
            "badge": self.rng.choice(("New", "Sale", "Sponsored", "In stock")),
            "more": self.rng.choice(("Read more", "Add to cart", "Similar pages", "Details")),
        }
        for name in self.fields[1:]:
            if name == "image" or self.rng.random() < self.absent:
                continue
            if name == "about":
                low, high = self.num_sentences
                parts = (self.text("{remark} {verdict} in {town}.") for _ in range(self.rng.randint(low, high)))
                made.append((name, " ".join(parts)))
            else:
                made.append((name, self.text(patterns[name])))
        return tuple(made)

    # markup

    def cls(self, role: str) -> str:
        """The class attribute of a role, the same all over the page; none on an old page."""
        if self.is_old:
            return ""
        if role not in self.class_of:
            values = {"word": role, "word2": self.text("{beast}"), "hex": f"{self.rng.randrange(16**6):06x}"}
            self.class_of[role] = self.class_form.format(**values)
        return f' class="{self.class_of[role]}"'

    def row_cls(self, role: str, number: int, last: bool = False) -> str:
        """The class of a repeated element, with stripes or a mark on the last of a row where the site has them."""
        plain = self.cls(role)
        if not self.has_stripes:
            return plain
        if self.is_old:
            return f' bgcolor="{("#ffffff", "#eeeeee")[number % 2]}"'
        return f'{plain[:-1]} {"last" if last else ("odd", "even")[number % 2]}"'

    def field(self, name: str, text: str) -> str:
        """One field in its own element."""
        text = escape(text)
        if name == "title":
            link = f'<a href="/item/{len(text)}">{text}</a>' if not self.is_old else f'<a href="i.cgi">{text}</a>'
            return f"<b>{link}</b>" if self.is_old else f"<h3{self.cls('title')}>{link}</h3>"
        if name == "more":
            return f'<a href="#"{self.cls("more")}>{text}</a>'
        if self.is_old:
            return f'<font size="-1">{text}</font>' if name != "about" else text
        tag = {"price": "span", "meta": "small", "rating": "div", "badge": "em", "about": "p"}[name]
        return f"<{tag}{self.cls(name)}>{text}</{tag}>"

    def inside(self, record: Record, gap: str = "") -> str:
        """All fields of a record, its image first."""
        parts = [self.field(name, text) for name, text in record]
        if "image" in self.fields:
            parts.insert(0, f'<a href="/p"><img src="/i/{self.rng.randrange(999)}.jpg" alt=""></a>')
        return gap.join(parts)

    def links(self, number: int, role: str, pattern: str) -> str:
        """A list of links that is no content."""
        items = [f'<a href="/{role}/{i}">{escape(self.text(pattern))}</a>' for i in range(number)]
        if self.is_old:
            return self.rng.choice(("<br>", " | ")).join(items)
        return f"<ul{self.cls(role)}>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"

    def declared(self, number: int) -> str:
        """What a search engine says above its results: how many of how many it shows; often nothing."""
        if self.rng.random() < 0.55:
            return ""
        first = self.rng.choice((0, 0, 0, 1, 2, 7)) * number + 1
        last, total = first + number - 1, first + number + self.rng.randrange(2000)
        pattern = self.rng.choice(
            (
                "Results {0} - {1} of about {2}",
                "{0}-{1} of {2} items",
                "Showing {0} to {1} of {2}",
                "Exibindo {0} a {1} de {2}",
                "{0} – {1} / {2}",
                "Treffer {0} bis {1} von {2}",
                "{0} to {1} ({2} found)",
            )
        )
        bold = self.rng.choice(("{}", "{}", "<b>{}</b>"))
        tag = self.rng.choice(("p", "div", "font", "h2"))
        return f"<{tag}{self.cls('count')}>{pattern.format(*(bold.format(n) for n in (first, last, total)))}</{tag}>"

    def page(self, body: str) -> str:
        """The whole page: furniture around the list."""
        rng = self.rng
        heading = f"<h1>{escape(self.text('{adjective} things near {town}').capitalize())}</h1>"
        if rng.random() < 0.15:  # a bare page: nothing, or a heading, and the list
            return f"<html><body>{heading if rng.random() < 0.5 else ''}{body}</body></html>"
        top = self.links(rng.randint(3, 12), "menu", "{footer}")
        if rng.random() < 0.35:  # every department of a large shop, each with a list of its own
            departments = (
                f"<li>{self.text('{beast}s')}{self.links(rng.randint(2, 15), 'sub', '{adjective} {beast}')}</li>"
                for _ in range(rng.randint(4, 14))
            )
            top += f"<ul{self.cls('departments')}>{''.join(departments)}</ul>"
        side = ""
        if rng.random() < 0.6:
            parts = [
                f"<h4>{escape(self.text('{adjective}').capitalize())}</h4>"
                + self.links(rng.randint(3, 14), "filter", "{town} ({2..90})")
                for _ in range(rng.randint(1, 4))
            ]
            side = "".join(parts)
        if rng.random() < 0.3:
            side += f"<h4>Seen lately</h4>{self.links(rng.randint(3, 6), 'seen', '{adjective} {beast} of {town}')}"
        if rng.random() < 0.25:  # what else sells well: records too, but not those of this page
            sellers = (
                f'<li><a href="/top/{n}">{escape(self.text("{adjective} {beast} of {town}"))}</a>'
                f"<span{self.cls('cost')}>${rng.randint(3, 900)}.99</span></li>"
                for n in range(rng.randint(3, 10))
            )
            side += f"<h4>Top sellers</h4><ul{self.cls('sellers')}>{''.join(sellers)}</ul>"
        pages = " ".join(f'<a href="?page={n}">{n}</a>' for n in range(2, rng.randint(4, 12)))
        ads = f"<p>{escape(self.text('{advert}'))}</p>" if rng.random() < 0.4 else ""
        foot = self.links(rng.randint(4, 14), "foot", "{footer}")
        note = escape(self.text("© 2010 {town} {beast}s. {notice}."))
        title = escape(self.text("{beast} finder"))
        if self.is_old:
            main = f"<td>{heading}{ads}{body}<p>{pages}</td>"
            middle = f'<table width="100%"><tr><td valign="top">{side}</td>{main}</tr></table>'
            content = f"<center>{top}</center>{middle}<hr><center>{foot}<br>{note}</center>"
        else:
            aside = f"<aside{self.cls('side')}>{side}</aside>" if side else ""
            main = f"<main{self.cls('main')}>{heading}{ads}{body}<div{self.cls('pages')}>{pages}</div></main>"
            order = f"{aside}{main}" if rng.random() < 0.5 else f"{main}{aside}"
            content = f"<header>{top}</header><div{self.cls('wrap')}>{order}</div><footer>{foot}<p>{note}</p></footer>"
        return f"<!doctype html><html><head><title>{title}</title></head><body>{content}</body></html>"


Form = Callable[[_Style, tuple[Record, ...]], str]


def _each(tag: str, wrap: str) -> Form:
    """Every record is one element in one parent."""

    def write(style: _Style, records: tuple[Record, ...]) -> str:
        items = (f"<{tag}{style.row_cls('item', n)}>{style.inside(record)}</{tag}>" for n, record in enumerate(records))
        return f"<{wrap}{style.cls('list')}>{''.join(items)}</{wrap}>"

    return write


def _grid(cell: str, row: str, table: str) -> Form:
    """Records in cells, several to a row."""

    def write(style: _Style, records: tuple[Record, ...]) -> str:
        width = style.rng.choice((2, 3, 4))
        rows = []
        for start in range(0, len(records), width):
            part = records[start : start + width]
            cells = (
                f"<{cell}{style.row_cls('cell', n, last=n == width - 1)}>{style.inside(record)}</{cell}>"
                for n, record in enumerate(part)
            )
            rows.append(f"<{row}{style.cls('row')}>{''.join(cells)}</{row}>")
        return f"<{table}{style.cls('grid')}>{''.join(rows)}</{table}>"

    return write


def _table(style: _Style, records: tuple[Record, ...]) -> str:
    """One row a record, a column a field; sometimes under a row of headings."""
    rows = []
    if style.rng.random() < 0.5:
        rows.append("<tr>" + "".join(f"<th>{name.capitalize()}</th>" for name in style.fields) + "</tr>")
    for number, record in enumerate(records):
        have = dict(record)
        cells = (f"<td>{style.field(name, have[name]) if name in have else ''}</td>" for name in style.fields)
        rows.append(f"<tr{style.row_cls('row', number)}>{''.join(cells)}</tr>")
    return f"<table{style.cls('list')}>{''.join(rows)}</table>"


def _two_rows(style: _Style, records: tuple[Record, ...]) -> str:
    """Two rows a record; sometimes a third that only spaces."""
    spacer = '<tr><td colspan="2">&nbsp;</td></tr>' if style.rng.random() < 0.5 else ""
    rows = []
    for record in records:
        first, rest = style.field(*record[0]), "<br>".join(style.field(*field) for field in record[1:])
        rows.append(f"<tr><td>{first}</td></tr><tr><td>{rest}</td></tr>{spacer}")
    return f"<table{style.cls('list')}>{''.join(rows)}</table>"


def _pairs(style: _Style, records: tuple[Record, ...]) -> str:
    """Two elements of one name a record, one of them for the title; told apart by their class, or not at all."""
    tag = style.rng.choice(("p", "div", "li", "table"))
    begin, end = ("<table><tr><td>", "</td></tr></table>") if tag == "table" else (f"<{tag}>", f"</{tag}>")
    roles = ("head", "rest") if style.rng.random() < 0.5 and tag != "table" else ("", "")
    first, second = (begin[:-1] + style.cls(role) + ">" if role else begin for role in roles)
    gap = style.rng.choice(("", "<br>"))
    items = (
        f"{first}{style.field(*record[0])}{end}{second}{gap.join(style.field(*field) for field in record[1:])}{end}"
        for record in records
    )
    return f"<div{style.cls('list')}>{''.join(items)}</div>"


def _definitions(style: _Style, records: tuple[Record, ...]) -> str:
    """A term and what is said of it."""
    items = (f"<dt>{style.field(*r[0])}</dt><dd>{' '.join(style.field(*f) for f in r[1:])}</dd>" for r in records)
    return f"<dl{style.cls('list')}>{''.join(items)}</dl>"


def _flat(gap: str, between: str) -> Form:
    """No element holds a record together: fields follow each other in one parent."""

    def write(style: _Style, records: tuple[Record, ...]) -> str:
        return f"<div{style.cls('list')}>{between.join(style.inside(record, gap) for record in records)}</div>"

    return write


def _unclosed(style: _Style, records: tuple[Record, ...]) -> str:
    """Elements that are never closed, as old pages have them."""
    return "<dl>" + "".join(f"<dd>{style.inside(record, '<br>')}<p>" for record in records) + "</dl>"


def _sections(style: _Style, records: tuple[Record, ...]) -> str:
    """Several lists under headings of their own."""
    size = max(2, len(records) // 3)
    parts = [records[start : start + size] for start in range(0, len(records), size)]
    each = _each("li", "ul")
    return "".join(f"<h2>{escape(style.text('{town}'))}</h2>{each(style, part)}" for part in parts)


def _interleaved(style: _Style, records: tuple[Record, ...]) -> str:
    """Cards with an advertisement among them."""
    items = [f"<div{style.row_cls('card', n)}>{style.inside(record)}</div>" for n, record in enumerate(records)]
    for place in range(2, len(items), 5):
        items[place] += f'<div class="promo"><p>{escape(style.text("{advert}"))}</p></div>'
    return f"<div{style.cls('list')}>{''.join(items)}</div>"


def _mixed(style: _Style, records: tuple[Record, ...]) -> str:
    """Records beside other elements of the same name in the same parent, told apart by their class alone."""
    tag = style.rng.choice(("div", "li", "section"))
    items = [f"<{tag}{style.row_cls('item', n)}>{style.inside(record)}</{tag}>" for n, record in enumerate(records)]
    others = [
        f'<{tag} class="{role}">{style.links(style.rng.randint(1, 6), role, pattern)}</{tag}>'
        for role, pattern in (("facet", "{town} ({2..90})"), ("tools", "{footer}"), ("notice", "{advert}"))
        for _ in range(style.rng.randint(0, 4))
    ]
    cut = style.rng.randint(0, len(others))
    return f"<div{style.cls('list')}>{''.join([*others[:cut], *items, *others[cut:]])}</div>"


def _nested_tables(style: _Style, records: tuple[Record, ...]) -> str:
    """A table of its own for each record, in the rows of another one."""
    items = []
    for number, record in enumerate(records):
        rows = "".join(f"<tr><td>{style.field(name, text)}</td></tr>" for name, text in record)
        image = '<td><img src="/dot.gif"></td>' if "image" in style.fields else ""
        items.append(f"<tr{style.row_cls('row', number)}>{image}<td><table>{rows}</table></td></tr>")
    return f"<table{style.cls('list')}>{''.join(items)}</table>"


def _with_sublists(style: _Style, records: tuple[Record, ...]) -> str:
    """Records that hold small lists of their own: as many entries as the record has fields, and links."""
    items = []
    for number, record in enumerate(records):
        entries = "".join(f"<li>{style.field(name, text)}</li>" for name, text in record[1:])
        title = style.field(*record[0])
        items.append(f"<div{style.row_cls('item', number)}>{title}<ul{style.cls('facts')}>{entries}</ul></div>")
    return f"<div{style.cls('list')}>{''.join(items)}</div>"


def _two_lists(style: _Style, records: tuple[Record, ...]) -> str:
    """The list, and behind it a shorter one of other things in the same markup."""
    tag, wrap = style.rng.choice((("li", "ul"), ("div", "div"), ("p", "div")))
    each = _each(tag, wrap)
    rest = tuple(style.record() for _ in range(style.rng.randint(2, max(2, len(records) // 2))))
    other = each(style, tuple(record[:1] for record in rest))
    return f"{each(style, records)}<h4>{escape(style.text('{town}'))}</h4>{other}"


FORMS: dict[str, Form] = {
    "ul": _each("li", "ul"),
    "ol": _each("li", "ol"),
    "cards": _each("div", "div"),
    "articles": _each("article", "section"),
    "paragraphs": _each("p", "div"),
    "grid": _grid("div", "div", "div"),
    "list grid": _grid("li", "ul", "div"),
    "table grid": _grid("td", "tr", "table"),
    "table": _table,
    "two rows": _two_rows,
    "pairs": _pairs,
    "definitions": _definitions,
    "flat": _flat("", ""),
    "flat with rules": _flat("<br>", "<hr>"),
    "unclosed": _unclosed,
    "sections": _sections,
    "interleaved": _interleaved,
    "mixed": _mixed,
    "nested tables": _nested_tables,
    "with sublists": _with_sublists,
    "two lists": _two_lists,
}
