"""Invented cars, books, cameras and films: four verticals of the embedded sample as data.

    CAMERA   ->   "Kagari Opal E640", "$312.40", "Kagari", among 20 facts nobody asked for

How patterns are read: sample_entities.py. Shared words: sample_words.py.
"""

from edrew_torch.datasets.sample_entities import Attribute, Vertical, read_words
from edrew_torch.datasets.sample_words import with_common

AUTO = Vertical(
    name="auto",
    noun="car",
    plural="Cars",
    attributes=(
        Attribute(
            "model",
            "Model | Vehicle | Style",
            "{year!} {brand!} {line!} {trim} | {brand!} {line!} {trim} ({year!}) | {brand!} {line!} {trim}",
        ),
        Attribute(
            "price",
            "MSRP | Base price | Sticker price | Price",
            "${14,100..68,900} | USD {14,100..68,900} | ${12,000..39,900} - ${40,100..59,900}",
            absent=0.07,
            stand_in="Call for price",
        ),
        Attribute(
            "engine",
            "Engine | Engine type | Powertrain",
            "{size}L {block}, {110..420} hp | {size} liter {block} | {block} {size}L",
            absent=0.06,
            stand_in="Not available",
        ),
        Attribute(
            "fuel_economy",
            "Fuel economy | MPG | Mileage (est.) | EPA estimate",
            "{14..28} mpg city // {29..41} mpg hwy | {14..28} mpg City, {29..41} mpg Hwy | {14..28}/{29..41} mpg",
            absent=0.08,
            stand_in="Not yet tested",
        ),
    ),
    words=with_common("""
brand = Velmora | Castrel | Ordano | Hestrel | Norvane | Tarrino | Kestor | Aurelle | Quintar
    | Lindqvar | Pellaro | Mirato | Dressen & Vale | Bruyère
line = Halyard | Plover | Tamarisk | Cinder | Marlet | Sablecoat | Windrow | Quarrel | Corvane
    | Ridgeling | Pampero | Estrella S | Nightjar | Bramble | Overmoor | Tern
trim = 4dr Sedan | 2dr Coupe | Touring Wagon | Sport Hatchback | Crew Cab {letter}{2..9}
    | Classic 4x4 | Cabriolet | {letter}L-{2..9} Sedan | Long Bed
year = 2008 | 2009 | 2010 | 2011
size = 1.4 | 1.6 | 1.8 | 2.0 | 2.2 | 2.4 | 2.7 | 3.0 | 3.5 | 4.2 | 5.3
block = I4 | V6 | turbo I4 | V8 | flat-four | diesel I4 | hybrid I4 | DOHC V6
shade = Slate | Pearl White | Ember Red | Fjord Blue | Moss | Graphite | Oat
"""),
    facts=read_words("""
Invoice price = ${13,100..59,900} | ${13,100..59,900} | Not published
Destination charge = ${650..940} | ${650..940}.00
Transmission = 5-speed manual | 6-speed automatic | 4-speed automatic | CVT | 7-speed dual clutch
Drivetrain = Front-wheel drive | Rear-wheel drive | All-wheel drive | Part-time 4WD
Horsepower = {110..420} @ {5..6},{100..900} rpm
Torque = {100..390} lb-ft @ {2..4},{100..900} rpm
Fuel tank = {11..24}.{1..9} gal
Seating = 2 | 4 | 5 | 7 | 8
Doors = 2 | 4 | 5
Curb weight = {2,300..5,400} lbs
Wheelbase = {95..132}.{1..9} in
Warranty = {3..5} yrs / {36..60},000 miles
Brakes = 4-wheel disc, ABS | Front disc / rear drum | Ventilated disc
Exterior color = {shade} | {shade} | {shade} metallic
Interior = Cloth | Leather & suede | Leatherette
Wheels = {15..20}-inch alloy | {15..17}-inch steel
Crash rating = {3..5} of 5 stars
Emissions = Tier 2 bin {2..8} | Low emission II
Built in = {city} | {city}, {state}
"""),
    headline="Invoice price | Crash rating | Warranty | Exterior color",
    facet="brand",
    trail="brand",
    card="price",
    menu=("New cars | Used cars | Dealers | Car loans | Reviews & road tests | Compare | Sell your car"),
    prose="""
The {name} returns with a stiffer body and a calmer cabin than its predecessor.
Engineers in {city} spent two winters tuning the steering, and it shows on broken roads.
Rear passengers get {31..39} inches of leg room; the boot swallows {9..22} cubic feet.
{brand} offers it in {4..9} colors, {shade} among them, and with three interior packages.
In our {70..300}-mile loop the trip computer settled at {18..36} mpg.
A navigation screen of {5..8} inches is optional, and so is the towing kit.
Rivals from Castrel and Norvane undercut it, but neither rides as quietly.
The next facelift is expected in {month}, when prices may rise by ${200..900}.
""",
    reviews="""
I have driven mine for {4..40},000 miles without a single visit to the dealer.
The {line} is comfortable, but the cup holders were designed by someone who hates coffee.
We looked at three others and came back to this one because of the seats.
Road noise above {60..75} mph is worse than in my old {brand}.
Dealer in {city} was honest, no pressure, took ${300..2,400} off.
Gas mileage is nowhere near what the sticker says, more like {13..24} in town.
My kids love the back row. The paint chips easily, though.
""",
)

