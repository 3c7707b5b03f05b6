"""Invented jobs, players, restaurants and colleges: four verticals of the embedded sample as data.

    JOB   ->   "Lead Pastry Cook", "Amberline Bank", "Lakemont, VT", "March 3, 2010"

How patterns are read: sample_entities.py. Shared words: sample_words.py.
"""

from edrew_torch.datasets.sample_entities import Attribute, Vertical, read_words
from edrew_torch.datasets.sample_words import with_common

JOB = Vertical(
    name="job",
    noun="job",
    plural="Jobs",
    attributes=(
        Attribute(
            "title",
            "Job title | Position | Title",
            "{rank} {role} | {rank} {role} - {shift} | {rank} {role} ({shift})",
        ),
        Attribute(
            "company",
            "Company | Employer | Hiring company | Organization",
            "{company_name}",
            absent=0.06,
            stand_in="Company confidential",
        ),
        Attribute(
            "location",
            "Location | Job location | City | Where",
            "{city!}, {state!} | US-{state!}-{city!} | {city!}, {state!} {10000..99900}",
            absent=0.03,
            stand_in="Nationwide",
        ),
        Attribute(
            "date_posted",
            "Date posted | Posted | Posted on | Listed",
            "{month} {1..28}, 2010 | {1..12}/{1..28}/2010 | {mon} {01..28}, 2011",
            absent=0.09,
        ),
    ),
    words=with_common("""
rank = Senior | Junior | Lead | Assistant | Chief | Staff | Night | Regional
role = Systems Analyst | Staff Nurse | Warehouse Supervisor | Loan Officer | Web Developer
    | Pastry Cook | Claims Adjuster | Project Engineer | Account Manager | Truck Driver
    | Lab Technician | Research & Development Chemist | Payroll Clerk | Physical Therapist
    | Quality Auditor | Network Administrator | Store Manager | Claims & Billing Specialist
shift = Full Time | 2nd Shift | Contract | Weekends | {city} Office | Part-Time
company_name = {last} & Sons | {last} Logistics | {city} Regional Hospital | Brightpath Staffing
    | {last} Foods, Inc. | Northmere Insurance | {last} & Partners LLP | Cobalt Ridge Software
    | {city} School District | Tessel Manufacturing Co. | Amberline Bank | Larkin's Markets
field = Health care | Finance | Information technology | Retail | Transport | Education
    | Manufacturing | Hospitality | Sales & marketing | Construction | Legal | Public sector
skill = spreadsheets | scheduling | customer service | SQL | forklift operation | bookkeeping
    | CPR | blueprint reading | public speaking | inventory control
"""),
    facts=read_words("""
Salary = ${31..95},000 /yr | ${11..48}.{10..90} /hour | ${31..48},000 - ${52..95},000 | Negotiable
Job type = Full-time | Part-time | Contract | Temporary to permanent
Category = {field!}
Experience = {1..9}+ years | Entry level | {1..4} to {5..9} years
Education = High school diploma | Bachelor's degree | Associate degree | Master's degree
Job ID = {letter}{letter}{10000..99999} | {100000..999999}
Closing date = {month} {1..28}, 2010 | {1..12}/{1..28}/2010 | Open until filled
Start date = Immediate | {month} {1..28} | As soon as possible
Travel = None | Up to {10..50}% | Occasional
Relocation = Not offered | Assistance available
Shift = Days | Evenings | Rotating | Overnight
Benefits = Medical & dental | 401(k), medical | Paid vacation
Contact = {person}
Department = {field} | Operations | Administration
Openings = {1..9}
Reports to = Director of {field} | Shift lead
Head office = {town}, {state}
Last updated = {month} {1..28}, 2010 | {1..12}/{1..28}/2010
"""),
    headline="Salary | Job type | Job ID | Closing date",
    facet="field",
    trail="field",
    card="company | location",
    menu=("Search jobs | Post a resume | Salary wizard | Career advice | Employers | Job alerts | My account"),
    prose="""
We are looking for a {role} who likes early mornings and clear answers.
You will plan, document and improve daily work in a team of {4..40}.
Applicants need {1..9} years of experience and a working knowledge of {skill}.
Duties include {skill}, {skill} and the training of new staff.
We offer paid leave from day one, a pension plan and {10..25} days of vacation.
The successful candidate reports to the director of {field} in {city}.
We are an equal opportunity employer; references and a drug test are required.
Please apply online and quote the number of this posting. No calls, please.
""",
    reviews="""
I worked there for {2..9} years; good people, slow decisions.
Interview took {20..90} minutes and two of the questions were about {skill}.
Parking is a problem, the canteen is not.
They never called back. Applied twice.
Fair pay for {city}, and the overtime is real.
Management changed in {month} and things have looked up since.
""",
)

