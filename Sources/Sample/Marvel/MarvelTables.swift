/// The invented people and books of the sample, one row a line. Nothing here is the service's own text.
enum MarvelTables {
    /// Title, first year, last year (2099: it goes on), number of the issue that comes first here, rating, ids of the leading characters
    /// and of the creators as places in their tables.
    static let series = #"""
        Harbour Watch|2024|2099|3|T+|0,1,2,3|0,1,2,3,20
        Lantern Street|2023|2099|14|T+|0,4,5,6|4,5,2,3,21
        The Copper Choir|2024|2099|6|T|7,8,9,0|6,7,8,3,20
        Meridian Post|2022|2099|27|T+|0,10,11|9,1,10,11,22
        Saltwater Saints|2025|2025|1|T+|12,13,0,14|0,12,8,11,20
        Night Ferry|2021|2023|18|PARENTAL ADVISORY|0,15,16|13,14,10,11,23
        Orchard of Glass|2024|2024|2|A|17,18,19|15,16,2,3,21
        Kestrel & Crane|2023|2099|20|T|20,21|17,16,8,3,22
        The Unlikely Cartographers|2020|2022|11|A|22,23,24,0|18,19,10,11,20
        Ember "Zero" Protocol|2024|2099|5|T+|25,26,0|9,7,2,3,23
        夜明けの番人|2023|2099|9|T|27,28|24,25,8,11,21
        Заря над гаванью|2022|2024|7|A|29,0|26,1,10,3,22
        Tide/Table|2024|2099|4|T+|30,31,0|4,12,2,11,20
        Quiet Giants|2019|2021|31|A|32,33|6,14,8,3,23
        Sable Meadow|2025|2099|1|PARENTAL ADVISORY|34,35,36|13,16,10,3,21
        Rosamund's Gambit|2023|2099|16|T+|37,38,0|15,19,2,11,22
        Señor Cometa|2022|2099|25|A|39,40|27,25,8,3,20
        Halcyon Drift|2024|2099|8|T|41,42,0|18,5,10,11,23
        Thirteen Bells|2020|2099|45|T+|43,44,0,45|17,7,2,3,21
        Winter Parliament|2025|2099|2|T+|46,47,48,0|0,19,8,11,22
        Static Orchard|2024|2099|86|T|49,50|9,12,10,3,20
        Low Orbit Post|2023|2099|12|A|51,52,0|4,1,2,11,23
        The Last Lamplighter|2021|2099|33|T|53,54,0|6,5,8,3,21
        Bramble & Bone|2024|2025|1|PARENTAL ADVISORY|55,56,0|13,14,10,11,22
        Sunday Engines Vertical|2024|2099|40|A|57,58|27,28,28,3,20
        The Long Low Tide: Everybody on the Quay|2025|2025|1|T+|59,60,61|0,1,2,3,20
        """#

    /// Name and description.
    static let characters = #"""
        Harbour Warden|She counted ships for the port authority until one came in that was on no list. Now the harbour counts on her.
        Tessellate|
        Odd Lantern|
        Skipper Ottoline|Retired twice. Neither time took.
        Brass Verity|
        The Tollkeeper|Nobody crosses the nine bridges without a word to the Tollkeeper, and nobody remembers which word it was.
        Mudlark Minor|
        Bishop of Tin|
        Choirmaster Hale|A voice that opens locks, and a past that closes doors.
        Miss Cantilever|
        Postmistress Zero|
        Parcel|
        Fathom Jane|Breathes water on weekdays.
        Saltglass|
        Brother Barnacle|
        The Purser|
        Lady Halfway|
        Quillon Ash|
        Windfall|
        Vitrine|An orchard keeper whose fruit remembers.
        Kestrel Okafor|
        Crane Adeyemi|
        Professor Isobar|
        The Surveyor's Nephew|
        Contour|
        Ember Null|
        Doctor Tinder|
        暁|夜明け前の町を守る番人。
        ヨアケ二号|
        Зимородок|
        Ebb|
        Slack Water|
        Mountain, Retired|He was a mountain once. 🏔 He does not like to talk about it.
        Little Moraine|
        Sable Fenwick|
        Hedge-Knight Nell|
        Thistledown|
        Rosamund Vane|
        The Understudy (Rosamund)|
        Señor Cometa|Viene cada setenta y seis años; esta vez se queda.
        La Niña Órbita|
        Halcyon Seven|
        Driftwood|
        Bellwether Crow|Hears every bell a minute before it rings.
        Ninth Bell|
        Old Wick|
        Speaker Frost|
        Gull Minister|
        Lord Sleet|
        Graft|
        Static Annie|
        Low Orbit Olga|
        Return to Sender|
        Lamplighter Quince|
        Moth & Company|
        Bramble|
        Bone (Bramble)|
        Engine Dominica|
        Engine Lunes|
        The Quay|
        Rope "Ropey" Walker|
        Anchorite|
        Umber Finch|
        Grist|
        The Ledger|
        Pale Equation|
        Turnstile|
        Half-Moon Hattie|
        """#

    /// First, middle and last name, and what follows them.
    static let creators = #"""
        Ada||Quistgaard|
        Bram|T.|Oyelaran|
        Cleo||Vantongeren|
        Dov||Ishiguro-Lane|
        Esme||Pettibone|
        Fitz|J.|Marchetti|Jr.
        Greta||Lindqvist-Mbeki|
        Hal||Broadwater|
        Ines||Calloway|
        Jonah||Threlkeld|
        Kiri||Tamahori-West|
        Lev||Abramczyk|
        Mina||Farrowdale|
        Noor||Haddad-Price|
        Otis|B.|Greenhalgh|III
        Priya||Venkat-Moss|
        Quentin||Aldersley|
        Rosa||Delacroix-Hume|
        Stig||Hallström|
        Tove||Enevoldsen|
        Una||Blackadder-Roy|
        Viktor||Szabó-Lind|
        Wren||Castellanos|
        Xan||Petrosyan-Gray|
        佐和子||灯台|
        晴||港野|
        Лидия||Заречная|
        José||Ñandú|
        Studio Nine Lanterns|||
        Yara||O'Halloran|
        Zeke||Van der Ploeg|
        """#

    /// Title, description, first and last day.
    static let events = #"""
        The Long Low Tide|One morning the sea does not come back, and what it hid has to be answered for.|2025-03-05|2025-09-24
        Ember Winter|A fire that gives no heat moves from town to town.|2023-11-01|2024-02-28
        Parliament of Gulls||2020-06-03|2020-10-28
        """#

    /// Week of sale counted from the running one (or a date), places of the series, variants of each issue: the first, third … of the
    /// row have so many, the others one fewer.
    static let schedule = #"""
        -188|5,8,13|0
        -171|5,13|0
        -120|8,18,22|1
        -90|13,16,22|0
        -64|3,18,20|0
        -40|1,3,6,9|0
        -26|0,2,4,7|1
        -20|10,11,12,13|0
        -16|14,15,16,17|1
        -13|18,19,20,21|0
        -11|0,1,2,22|1
        -9|3,7,9,23|0
        -8|10,12,15,24|0
        -7|16,17,18,24|1
        -6|20,21,22,24|0
        -5|0,1,2,3,24|1
        -4|7,9,10,12|0
        -3|14,15,16,17,24|1
        -2|18,19,20,21,22|1
        -1|0,1,2,3,4,6,7,9,10,12,14,15,16,17,18,19,20,21,22,23,25|3
        -1|24|0
        0|0,2,7,9,12,15,18,20,22|1
        1|1,3,10,14,16,17,19,21|1
        2|0,2,7,9|0
        3|12,15,18,20|1
        5|1,3,10,22|0
        2029-12-31|4,14,23|0
        2099-12-31|12,17|0
        2099-01-01|19|0
        """#

    /// Books that collect issues of a series: week, place of the series, format, pages, price, what follows the title.
    static let collections = #"""
        -150|13|Hardcover|248|34.99|Vol. 1: The Mountain That Stayed
        -60|18|Trade Paperback|136|17.99|Vol. 1: First Bell
        -12|0|Trade Paperback|120|15.99|Vol. 1: No List
        -3|8|Hardcover|504|75|: The Complete and Unabridged Account of Every Coast, Cape, Channel, Shoal, Sandbank, Sound and Sea Stack That Was Drawn Wrong, by Whom, on Whose Orders, at What Cost to the Ships That Trusted the Drawing, and of the Four People Who Rowed Out to Draw It Again, with All the Maps, Both Endings, and a Glossary of Words for Fog
        -1|3|Trade Paperback|144|17.99|Vol. 3: Undeliverable
        -1|5|Hardcover|312|49.99|Vol. 1
        0|16|Trade Paperback|128|15.99|Vol. 2: Perihelio
        1|22|Trade Paperback|152|19.99|Vol. 4: Wick and Wax
        """#

    /// Values that real answers have and that nobody expects, in last week's issues: place of the series, member, and the JSON that
    /// stands there (nothing: the date or picture that is none).
    static let oddities = #"""
        0|issueNumber|88.1
        1|isbn|9780000000019
        2|description|null
        3|description|"#N/A"
        4|ean|0
        6|issn|19329000
        7|focDate|
        9|modified|
        10|printPrice|0
        12|printPrice|5
        14|thumbnail|
        15|upc|75960600000012
        16|pageCount|0
        19|format|""
        20|issueNumber|92.1
        """#

    static let descriptions = [
        "A night patrol finds an empty ship, and the ship finds them.",
        "The bridge is up, the clock is wrong, and somebody has moved the moon.",
        "Three letters arrive for a house that burned down in chapter one.",
        "The choir rehearses the one song that must never be finished.",
        "What the tide took in the spring it brings back in the autumn. Not all of it is friendly.",
        "A quiet issue: two people, one lamp, and the whole of the argument.",
        "An old debt is paid in the wrong coin; the lender doesn't mind at all.\r\nGuest-starring everybody.",
        "\"Don't look at the lighthouse,\" they said. So of course…",
        "Begin here! A new direction, a new captain & the same leaking boat.",
        "The orchard bears fruit for the first time in nine years.<br>Nobody is glad.",
        "Somebody has been signing for other people's parcels.",
        "The last page is missing. It was taken by the person reading this.",
    ]
}
