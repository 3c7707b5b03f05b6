"""Random markup for hypothesis: well formed or not, with everything that pages hold."""

from hypothesis import strategies as st

NAMES = "div p b span a td tr table li ul br img h1 select option form font noscript my-card o:p em input".split()
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="<&\0\r"), min_size=1, max_size=12)
ATTRIBUTES = st.sampled_from(
    ["", ' id="x"', " class=price", ' style="Display: none"', " hidden", ' itemprop="name"', " a=1 b='2'", ' "']
)
PIECES = st.one_of(
    TEXTS,
    st.builds(lambda name, attributes: f"<{name}{attributes}>", st.sampled_from(NAMES), ATTRIBUTES),
    st.builds("</{}>".format, st.sampled_from(NAMES)),
    st.sampled_from(
        ["&amp;", "&nbsp;", "&#150;", "<!-- c -->", "<!doctype html>", "<![CDATA[x]]>", "<", ">", "</", " ", "$"]
    ),
    st.sampled_from(["<script>a<b</script>", "<style>p{}</style>", "<br/>", "<title>T</title>", "<textarea>"]),
)


def markup() -> st.SearchStrategy[str]:
    """A page of up to 40 pieces."""
    return st.lists(PIECES, max_size=40).map("".join)