BOOK = Vertical(
    name="book",
    noun="book",
    plural="Books",
    attributes=(
        Attribute(
            "title",
            "Title | Book title",
            "{title_words} | {title_words}: {subtitle}",
        ),
        Attribute(
            "author",
            "Author | By | Written by | Author(s)",
            "{person} | {last}, {first}",
            absent=0.04,
            stand_in="Various",
            counts=(1, 1, 1, 1, 2, 2, 3),
        ),
        Attribute(
            "isbn_13",
            "ISBN-13 | ISBN 13 | EAN",
            "978{1000000000..9999999999} | 978-{1..9}-{100..999}-{10000..99999}-{1..9}",
            absent=0.06,
        ),
        Attribute(
            "publisher",
            "Publisher | Publ. | Imprint",
            "{imprint}",
            absent=0.05,
            stand_in="Unknown",
        ),
        Attribute(
            "publication_date",
            "Publication date | Published | Pub. date | Release date",
            "{month} {1..28}, {1998..2011} | {01..28} {mon} {1998..2011}"
            " | {month} {1998..2011} | {01..12}/{01..28}/{1998..2011}",
            absent=0.06,
            stand_in="Forthcoming",
        ),
    ),
    words=with_common("""
title_words = The {object} of {city} | {mood} {things} | A {object} for {first} | {first}'s {object}
    | {things} and the {object} | The Last {object} | {number} {mood} {things}
    | Under the {mood} {object} | Letters to a {mood} {object} | What the {object} Knew
    | Café {last} | The {trade}'s {object}
subtitle = A Novel | A Memoir | Essays on {things} | A Field Guide | Stories | A {city} Mystery
object = Lighthouse | Orchard | Ledger | Salt Road | Clockmaker | Winter House | Compass | Ferry
    | Violin | Beekeeper | Cartographer | Glass Bell | Thorn | Harvest | Observatory
things = Rivers | Embers | Sparrows | Promises | Maps | Strangers | Tides | Furrows | Lanterns
mood = Silent | Crooked | Borrowed | Burning | Forgotten | Northern | Little | Uncertain | Paper
number = Seven | Eleven | Forty | Nine
craft = locksmith | surgeon | widow | translator | gardener | glazier
trade = Locksmith | Surgeon | Gardener | Widow | Translator | Apprentice
imprint = Quill & Harrow | Saltmarsh Press | Foxglove House | Marram Books | Tern & Daughters
    | Candlewick Row | Northlight Editions | Éditions du Merle | Hartsease | Penstemon Press
    | Blue Ferry Books | Old Dock Publishing Co. | {city} University Press
genre = Literary fiction | Mystery & crime | Biography | Young adult | History | Travel | Poetry
    | Science & nature | Cooking | Business | Romance | Fantasy
"""),
    facts=read_words("""
List price = ${12..38}.95 | ${12..38}.00 | ${12..38}.99
Our price = ${6..24}.{10..99}
You save = ${2..11}.{10..99} ({10..45}%)
Format = Hardcover | Paperback | Mass market paperback | Library binding
Pages = {120..880} | {120..880} pages
ISBN-10 = {1000000000..9999999999} | {100000000..999999999}X
Language = English | English | English, French
Edition = 1st | 2nd, revised | Reprint | Illustrated
Dimensions = {5..7}.{1..9} x {8..10}.{1..9} x {0.4..1.9} in
Shipping weight = {8..40}.{1..9} oz | {1.1..2.9} lbs
Sales rank = {1,000..990,000}
Subject = {genre!}
Series = The {object} Cycle, vol. {1..6} | None
Illustrator = {person} | None
Translator = {person} | None
Reading level = Adult | Ages {9..14} and up
Availability = In stock | Ships in {2..9} days | Special order
Narrator = {person}
"""),
    headline="Our price | List price | Availability | Format | You save",
    facet="genre",
    trail="genre",
    card="author",
    menu=("Bestsellers | New & forthcoming | Used books | Textbooks | Children's | Bargains | Gift cards | E-books"),
    prose="""
In {city}, a {craft} inherits a house whose doors open only in {month}.
{name} begins with a letter and ends with a fire; what lies between is told by {first}.
Drawing on {10..90} interviews, the book follows three families across a century.
“Quietly devastating,” wrote the {city} Courier; “a page-turner with a conscience.”
This edition carries a new preface, notes, and a reading list for book clubs.
The author lives near {city} with two dogs and a collection of unreliable clocks.
Winner of the {last} Prize and a finalist for the {city} Medal in {2001..2009}.
By turns funny and grave, it asks what a {craft} owes to the {craft} next door.
""",
    reviews="""
I read it on the train to {city} and missed my stop.
The first {40..120} pages drag, then you cannot put it down.
Bought it for my mother, who bought it for her sister.
The {craft} was my favorite character, the rest less so. I expected more after the last one.
The ending made me go back to page one.
{name} arrived with a torn jacket, otherwise fine.
Our reading group argued about it for two hours, which is a good sign.
""",
)

