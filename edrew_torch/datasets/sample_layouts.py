"""Pages of the embedded sample: one entity and one site's layout in, HTML and its truth out.

    Site, Entity, other entities, rng   ->   html, {"price": ("MSRP:&nbsp;$21,400",), ...}

The truth is read off the finished page. While a value is written it is put between two marks; in
the end each mark is widened to the text node around it. So a truth value is a whole text node by
construction, label and all where a layout writes both in one. Sites: sample_sites.py.
"""

import json
import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from edrew_torch.datasets.sample_entities import Entity, expand, options, write_sentences
from edrew_torch.datasets.sample_sites import Site, cut_list

NUM_SIMILAR = 9  # similar entities that a page shows at most; the others are only named
OPEN, MIDDLE, CLOSE = "\x02", "\x1f", "\x03"  # OPEN attribute MIDDLE value CLOSE

META = """<meta name="description" content="{text}: data, prices, pictures and opinions">
<meta name="keywords" content="{text}, {plural}, {noun}, reviews, compare, {owner}">
<link rel="stylesheet" href="/css/{noun}.css"><link rel="shortcut icon" href="/favicon.ico">
<link rel="alternate" type="application/rss+xml" title="{owner} news" href="/rss.xml">
"""
CSS = """<style type="text/css">
body {{ margin: 0; font: {size}px/1.4 {font}, sans-serif; color: #222; background: #fff }}
a {{ color: #{color}; text-decoration: none }} a:hover {{ text-decoration: underline }}
h1, h2, h3 {{ margin: 0 0 {gap}px; font-weight: bold }} img {{ border: 0 }}
.{c[summary]} {{ padding: {gap}px; border-bottom: 1px solid #{color} }}
.{c[value]} {{ font-weight: bold }} .{c[label]} {{ color: #666; padding-right: 4px }}
.{c[print]}, .hidden {{ display: none }}
.{c[box]}, .{c[block]} {{ margin: 0 0 {gap}px; padding: 6px; background: #fafafa }}
.{c[title]} {{ font-size: 160%; letter-spacing: -1px }} .{c[name]} a {{ font-weight: bold }}
.{c[review]} {{ border-top: 1px dotted #999; padding: {gap}px 0 }} .{c[date]} {{ font-size: 85% }}
.{c[table]} td, .{c[table]} th {{ padding: 2px 6px; text-align: left; vertical-align: top }}
.{c[card]} {{ display: inline-block; width: 140px; margin-right: {gap}px; overflow: hidden }}
ul, ol, dl {{ margin: 0 0 {gap}px; padding: 0 }} li {{ list-style: none }} dd {{ margin-left: 1em }}
.{c[nav]} a, #{c[nav]} a {{ padding: 0 {gap}px; line-height: 24px; text-transform: lowercase }}
.{c[search]} {{ float: right; padding: 4px {gap}px; background: #eee url(/i/fade.gif) repeat-x }}
.{c[tools]} a {{ background: url(/i/tools.gif) no-repeat 0 -16px; padding-left: 18px }}
.{c[related]} img, .{c[also]} img {{ width: 64px; height: 48px; float: left; margin-right: 6px }}
.{c[legal]}, #{c[footer]} p {{ color: #777; font-size: 10px; text-align: center }}
form {{ margin: 0 }} input, select {{ font-size: {size}px }} table {{ border-collapse: collapse }}
#{c[main]}, .{c[main]} {{ float: left; width: {width}px }} #{c[footer]} {{ clear: both }}
@media print {{ .{c[ad]}, .{c[nav]} {{ display: none }} .{c[print]} {{ display: block }} }}
</style>
"""
SCRIPT = """<script type="text/javascript">
//<![CDATA[
var page = {data};
function pop(link) {{ window.open(link.href, "w", "width=480,height=360"); return false; }}
function showAd(unit) {{
  document.write('<a href="/ads?u=' + unit + '"><img src="/i/ad.gif"></a>');
}}
function cookie(name) {{
  var found = document.cookie.match(new RegExp("(^|; )" + name + "=([^;]*)"));
  return found ? unescape(found[2]) : "";
}}
function remember(id) {{
  var seen = cookie("seen").split(",").slice(0, 9), days = 30, until = new Date();
  until.setTime(until.getTime() + days * 864e5);
  document.cookie = "seen=" + escape([id].concat(seen)) + "; expires=" + until.toGMTString();
}}
function toggle(id) {{
  var box = document.getElementById(id);
  if (box) {{ box.style.display = box.style.display == "none" ? "block" : "none"; }}
}}
function track(label, value) {{
  var beacon = new Image(1, 1), stamp = new Date().getTime();
  beacon.src = "/hit?l=" + escape(label) + "&v=" + escape(value) + "&t=" + stamp;
  beacon.onload = function () {{ beacon.onload = null; }};
}}
function swapPhoto(number) {{
  var photo = document.images["photo"], path = "/photos/" + page.id + "_" + number + ".jpg";
  if (photo) {{ photo.src = path; track("photo", number); }}
  return false;
}}
function checkSearch(form) {{
  var words = form.elements["q"].value.replace(/^\\s+|\\s+$/g, "");
  if (words.length < 2) {{ alert("Please type at least two letters."); return false; }}
  track("search", words);
  return true;
}}
remember(page.id);
if (page.kind && 1 < 2) {{ document.write("<img src='/hit?k=" + page.kind + "' width='1'>"); }}
//]]>
</script>
"""