NBAPLAYER = Vertical(
    name="nbaplayer",
    noun="player",
    plural="Players",
    attributes=(
        Attribute(
            "name",
            "Name | Player",
            "{given!} {family!} | {given!} {family!} #{0..55}",
        ),
        Attribute(
            "team",
            "Team | Current team | Club | Plays for",
            "{club}",
            absent=0.06,
            stand_in="Free agent",
        ),
        Attribute(
            "height",
            "Height | Ht. | HT",
            "6' {2..11}\" | 6-{2..11} | 6 ft {2..11} in | 6'{2..11}\"",
            absent=0.04,
        ),
        Attribute(
            "weight",
            "Weight | Wt. | WT",
            "{178..284} lbs. | {178..284} | {178..284} lbs | {178..284} pounds",
            absent=0.05,
        ),
    ),
    words=with_common("""
given = Bram | Corin | Fenn | Hollis | Imre | Lorne | Osric | Quill | Anselm | Caspian | Emeric
    | René | Tobin | Darro | Marek | Joaquín | Lars | Ewan | Teo | Silas
family = {last}
club = Port Ellery Gulls | Greystone Miners | Lakemont Pikes | Kingsferry Pilots | Ashgrove Axemen
    | Dunridge Storm | Marlow Bay Tritons | Halvorsen Elks | Foxborne Hounds | New Tarrow Kings
    | Elm Prairie Bison | Saint Orsola Bells | Vista Lorena Suns & Stars | Cedar Hollow Owls
post = Guard | Forward | Center | Point guard | Small forward | G-F | F-C
college = {city} State | {last} College | {city} Tech | None
"""),
    facts=read_words("""
Position = {post} | {post}
Born = {month} {1..28}, {1974..1991} | {mon} {1..28}, {1974..1991}
Age = {19..37}
Birthplace = {city}, {state}
College = {college} | {college}
Drafted = {1996..2010}, round {1..2}, pick {1..30} | Undrafted
Experience = {1..14} years | Rookie
Jersey = #{0..55}
Shoots = Right | Left
Salary = ${1..14}.{1..9} million | ${400,000..980,000}
Agent = {person}
Wingspan = 6-{5..11} | 7-{0..5}
Reach = {8..9}' {1..11}"
Playing weight at draft = {178..270} | {178..270} lbs
First team = {club} | {club}
High school = {city} High | {last} Academy
Nickname = The {beast} | None | "{family} Junior"
Points per game = {2..27}.{1..9}
Rebounds per game = {1..12}.{1..9}
Assists per game = {0..9}.{1..9}
Free throws = .{611..930}
"""),
    headline="Position | Jersey | Points per game | Experience | Born",
    facet="club",
    trail="team",
    card="team | height",
    menu="Scores | Schedule | Standings | Teams | Statistics | Fantasy & picks | Tickets | Video",
    prose="""
{name} missed {3..30} games with a sprained ankle before returning in {month}.
Scored a career-high {21..51} points against the {club} on {month} {1..28}.
Came over from the {club} in a three-way trade that also moved {first} {last}.
Averaged {4..19}.{1..9} points over his last {5..20} outings.
Coach {last} praised his work on defense and hinted at more minutes.
He runs a summer camp in {city} and reads two newspapers a day.
Fantasy owners should wait: the back-to-backs in {month} will cost him minutes.
One of {2..6} children; his sister played for {city} State.
""",
    reviews="""
Best pick-and-roll partner the {club} ever had.
Overpaid. {family} disappears in every fourth quarter.
Watched him live in {city}, he is taller than you think.
Trade him for a second-round pick and a bag of balls.
He will be an all-star by {2011..2014}, mark my words.
Needs a jump shot from the left corner.
""",
)

