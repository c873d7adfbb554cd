"""The words, patterns and odd pieces that `make_sample` draws the sample wiki from; all of it invented."""

# Title, kind, words that articles use of it.
HUBS = (
    ("River Ossel", "place", "bank ford ferry weir mill current sandbar eel"),
    ("Brindle Coast", "place", "cliff cove beacon tide shingle gull wreck jetty"),
    ("Nimmer Sea", "place", "island swell fog strait herring reef chart storm"),
    ("Hollow Range", "place", "summit pass cave quarry glacier goat ridge mine"),
    ("Ketterfen", "place", "marsh reed peat causeway heron dyke sluice willow"),
    ("Tarn boat", "thing", "hull mast oar keel rope sail plank rudder"),
    ("Lantern craft", "thing", "wick glass oil flame brass workshop shade apprentice"),
    ("Glass orchard", "thing", "pear greenhouse pane blossom graft harvest cellar bee"),
    ("Marrow wheat", "thing", "grain field bread plough stalk sack granary baker"),
    ("Copper moth", "thing", "wing cocoon larva silk thread dye swarm leaf"),
    ("Bell kite", "thing", "string bamboo wind tail paper chime tower knot"),
    ("Salt guild", "group", "pan brine barrel tax seal warehouse ledger master"),
    ("Order of the Quill", "group", "scribe ink library vow parchment abbey copy archive"),
    ("Stone choir", "group", "hymn echo chapel voice organ psalm bell novice"),
    ("Third Tidewar", "event", "siege fleet truce admiral cannon blockade treaty raid"),
    ("Long Thaw", "event", "ice flood famine meltwater winter dam refugee record"),
    ("Kelvar language", "event", "verb vowel dialect rune grammar poem suffix glossary"),
)

# One line of each kind of article: {t} its title, {p} {x} {g} links to a place, a thing, a group or an event.
LEADS = {
    "hub": "The '''{t}''' belongs to the {a} heritage of the {p} beside the {x} and the {g}.",
    "town": "'''{t}''' is a {a} town on the {p}, known for its {x} and for the {g}.",
    "person": "'''{t}''' ({y} – {z}) was a {a} writer from the {p} who described the {x} and the {g}.",
    "ship": "The '''''{t}''''' was a {a} ship of the {p}, built c. {y} for the {x} and lent to the {g}.",
    "song": "'''{t}''' is a {a} song about the {p}, the {x} and the {g}, first printed in {y}.",
    "feast": "The '''{t}''' is a {a} feast held every spring at the {p}, where the {x} meets the {g}.",
    "bridge": "'''{t}''' is a {a} bridge near the {p}, paid for by St. Orrin's fund, the {x} and the {g}.",
}
TITLES = {
    "town": "Velmouth Ossenby Tarrowick Dunmarsh Pellhaven Greymoor Ishtun Caddlewick Morrowgate",
    "person": "Anselm_Quarle Betha_Rudd Corin_Vasht Delwyn_Parr Emmot_Saye Fenna_Lorrick Garrod_Timm",
    "ship": "Patient_Heron Second_Daughter Salt_Widow Low_Candle Errant_Plum Winter_Clerk Blue_Tithe",
    "song": "The_Miller's_Oar Nine_Wet_Steps Lament_for_a_Weir Come_Home,_Brass Slow_Herring Under_the_Pane",
    "feast": "Wickmas Thawday Feast_of_Knots Reed_Sunday Eel_Night Bellfall Sackturning",
    "bridge": "Orrin's_Stair Crooked_Span Toll_Arch Fennel_Bridge Nun's_Walk Weaver's_Crossing Candlebridge",
}
FOREIGN = (("Ångelfjärd", "town"), ("Жаровец", "town"), ("靄嶺港", "town"), ("Pell & Daughters", "ship"))
ADJECTIVES = ("quiet", "narrow", "famous", "minor", "prosperous", "stubborn", "remote", "neglected", "windy")
NAMES = ("Orrin", "Maud", "Tavish", "Ilse", "Brandt", "Yorrel", "Simeon", "Perpetua", "Wat", "Lucan", "Odile")
SENTENCES = (
    "In {y} the {n} of {s} was repaired after a dispute about the {m}.",
    "{N} {M} wrote that no {n} in the region is as {a} as its {m}.",
    "The {n} stands beside the {m}, and both are shown on the oldest map of the {l}.",
    "Visitors who know the {l} often compare the {n} with a {a} {m}.",
    "About {k} people kept a {n} there until the {m} was moved in {y}.",
    "A {a} {n} was given to {N} {M}, who sold it for {k} coins and a {m}.",
    "Neither the {n} nor the {m} survived the year {y}, although the {l} recovered quickly.",
    "According to {N} {M}, the {n} had been {a} long before anyone counted the {m}.",
    "Each spring the {n} is carried past the {l} and set down near the {m}.",
    "Local custom holds that a {m} must never be older than the {n} it belongs to.",
    "The council bought {k} pieces of {m} and hung them over the {n} for a whole season.",
    "Most accounts of {s} mention the {n} first and leave the {m} to a footnote.",
    "When the {l} was surveyed in {y}, the {n} measured {k} paces and the {m} slightly less.",
    "It is said that the {a} {m} of {s} was lost under a {n}; e.g. {N} {M} searched for it twice.",
)
ALIASES = {"Tarn boat": "Tarnboat", "River Ossel": "Ossel", "Salt guild": "Guild of Salt"}
REDIRECTS = (  # from, target as the page writes it, title that the dump's tag states
    ("Tarn-boat", "Tarn boat", "Tarn boat"),
    ("Tarnboat", "Tarn-boat", "Tarn-boat"),  # double
    ("Ossel", "river Ossel", "River Ossel"),  # first letter
    ("Bridges of the Ossel", "River Ossel#Bridges", "River Ossel"),  # section
    ("Guild of Salt", "Salt_guild", "Salt guild"),  # underscore
    ("Left Stair", "Right Stair", "Right Stair"),  # cycle of two
    ("Right Stair", "Left Stair", "Left Stair"),
    ("Turning Stair", "Turning Stair", "Turning Stair"),  # itself
    ("Grey Ledger", "Ledger of Greymoor", "Ledger of Greymoor"),  # missing
    ("Quill rules", "Samplewiki:Rules", "Samplewiki:Rules"),  # another namespace
    ("Ooze", "Long Thaw", "Long Thaw"),
)
INFOBOX = """{{Infobox place
| name = %s
| image = Ossel harbour.jpg
| coordinates = {{coord|51|4|N|3|2|W}}
| notes = See [[Ketterfen]] and {{small|[[Hollow Range]]}}
}}
[[File:Ossel harbour.jpg|thumb|200px|The harbour, with a [[tarn boat]] from the [[Nimmer Sea]]]]
"""
TABLE = """{| class="wikitable"
! Year !! Members
|-
| 1704 || 31
|-
| [[Long Thaw|1741]] || 58
|}
"""
GALLERY = """<gallery>
File:Bell kite.png|A [[bell kite]]
File:Ossel harbour.jpg
</gallery>
* First of a list, with [[Copper moth]]s
* Second, {{convert|12|km|mi}} away and 3&nbsp;m deep
# [https://example.org/annals The annals] & [[:Category:Copper moth]]
[[de:Glasgarten]]
"""
EXTRAS = {"Velmouth": INFOBOX % "Velmouth", "River Ossel": INFOBOX % "River Ossel"}
TAILS = {"Salt guild": TABLE, "Glass orchard": GALLERY}