@dataclass(frozen=True)
class Field:
    """Something a page says about its entity under a label."""

    key: str  # attribute or fact
    label: str
    texts: tuple[str, ...]
    attribute: str = ""  # empty: a fact, or the stand-in for an absent value


def render_page(
    site: Site,
    entity: Entity,
    others: Sequence[tuple[str, Entity]],
    page_id: str,
    rng: random.Random,
) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the page of an entity as HTML, and its truth. `others` are (page id, entity)."""
    page = _Page(site, entity, others, page_id, rng)
    return collect_truth(page.write(), [a.name for a in site.vertical.attributes])


def collect_truth(marked: str, attributes: Sequence[str]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Take the marks out of a page; return it and, per attribute, the text nodes that held them.

    >>> collect_truth("<b>By \\x02author\\x1fA. Roe\\x03</b>", ["author"])
    ('<b>By A. Roe</b>', {'author': ('By A. Roe',)})
    """
    found: dict[str, list[str]] = {attribute: [] for attribute in attributes}
    at = marked.find(OPEN)
    while at >= 0:
        attribute = marked[at + 1 : marked.index(MIDDLE, at)]
        node = marked[marked.rindex(">", 0, at) + 1 : marked.index("<", at)]
        found[attribute].append(" ".join(_drop_marks(node).split()))
        at = marked.find(OPEN, at + 1)
    truth = {attribute: tuple(dict.fromkeys(nodes)) for attribute, nodes in found.items()}
    return _drop_marks(marked), truth


def _drop_marks(text: str) -> str:
    return re.sub(rf"{OPEN}\w+{MIDDLE}|{CLOSE}", "", text)