RESTAURANT = Vertical(
    name="restaurant",
    noun="place",
    plural="Restaurants",
    attributes=(
        Attribute(
            "name",
            "Name | Restaurant",
            "{eatery} | {eatery} - {district}",
        ),
        Attribute(
            "address",
            "Address | Where | Find it at | Street address",
            "{street} // {city!}, {state!} {10000..99900} | {street}, {city!}"
            " | {street} // {city!} // {state!} // {10000..99900}",
            absent=0.03,
        ),
        Attribute(
            "phone",
            "Phone | Tel. | Call | Reservations",
            "({area}) 555-{local} | {area}-555-{local} | {area}.555.{local}",
            absent=0.07,
            stand_in="No phone listed",
            counts=(1, 1, 1, 2),
        ),
        Attribute(
            "cuisine",
            "Cuisine | Cuisines | Kitchen | Food type",
            "{food}",
            absent=0.06,
            counts=(1, 1, 2, 3),
        ),
    ),
    words=with_common("""
eatery = The {tint} {animal} | {first}'s {room} | Chez {last} | {last} & Daughter | {room} {number}
    | {tint} {herb} {room} | La {herb} {tint} | {animal} & {herb} | Trattoria {last} | {herb}
    | Casa {first} | Aunt {first}'s {room}
trade = bakery | saddle | print
tint = Gilded | Blue | Crooked | Copper | Laughing | Red | Hungry | Painted
animal = Heron | Goat | Sturgeon | Rooster | Ox | Snail | Partridge
herb = Saffron | Tarragon | Juniper | Fennel | Olivo | Sesame | Persimmon
room = Café | Grill | Kitchen | Bistro | Tavern | Noodle House | Diner | Oyster Bar
number = 9 | 41 | 112 | 1908
district = Downtown | Old Dock | Mill District | Riverside | {road} {way}
food = Italian | Steak & Seafood | Thai | New American | Mexican | French | Barbecue | Vegetarian
    | Japanese | Indian | Coffee & Pastry | Greek | Tapas | Cajun
dish = duck with cherries | lemon risotto | smoked trout | lamb stew | corn fritters
    | crème brûlée | pork belly | beet salad | fish tacos | pumpkin curry
"""),
    facts=read_words("""
Price range = $ | $$ | $$$ | ${8..15} - ${18..45}
Hours = {10..11}am - {9..11}pm daily | Tue - Sun, {5..6}pm - 11pm | Lunch & dinner
Fax = ({area}) 555-{local} | {area}-555-{local}
Neighborhood = {district} | {district}
Cross street = {road} {way} | {road} {way}
Parking = Street | Valet | Lot behind the house
Payment = Cash only | All major cards | Cards & checks
Dress code = Casual | Smart casual | Jacket requested
Seats = {18..220}
Alcohol = Full bar | Beer & wine | None
Good for = Groups | Families | Romantic dinners | Business lunch
Specialty = {dish} | {dish}
Chef = {person}
Owner = {person}
Opened = {1931..2009}
Delivery = Yes | No | Within {2..9} miles
Outdoor seating = Yes | No | Heated patio
Wheelchair access = Yes | Partial
Overall rating = {2..4}.{1..9} / 5 | {60..97}%
"""),
    headline="Price range | Overall rating | Neighborhood | Hours",
    facet="food",
    trail="cuisine",
    card="cuisine | phone",
    menu="Restaurants | Bars & clubs | Events | Hotels | Shopping | Maps | Delivery | Coupons",
    prose="""
{name} seats {20..140} in a former {trade} shop two blocks from the river.
Chef {last} changes the menu every {2..6} weeks; the {dish} never leaves it.
Bring cash on Mondays, when the wine list is half price.
The room is loud after {7..9}, so ask for the back patio.
Regulars come for the {dish}, and stay for the {dish}.
A prix fixe of {3..6} courses costs ${28..85}; children eat free before six.
The kitchen buys from farms around {city} and lists them by name.
Named one of {city}'s ten best new rooms in {2006..2010}.
""",
    reviews="""
The {dish} was perfect, the service took forever.
We were {4..12} for a birthday and they split the check without a word.
Portions are small for the price. Nice waiter, though.
Go for lunch, not dinner. Parking is easier, too.
Found a hair in my {dish}. They apologised and took it off the bill.
Best {dish} this side of {town}!
Our table had a view of the bins. Never again.
""",
)