CAMERA = Vertical(
    name="camera",
    noun="product",
    plural="Cameras",
    attributes=(
        Attribute(
            "model",
            "Model | Product | Item",
            "{brand!} {line!} {code!} | {brand!} {line!} {code!} {kind} | {line!} {code!} {kind} by {brand!}",
        ),
        Attribute(
            "price",
            "Price | Our price | Sale price | Online price",
            "${79..999}.{10..99} | ${100..1,899}.00 | ${79..899}.95 USD",
            absent=0.07,
            stand_in="See price in cart",
        ),
        Attribute(
            "manufacturer",
            "Manufacturer | Brand | Made by | Mfr.",
            "{brand} | {brand} {co}",
            absent=0.05,
        ),
    ),
    words=with_common("""
brand = Ocelar | Lumetta | Kagari | Brightwell | Fotane | Hexar & Sohn | Nimbus Optical | Viseo
    | Straub | Orrin | Palerma | Zöllner
co = Inc. | Corp. | Imaging
line = Vista | Pixette | Proshot | Traveler | Swift | Macro Elite | Zoomline | Alpine | Opal
code = {letter}{100..990} | {letter}{letter}-{10..95} | {100..950}IS | {10..90}x | {letter}{1..9}
kind = Digital Camera | Digital SLR | Compact Camera | Camera Kit | Waterproof Camera
hue = black | silver | red | titanium | white
"""),
    facts=read_words("""
List price = ${120..1,290}.99 | ${120..1,290}.00
Shipping = Free | ${4..14}.95 | ${4..14}.50
Stock = In stock | Only {2..9} left | Back-ordered | Usually ships in 24 hours
Resolution = {6..16}.{1..9} megapixels | {6..16} MP
Optical zoom = {3..12}x | {18..35}x
Digital zoom = {2..6}x
LCD screen = {2.4..3.5} in, {230..920}K dots
Sensor = CCD, 1/2.{3..7} in | CMOS, APS-C | Super CCD
ISO range = 80 - 1600 | 100 - 3200 | 64 - 6400
Shutter speed = {8..30} - 1/{2000..8000} sec
Memory card = SD / SDHC | CompactFlash | Memory strip
Battery = Li-ion {letter}L-{4..12} | 2 x AA | 4 x AA
Video = 640 x 480, 30 fps | 720p HD | 1080i HD
Weight = {4.2..9.8} oz | {1.1..2.9} lbs
Color = {hue} | {hue} & {hue}
Warranty = 1 year limited | 2 years parts & labor | 90 days
Part number = {letter}{10000..99999}{letter}
UPC = {100000000000..999999999999}
Lens maker = {brand} | {last} Optics
Rating = {2..4}.{1..9} out of 5
"""),
    headline="List price | Shipping | Stock | Part number | Rating",
    facet="brand",
    trail="brand",
    card="price",
    menu=("Compact cameras | SLR cameras | Lenses | Memory & batteries | Bags | Printers | Clearance"),
    prose="""
The {name} fits a shirt pocket and still finds room for a {3..12}x lens.
Face detection, shake reduction and {10..26} scene modes take care of the rest.
Shoot at {3..10} frames per second and keep every step of the game.
In the box: strap, cable, charger, software CD and a {60..180}-page manual.
Its {hue} shell is sealed against dust and splashes.
{brand} backs it with a service centre in {city} and a toll-free help line.
Bundle it with a 4 GB card and a case to save ${10..40}.
Prints up to {11..20} x {21..30} inches stay crisp to the edges.
""",
    reviews="""
Pictures are sharp in daylight; indoors the flash takes {3..9} seconds to recover.
Bought the {hue} one for a trip to {city} and dropped it twice. Still works.
The menu is a maze, but the auto mode is so good that I rarely open it.
Battery lasts about {120..340} shots for me, not what the box promises.
Upgraded from an older {brand}. Night and day.
It was ${20..90} cheaper a week after I bought it. Grrr.
Zoom is noisy on video; you hear every click.
""",
)

