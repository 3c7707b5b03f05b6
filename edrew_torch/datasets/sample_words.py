"""The words that the verticals of the embedded sample share: people, places, site furniture.

    {person}   ->   Tamsin R. Lanternby

Everything here and in sample_goods.py and sample_services.py is invented: no real brand, person,
title, school or place of business. Patterns are explained in sample_entities.py.
"""

from edrew_torch.datasets.sample_entities import Words, read_words

COMMON = read_words("""
first = Alma | Bram | Corin | Delia | Edda | Fenn | Greta | Hollis | Imre | Jonna | Kit | Lorne
    | Maeve | Nell | Osric | Petra | Quill | Rhea | Sorrel | Tamsin | Ulla | Vesper | Wynn | Zadie
    | Anselm | Birgit | Caspian | Dorrit | Emeric | Flora | René | Zoë
last = Aldermoor | Brackwell | Carrowind | Dunmarsh | Eskerling | Farrowby | Gallowhay | Hathersedge
    | Ironquill | Jessamy-Holt | Kettlebeck | Lanternby | Marchbank | Nethercote | O'Marrow
    | Pellingrove | Quarrendon | Ravenshaw | Stonecrop | Thistlewood | Underhay | Vantongeren
    | Wexcombe | Yarrowdale | Zennor-Finch | Bellécourt | Castañeda-Roe | D'Ambrey | Tolliver
    | Oakhanger | Pruett-Lisle | Sandoval-Grieve
person = {first} {last} | {first} {last} | {first} {letter}. {last}
letter = A | B | C | E | H | J | K | L | M | R | T | W
nick = {adjective}_{beast} | {beast}{10..99} | {first} {letter}. | {first} from {town} | {beast}fan
adjective = quiet | rusty | candid | early | northern | thrifty | curious | steady | amber | nimble
beast = heron | otter | badger | magpie | lynx | marmot | plover | weasel | gecko | walrus
town = Port Ellery | Marlow Bay | Greystone | Ashgrove | Cedar Hollow | Lakemont | Dunridge
    | Saint Orsola | Foxborne | Wren's Crossing | Halvorsen | Tidewater Falls | Kingsferry
    | Elm Prairie | Bramblegate | New Tarrow | Coldwater Springs | Vista Lorena | Orchard Point
city = {town}
state = OR | VT | NM | ME | ID | WI | KS | DE | MT | GA | OH | AZ | TN | RI
street = {10..9900} {road} {way} | {100..990} {compass} {road} {way} | {10..99} {road} {way}
road = Juniper | Mill Pond | Lantern | Chandler's | Old Quarry | Harbor | Second | Larkspur
    | Fairwater | Union | Tannery | Eleventh | St. Brennan | Cooper & Vine | Alder Creek
way = Street | Avenue | Road | Blvd. | Lane | Parkway
compass = N. | South | West | E.
area = {201..989}
local = {0100..0199}
month = January | February | March | April | May | June | July | August | September | October
    | November | December
mon = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec
day = {month} {1..28}, {2005..2010}
recent = {month} {1..28}, 2010 | {1..28} days ago | {mon} {1..28}, 2010
verdict = Better than I hoped | Not for everyone | Would choose it again | A pleasant surprise
    | Mixed feelings | Does what it says | Three weeks later | Solid, not perfect
    | My honest opinion | Worth a second look | Disappointed | Good value | Nearly flawless
advert = Lower your monthly payments today | Compare free quotes in your area
    | Refinance from {3..6}.{10..99}% | Learn a language in {4..12} weeks
    | Free shipping over ${25..75} | Win a weekend in {town} | Your ad could stand here
    | Get our newsletter and save {5..20}% | Moving? Get three estimates
    | Meet locals in {town}, {state} | Printer ink up to {40..70}% off | {town}: deals near you
remark = I would tell a friend about it. | Your mileage may vary. | Ask me again in a year.
    | My wife disagrees, of course. | No regrets so far. | The pictures above flatter it a little.
    | I wish somebody had told me that before. | Not bad at all for {town}. | Four stars, not five.
    | Thanks to everyone who answered my question here. | Read the fine print first.
    | I do not usually write these. | Edited {month} {1..28}: still happy.
    | You get what you pay for. | That said, nothing is perfect. | Hope this helps someone.
    | I compared {3..9} others before.
notice = Server maintenance on {month} {1..28} | New: saved lists for members
    | {1,200..9,800} members are online now | Tell a friend and earn points | Welcome back, guest
footer = About us | Contact | Help | Privacy policy | Terms of use | Site map | Advertise with us
    | Press | Careers | Mobile edition | RSS feeds | Affiliates | Partners
tool = Print this page | E-mail to a friend | Save to my list | Report an error | Share | Bookmark
    | Add to compare
""")


def with_common(text: str) -> Words:
    """Return the words of a vertical and the shared ones."""
    return {**COMMON, **read_words(text)}