UNIVERSITY = Vertical(
    name="university",
    noun="school",
    plural="Colleges",
    attributes=(
        Attribute(
            "name",
            "Name | School | Institution",
            "{school} | {school}, {city}",
        ),
        Attribute(
            "phone",
            "Phone | Telephone | Main line | Admissions",
            "({area}) 555-{local} | {area}-555-{local} | +1 {area} 555 {local}",
            absent=0.08,
            stand_in="Not listed",
            counts=(1, 1, 1, 2),
        ),
        Attribute(
            "website",
            "Website | Web site | Homepage | Web address",
            "www.{host}.example | http://www.{host}.example/ | {host}.example",
            absent=0.06,
            stand_in="None",
        ),
        Attribute(
            "type",
            "Type | Control | Institution type | Sector",
            "{sector} | {sector}, 4-year | 4-year, {sector}",
            absent=0.04,
        ),
    ),
    words=with_common("""
school = {last} College | University of {city} | {city} State University
    | {last} Institute of Technology
    | {city} College of Art & Design | Saint {first}'s College | {last} University
    | {city} Polytechnic
    | {city} A&M University | {last} Bible College | Collège {last}
host = {beast}{adjective} | {adjective}hall | go{beast}s | {beast}-college | {adjective}{beast}edu
sector = Public | Private | Private not-for-profit | Private for-profit | Public, land-grant
setting = City: small | Suburb: large | Town: remote | Rural: fringe | City: midsize
subject = Nursing | Business | Marine biology | Education | Engineering | Music & theater | History
    | Computer science | Agriculture | Criminal justice | Fine arts
"""),
    facts=read_words("""
Setting = {setting} | {setting}
Founded = {1801..1974}
Undergraduates = {800..34,000}
Graduate students = {90..9,800}
In-state tuition = ${3,100..14,900} | ${3,100..14,900} per year
Out-of-state tuition = ${12,100..39,900} | ${12,100..39,900} per year
Room & board = ${5,200..12,400}
Acceptance rate = {19..92}% | {19..92} percent
Application deadline = {month} {1..28} | Rolling
Application fee = ${20..75} | None
Calendar = Semester | Quarter | Trimester
Student-faculty ratio = {8..26}:1 | {8..26} to 1
Mascot = {beast}s | The {adjective} {beast}
Colors = Green & white | Maroon | Blue & gold | Black & orange
Popular major = {subject} | {subject}
Library volumes = {90,000..980,000}
President = {person} | Dr. {person}
Fax = ({area}) 555-{local} | {area}-555-{local}
Religious affiliation = None | Lutheran | Methodist | Catholic
Degrees offered = Bachelor's | Associate's, Bachelor's | Bachelor's, Master's
Campus housing = Yes | No
Financial aid office = ({area}) 555-{local} | {area}-555-{local}
"""),
    headline="Setting | Undergraduates | In-state tuition | Acceptance rate | Founded",
    facet="subject",
    trail="type",
    card="type | phone",
    menu=("College search | Majors & careers | Scholarships | Rankings | Student loans | Test prep | Campus life"),
    prose="""
{name} enrolls {900..31,000} students on a campus of {40..1,400} acres.
{subject} and {subject} are the largest departments; {subject} is the oldest.
Nearly {40..95} percent of first-year students receive some form of aid.
Freshmen live in {4..18} residence halls, two of them for honors students.
The {beast}s compete in {9..22} sports in the {city} Conference.
A shuttle connects the campus with downtown {city} every {10..30} minutes.
Evening and distance programs in {subject} start in {month}.
Its observatory, a gift of {person}, opens to the public once a month.
""",
    reviews="""
Professors know your name by the second week.
Great {subject} program, terrible parking.
Dorm food is fine if you like potatoes.
Transferred here from {city} State and never looked back.
The aid office lost my form {2..4} times.
Quiet on weekends, everybody drives home.
""",
)