class _Page:
    """One page being written: the site's templates, filled with the entity's texts."""

    def __init__(
        self,
        site: Site,
        entity: Entity,
        others: Sequence[tuple[str, Entity]],
        page_id: str,
        rng: random.Random,
    ) -> None:
        self.site, self.entity, self.others, self.rng = site, entity, others, rng
        self.page_id = page_id
        vertical = site.vertical
        self.slots: dict[str, object] = {  # what every template may use
            "c": site.class_names,
            "ng": f'_ngcontent-{site.name[:3]}-c{len(site.name) * 7}=""',
            "noun": vertical.noun,
            "plural": vertical.plural,
            "owner": site.name.capitalize(),
            "action": "/search",
            "photo": f"/photos/{page_id}.jpg",
            "alt": escape(entity.name),
            "year": "2011",
        }

    def write(self) -> str:
        site = self.site
        body = self.fill(
            "frame",
            top=self.top(),
            main=self.column(site.blocks, site.depth),
            side=self.column(site.side, 0),
            foot=self.links("footer", self.words("footer", 7, 10)),
        )
        title = site.texts["title"].format(name=self.entity.name, **self.slots)
        page = self.fill(
            "shell",
            title=self.encode(title),
            meta=META.format(text=escape(title), **self.slots),
            css=self.css(),
            script=SCRIPT.format(data=self.page_data()),
            comment=self.stale_markup(),
            body=body,
        )
        return f'<base href="{self.address(self.page_id)}"/>\n{page}\n'

    def top(self) -> str:
        vertical, rng = self.site.vertical, self.rng
        trail = ["Home", vertical.plural]
        if vertical.trail in self.entity.known:
            trail.append(self.entity.known[vertical.trail])
        parts = [
            self.links("menu", options(vertical.menu)),
            self.links("search", vertical.words["town"]),
            self.links("crumbs", trail, last=self.encode(self.entity.name)),
        ]
        if rng.random() < 0.3:
            parts.insert(1, self.fill("inner", block=self.encode(self.word("notice"))))
        return "\n".join(parts)

    def column(self, blocks: Sequence[str], depth: int) -> str:
        return "\n".join(self.column_blocks(blocks, depth))

    def column_blocks(self, blocks: Sequence[str], depth: int) -> Iterator[str]:
        """Yield the blocks of a column, with what comes and goes between them."""
        writers = {
            "heading": self.heading,
            "hero": self.hero,
            "prose": self.prose,
            "specs": self.specs,
            "reviews": self.reviews,
            "similar": self.similar,
            "browse": self.browse,
            "popular": self.popular,
        }
        for name in blocks:
            block = writers[name]()
            for _ in range(depth if block and name != "heading" else 0):
                block = self.fill("inner", block=block)
            yield block
            if self.rng.random() < self.site.ad_rate:
                yield self.ad()
            if name == "hero" and self.rng.random() < 0.6:
                yield self.links("tools", self.words("tool", 2, 5))
            if name == "hero" and self.rng.random() < 0.4:
                text = self.word("notice")
                slots = {"name": self.encode(self.entity.name), "text": self.encode(text)}
                yield self.fill("hidden", **slots)

    def heading(self) -> str:
        attribute = self.site.vertical.attributes[0].name
        name = Field(attribute, "", (self.entity.name,), attribute)
        return self.fill("heading", value=self.value(name))

    def hero(self) -> str:
        return self.rows("hero", self.fields(self.site.hero, dropped=0.65))

    def specs(self) -> str:
        fields = self.fields(self.site.specs, dropped=0.25)
        if not self.site.keeps_order:
            self.rng.shuffle(fields)
        cut = len(fields) // self.site.num_sheets
        sheets = [("specs", fields[:cut]), ("more", fields[cut:])]
        return "\n".join(
            self.rows("specs", rows, title=self.encode(self.site.texts[title]), key=title)
            for title, rows in sheets
            if rows
        )

    def prose(self) -> str:
        texts = self.sentences(self.site.vertical.prose, self.rng.randint(4, 8))
        items = [{"text": self.encode(text)} for text in texts]
        return self.fill_list("prose", items, title=self.site.texts["prose"])

    def similar(self) -> str:
        card = self.rng.choice(options(self.site.vertical.card))
        items = [
            {
                "href": self.address(page_id),
                "name": self.encode(entity.name),
                "note": self.encode(", ".join(entity.values[card]) or "More"),
                "photo": f"/photos/{page_id}s.jpg",
            }
            for page_id, entity in self.others[: self.rng.randint(3, NUM_SIMILAR)]
        ]
        title = self.site.texts["similar"].format(**self.slots)
        return self.fill_list("similar", items, title=title)

    def browse(self) -> str:
        vertical = self.site.vertical
        title = f"{vertical.plural} by {vertical.facet}"
        return self.links("browse", vertical.words[vertical.facet], title=title)

    def popular(self) -> str:
        names = [entity.name for _, entity in self.others[NUM_SIMILAR:]]
        return self.links("browse", names, title=f"Popular {self.site.vertical.plural.lower()}")

    def reviews(self) -> str:
        count = max(0, self.rng.randint(-1, 7))
        items = [
            {
                "text": self.encode(" ".join([text, *self.words("remark", 0, 3)])),
                "by": self.encode(self.word("nick")),
                "when": self.word("recent"),
                "verdict": self.encode(self.word("verdict")),
                "stars": str(self.rng.randint(1, 5)),
            }
            for text in self.sentences(self.site.vertical.reviews, count)
        ]
        return self.fill_list("reviews", items, title=self.site.texts["reviews"]) if items else ""

    def ad(self) -> str:
        text = self.word("advert")
        key = f"u{zlib.crc32(text.encode()) % 10_000}"
        return self.fill("ad", text=self.encode(text), href=f"/out/{key}", key=key)

    def css(self) -> str:
        look = random.Random(self.site.name)  # the same on every page of the site
        return CSS.format(
            size=look.randint(10, 15),
            font=look.choice(("Verdana", "Georgia", "Tahoma", "Helvetica")),
            color=f"{look.randrange(4096):03x}",
            gap=look.randint(4, 12),
            width=look.randint(480, 820),
            **self.slots,
        )

    def page_data(self) -> str:
        """The entity once more, as the site's scripts see it."""
        related = [page_id for page_id, _ in self.others]
        data = {"id": self.page_id, "kind": self.site.vertical.noun, "related": related}
        return json.dumps({**data, "name": self.entity.name, "facts": self.entity.facts})

    def stale_markup(self) -> str:
        """Markup of an earlier day, commented out: a trap for whoever reads comments."""
        if self.rng.random() < 0.4:
            return f"cached {self.page_id}"
        _, other = self.others[0]
        values = other.values[options(self.site.vertical.card)[0]]
        stale = Field("stale", "Was", (self.entity.name, *values))
        return f"cached {self.page_id} {self.rows('hero', [stale])}"

    def fields(self, keys: Sequence[str], dropped: float) -> list[Field]:
        """Return the fields a page shows in one place, facts now and then left out."""
        attributes = {attribute.name: attribute for attribute in self.site.vertical.attributes}
        fields = []
        for key in keys:
            if key not in attributes:
                if self.rng.random() >= dropped:
                    fields.append(Field(key, key, (self.entity.facts[key],)))
            elif texts := self.entity.values[key]:
                fields.append(Field(key, self.site.labels[key], texts, attribute=key))
            elif self.site.shows_stand_ins and (stand_in := attributes[key].stand_in):
                fields.append(Field(key, self.site.labels[key], (stand_in,)))
        return fields

    def rows(self, part: str, fields: Sequence[Field], **slots: str) -> str:
        items = []
        for field in fields:
            slug = _slug(field.key)
            items.append(
                {
                    "label": self.encode(field.label),
                    "value": self.value(field),
                    "field": self.site.class_names[slug],
                    "slug": slug,
                    "prop": f' itemprop="{slug}"' if field.key in self.site.tagged else "",
                }
            )
        return self.fill_list(part, items, **slots)

    def value(self, field: Field) -> str:
        site = self.site
        texts = [site.padding + self.encode(text) for text in field.texts]
        if field.attribute:
            texts = [f"{OPEN}{field.attribute}{MIDDLE}{text}{CLOSE}" for text in texts]
        if field.key not in site.links:
            return site.separator.join(texts)
        href = f"/by/{_slug(field.key)}"
        return ", ".join(self.fill("link", href=href, text=text) for text in texts)

    def links(self, part: str, texts: Sequence[str], **slots: str) -> str:
        items = [{"href": f"/{zlib.crc32(t.encode()):x}", "text": self.encode(t)} for t in texts]
        return self.fill_list(part, items, **slots)

    def word(self, symbol: str) -> str:
        return self.words(symbol, 1, 1)[0]

    def words(self, symbol: str, low: int, high: int) -> list[str]:
        """Draw between `low` and `high` different texts of a word."""
        words = self.site.vertical.words
        count = self.rng.randint(low, high)
        return [expand(p, words, self.rng, {}) for p in self.rng.sample(words[symbol], count)]

    def sentences(self, patterns: str, count: int) -> list[str]:
        return write_sentences(self.site.vertical, self.entity, patterns, count, self.rng)

    def address(self, page_id: str) -> str:
        path = self.site.texts["address"].format(id=page_id, **self.slots).lower()
        return f"http://www.{self.site.name}.example/{path}"

    def encode(self, text: str) -> str:
        return text.translate(self.site.escapes)

    def fill(self, part: str, **slots: str) -> str:
        return self.site.parts[part].format(**self.slots, **slots)

    def fill_list(self, part: str, items: Sequence[Mapping[str, str]], **slots: str) -> str:
        before, item, between, after = cut_list(self.site.parts[part])
        middle = between.join(item.format(**{**self.slots, **one}) for one in items)
        shared = {**self.slots, **slots}
        return before.format(**shared) + middle + after.format(**shared)


def _slug(key: str) -> str:
    return re.sub(r"\W+", "-", key.lower())
