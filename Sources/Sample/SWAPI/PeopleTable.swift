extension SWAPIKind {
    /// Facts of the public SWAPI catalogue (BSD-3-Clause, Copyright (c) 2015 Paul Hallett), one row a line, in the order of
    /// `columns`; odd values are the catalogue's own.
    static let peopleTable = #"""
        1|Luke Skywalker|172|77|blond|fair|blue|19BBY|male|1|2014-12-09T13:50:51.644000Z|2014-12-20T21:17:56.891000Z
        2|C-3PO|167|75|n/a|gold|yellow|112BBY|n/a|1|2014-12-10T15:10:51.357000Z|2014-12-20T21:17:50.309000Z
        3|R2-D2|96|32|n/a|white, blue|red|33BBY|n/a|8|2014-12-10T15:11:50.376000Z|2014-12-20T21:17:50.311000Z
        4|Darth Vader|202|136|none|white|yellow|41.9BBY|male|1|2014-12-10T15:18:20.704000Z|2014-12-20T21:17:50.313000Z
        5|Leia Organa|150|49|brown|light|brown|19BBY|female|2|2014-12-10T15:20:09.791000Z|2014-12-20T21:17:50.315000Z
        6|Owen Lars|178|120|brown, grey|light|blue|52BBY|male|1|2014-12-10T15:52:14.024000Z|2014-12-20T21:17:50.317000Z
        7|Beru Whitesun lars|165|75|brown|light|blue|47BBY|female|1|2014-12-10T15:53:41.121000Z|2014-12-20T21:17:50.319000Z
        8|R5-D4|97|32|n/a|white, red|red|unknown|n/a|1|2014-12-10T15:57:50.959000Z|2014-12-20T21:17:50.321000Z
        9|Biggs Darklighter|183|84|black|light|brown|24BBY|male|1|2014-12-10T15:59:50.509000Z|2014-12-20T21:17:50.323000Z
        10|Obi-Wan Kenobi|182|77|auburn, white|fair|blue-gray|57BBY|male|20|2014-12-10T16:16:29.192000Z|2014-12-20T21:17:50.325000Z
        11|Anakin Skywalker|188|84|blond|fair|blue|41.9BBY|male|1|2014-12-10T16:20:44.310000Z|2014-12-20T21:17:50.327000Z
        12|Wilhuff Tarkin|180|unknown|auburn, grey|fair|blue|64BBY|male|21|2014-12-10T16:26:56.138000Z|2014-12-20T21:17:50.330000Z
        13|Chewbacca|228|112|brown|unknown|blue|200BBY|male|14|2014-12-10T16:42:45.066000Z|2014-12-20T21:17:50.332000Z
        14|Han Solo|180|80|brown|fair|brown|29BBY|male|22|2014-12-10T16:49:14.582000Z|2014-12-20T21:17:50.334000Z
        15|Greedo|173|74|n/a|green|black|44BBY|male|23|2014-12-10T17:03:30.334000Z|2014-12-20T21:17:50.336000Z
        16|Jabba Desilijic Tiure|175|1,358|n/a|green-tan, brown|orange|600BBY|hermaphrodite|24|2014-12-10T17:11:31.638000Z|2014-12-20T21:17:50.338000Z
        18|Wedge Antilles|170|77|brown|fair|hazel|21BBY|male|22|2014-12-12T11:08:06.469000Z|2014-12-20T21:17:50.341000Z
        19|Jek Tono Porkins|180|110|brown|fair|blue|unknown|male|26|2014-12-12T11:16:56.569000Z|2014-12-20T21:17:50.343000Z
        20|Yoda|66|17|white|green|brown|896BBY|male|28|2014-12-15T12:26:01.042000Z|2014-12-20T21:17:50.345000Z
        21|Palpatine|170|75|grey|pale|yellow|82BBY|male|8|2014-12-15T12:48:05.971000Z|2014-12-20T21:17:50.347000Z
        22|Boba Fett|183|78.2|black|fair|brown|31.5BBY|male|10|2014-12-15T12:49:32.457000Z|2014-12-20T21:17:50.349000Z
        23|IG-88|200|140|none|metal|red|15BBY|none|28|2014-12-15T12:51:10.076000Z|2014-12-20T21:17:50.351000Z
        24|Bossk|190|113|none|green|red|53BBY|male|29|2014-12-15T12:53:49.297000Z|2014-12-20T21:17:50.355000Z
        25|Lando Calrissian|177|79|black|dark|brown|31BBY|male|30|2014-12-15T12:56:32.683000Z|2014-12-20T21:17:50.357000Z
        26|Lobot|175|79|none|light|blue|37BBY|male|6|2014-12-15T13:01:57.178000Z|2014-12-20T21:17:50.359000Z
        27|Ackbar|180|83|none|brown mottle|orange|41BBY|male|31|2014-12-18T11:07:50.584000Z|2014-12-20T21:17:50.362000Z
        28|Mon Mothma|150|unknown|auburn|fair|blue|48BBY|female|32|2014-12-18T11:12:38.895000Z|2014-12-20T21:17:50.364000Z
        29|Arvel Crynyd|unknown|unknown|brown|fair|brown|unknown|male|28|2014-12-18T11:16:33.020000Z|2014-12-20T21:17:50.367000Z
        30|Wicket Systri Warrick|88|20|brown|brown|brown|8BBY|male|7|2014-12-18T11:21:58.954000Z|2014-12-20T21:17:50.369000Z
        31|Nien Nunb|160|68|none|grey|black|unknown|male|33|2014-12-18T11:26:18.541000Z|2014-12-20T21:17:50.371000Z
        32|Qui-Gon Jinn|193|89|brown|fair|blue|92BBY|male|28|2014-12-19T16:54:53.618000Z|2014-12-20T21:17:50.375000Z
        33|Nute Gunray|191|90|none|mottled green|red|unknown|male|18|2014-12-19T17:05:57.357000Z|2014-12-20T21:17:50.377000Z
        34|Finis Valorum|170|unknown|blond|fair|blue|91BBY|male|9|2014-12-19T17:21:45.915000Z|2014-12-20T21:17:50.379000Z
        35|Padmé Amidala|185|45|brown|light|brown|46BBY|female|8|2014-12-19T17:28:26.926000Z|2014-12-20T21:17:50.381000Z
        36|Jar Jar Binks|196|66|none|orange|orange|52BBY|male|8|2014-12-19T17:29:32.489000Z|2014-12-20T21:17:50.383000Z
        37|Roos Tarpals|224|82|none|grey|orange|unknown|male|8|2014-12-19T17:32:56.741000Z|2014-12-20T21:17:50.385000Z
        38|Rugor Nass|206|unknown|none|green|orange|unknown|male|8|2014-12-19T17:33:38.909000Z|2014-12-20T21:17:50.388000Z
        39|Ric Olié|183|unknown|brown|fair|blue|unknown|male|8|2014-12-19T17:45:01.522000Z|2014-12-20T21:17:50.392000Z
        40|Watto|137|unknown|black|blue, grey|yellow|unknown|male|34|2014-12-19T17:48:54.647000Z|2014-12-20T21:17:50.395000Z
        41|Sebulba|112|40|none|grey, red|orange|unknown|male|35|2014-12-19T17:53:02.586000Z|2014-12-20T21:17:50.397000Z
        42|Quarsh Panaka|183|unknown|black|dark|brown|62BBY|male|8|2014-12-19T17:55:43.348000Z|2014-12-20T21:17:50.399000Z
        43|Shmi Skywalker|163|unknown|black|fair|brown|72BBY|female|1|2014-12-19T17:57:41.191000Z|2014-12-20T21:17:50.401000Z
        44|Darth Maul|175|80|none|red|yellow|54BBY|male|36|2014-12-19T18:00:41.929000Z|2014-12-20T21:17:50.403000Z
        45|Bib Fortuna|180|unknown|none|pale|pink|unknown|male|37|2014-12-20T09:47:02.512000Z|2014-12-20T21:17:50.407000Z
        46|Ayla Secura|178|55|none|blue|hazel|48BBY|female|37|2014-12-20T09:48:01.172000Z|2014-12-20T21:17:50.409000Z
        47|Ratts Tyerel|79|15|none|grey, blue|unknown|unknown|male|38|2014-12-20T09:53:15.086000Z|2014-12-20T21:17:50.410000Z
        48|Dud Bolt|94|45|none|blue, grey|yellow|unknown|male|39|2014-12-20T09:57:31.858000Z|2014-12-20T21:17:50.414000Z
        49|Gasgano|122|unknown|none|white, blue|black|unknown|male|40|2014-12-20T10:02:12.223000Z|2014-12-20T21:17:50.416000Z
        50|Ben Quadinaros|163|65|none|grey, green, yellow|orange|unknown|male|41|2014-12-20T10:08:33.777000Z|2014-12-20T21:17:50.417000Z
        51|Mace Windu|188|84|none|dark|brown|72BBY|male|42|2014-12-20T10:12:30.846000Z|2014-12-20T21:17:50.420000Z
        52|Ki-Adi-Mundi|198|82|white|pale|yellow|92BBY|male|43|2014-12-20T10:15:32.293000Z|2014-12-20T21:17:50.422000Z
        53|Kit Fisto|196|87|none|green|black|unknown|male|44|2014-12-20T10:18:57.202000Z|2014-12-20T21:17:50.424000Z
        54|Eeth Koth|171|unknown|black|brown|brown|unknown|male|45|2014-12-20T10:26:47.902000Z|2014-12-20T21:17:50.427000Z
        55|Adi Gallia|184|50|none|dark|blue|unknown|female|9|2014-12-20T10:29:11.661000Z|2014-12-20T21:17:50.432000Z
        56|Saesee Tiin|188|unknown|none|pale|orange|unknown|male|47|2014-12-20T10:32:11.669000Z|2014-12-20T21:17:50.434000Z
        57|Yarael Poof|264|unknown|none|white|yellow|unknown|male|48|2014-12-20T10:34:48.725000Z|2014-12-20T21:17:50.437000Z
        58|Plo Koon|188|80|none|orange|black|22BBY|male|49|2014-12-20T10:49:19.859000Z|2014-12-20T21:17:50.439000Z
        59|Mas Amedda|196|unknown|none|blue|blue|unknown|male|50|2014-12-20T10:53:26.457000Z|2014-12-20T21:17:50.442000Z
        60|Gregar Typho|185|85|black|dark|brown|unknown|male|8|2014-12-20T11:10:10.381000Z|2014-12-20T21:17:50.445000Z
        61|Cordé|157|unknown|brown|light|brown|unknown|female|8|2014-12-20T11:11:39.630000Z|2014-12-20T21:17:50.449000Z
        62|Cliegg Lars|183|unknown|brown|fair|blue|82BBY|male|1|2014-12-20T15:59:03.958000Z|2014-12-20T21:17:50.451000Z
        63|Poggle the Lesser|183|80|none|green|yellow|unknown|male|11|2014-12-20T16:40:43.977000Z|2014-12-20T21:17:50.453000Z
        64|Luminara Unduli|170|56.2|black|yellow|blue|58BBY|female|51|2014-12-20T16:45:53.668000Z|2014-12-20T21:17:50.455000Z
        65|Barriss Offee|166|50|black|yellow|blue|40BBY|female|51|2014-12-20T16:46:40.440000Z|2014-12-20T21:17:50.457000Z
        66|Dormé|165|unknown|brown|light|brown|unknown|female|8|2014-12-20T16:49:14.640000Z|2014-12-20T21:17:50.460000Z
        67|Dooku|193|80|white|fair|brown|102BBY|male|52|2014-12-20T16:52:14.726000Z|2014-12-20T21:17:50.462000Z
        68|Bail Prestor Organa|191|unknown|black|tan|brown|67BBY|male|2|2014-12-20T16:53:08.575000Z|2014-12-20T21:17:50.463000Z
        69|Jango Fett|183|79|black|tan|brown|66BBY|male|53|2014-12-20T16:54:41.620000Z|2014-12-20T21:17:50.465000Z
        70|Zam Wesell|168|55|blonde|fair, green, yellow|yellow|unknown|female|54|2014-12-20T16:57:44.471000Z|2014-12-20T21:17:50.468000Z
        71|Dexter Jettster|198|102|none|brown|yellow|unknown|male|55|2014-12-20T17:28:27.248000Z|2014-12-20T21:17:50.470000Z
        72|Lama Su|229|88|none|grey|black|unknown|male|10|2014-12-20T17:30:50.416000Z|2014-12-20T21:17:50.473000Z
        73|Taun We|213|unknown|none|grey|black|unknown|female|10|2014-12-20T17:31:21.195000Z|2014-12-20T21:17:50.474000Z
        74|Jocasta Nu|167|unknown|white|fair|blue|unknown|female|9|2014-12-20T17:32:51.996000Z|2014-12-20T21:17:50.476000Z
        75|R4-P17|96|unknown|none|silver, red|red, blue|unknown|female|28|2014-12-20T17:43:36.409000Z|2014-12-20T21:17:50.478000Z
        76|Wat Tambor|193|48|none|green, grey|unknown|unknown|male|56|2014-12-20T17:53:52.607000Z|2014-12-20T21:17:50.481000Z
        77|San Hill|191|unknown|none|grey|gold|unknown|male|57|2014-12-20T17:58:17.049000Z|2014-12-20T21:17:50.484000Z
        78|Shaak Ti|178|57|none|red, blue, white|black|unknown|female|58|2014-12-20T18:44:01.103000Z|2014-12-20T21:17:50.486000Z
        79|Grievous|216|159|none|brown, white|green, yellow|unknown|male|59|2014-12-20T19:43:53.348000Z|2014-12-20T21:17:50.488000Z
        80|Tarfful|234|136|brown|brown|blue|unknown|male|14|2014-12-20T19:46:34.209000Z|2014-12-20T21:17:50.491000Z
        81|Raymus Antilles|188|79|brown|light|brown|unknown|male|2|2014-12-20T19:49:35.583000Z|2014-12-20T21:17:50.493000Z
        82|Sly Moore|178|48|none|pale|white|unknown|female|60|2014-12-20T20:18:37.619000Z|2014-12-20T21:17:50.496000Z
        83|Tion Medon|206|80|none|grey|black|unknown|male|12|2014-12-20T20:35:04.260000Z|2014-12-20T21:17:50.498000Z
        """#
}