MOVIE = Vertical(
    name="movie",
    noun="movie",
    plural="Movies",
    attributes=(
        Attribute(
            "title",
            "Title | Film",
            "{film} | {film} ({1958..2010})",
        ),
        Attribute(
            "director",
            "Director | Directed by | Director(s) | A film by",
            "{person}",
            absent=0.05,
            stand_in="Not credited",
            counts=(1, 1, 1, 1, 2),
        ),
        Attribute(
            "genre",
            "Genre | Genres | Category | Type",
            "{kind}",
            absent=0.05,
            counts=(1, 2, 2, 3),
        ),
        Attribute(
            "mpaa_rating",
            "MPAA rating | Rated | Rating | Certificate",
            "{mark} | {mark} for {cause} | Rated {mark}",
            absent=0.09,
            stand_in="Unrated",
        ),
    ),
    words=with_common("""
film = The {night} {figure} | {figure} in {city} | {night} {scene} | {first} & the {figure}
    | No {scene} | A {figure}'s {scene} | The {scene} | {scene} at {hour} | Dear {first}
    | {city} {scene} | Return to {city} | Señor {last} | {figure} Without {scene}
night = Midnight | Velvet | Second | Hollow | Golden | Paper | Electric | Frozen | Loud
figure = Stranger | Ferryman | Magician | Bride | Sheriff | Accordionist | Daughter | Swindler
scene = Carnival | Alibi | Monsoon | Waltz | Reckoning | Ransom | Holiday | Eclipse | Verdict
rogue = sheriff | swindler | magician | ferryman | bride
event = trial | wedding | parade | robbery | rehearsal
hour = Dawn | Noon | Half Past Nine | Closing Time
kind = Drama | Comedy | Thriller | Western | Musical | Science Fiction | Horror | Romance
    | Documentary | Action & Adventure | Family | Crime | War
mark = G | PG | PG-13 | R | R | NC-17
cause = mild language | some violence | brief nudity | thematic elements & smoking
studio = Lodestar Pictures | Grand Meridian | Two Lamps Films | Ostrich & Key | Halation
part = the {figure} | {first} | {first} {last} | Judge {last} | Mrs. {last} | Young {first}
"""),
    facts=read_words("""
Running time = {78..168} min | {78..168} minutes | 1 hr. {10..58} min.
Release date = {day} | {month} {1..28}, {1960..2010}
Studio = {studio} | {studio}
Writer = {person} | {person}
Producer = {person} | {person} & {person}
Cinematographer = {person}
Music = {person}
Editor = {person}
Country = USA | Canada | France / Belgium | USA / Mexico
Language = English | French | English & Spanish
Color = Color | Black & white
Sound = Stereo | Mono | 5.1 surround
Box office = ${1..240}.{1..9} million | ${100,000..980,000}
Budget = ${1..90} million (est.)
DVD release = {month} {1..28}, {2004..2010}
Users' score = {3..8}.{1..9} / 10
Critics = {21..98}% | {2..4} stars
Aspect ratio = 1.85:1 | 2.35:1 | 1.33:1
Starring = {person} | {person}
"""),
    headline="Starring | Running time | Users' score | Release date | Studio",
    facet="kind",
    trail="genre",
    card="director | genre",
    menu="Now playing | Coming soon | DVD & video | Trailers | Photos | Box office | News",
    prose="""
When {first}, a {rogue} with a past, steps off the bus in {city}, an old debt falls due.
{first} {last} plays {part}, the only witness who does not want to talk.
Shot in {18..70} days around {city}, the picture was recut twice before its release.
What starts as a {event} turns into a chase across three states and one border.
The score, recorded with a choir of {20..80}, stays with you.
With {first} {last} as {part} and {first} {last} as {part}.
It opened on {12..900} screens and left after {2..9} weeks; video gave it a second life.
Look for the cameo of {first} {last} in the market scene.
""",
    reviews="""
Saw it in {city} with {3..40} people in the room and everybody stayed through the credits.
The second act sags, the last {10..30} minutes are superb.
Not {person}'s best, yet the camera work alone is worth the ticket.
My kids were bored, I was not.
I guessed who did it in the first ten minutes.
Why does nobody talk about {name} any more?
Great soundtrack, thin story, wonderful hats.
""",
)
