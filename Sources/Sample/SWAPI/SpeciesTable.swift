extension SWAPIKind {
    /// Facts of the public SWAPI catalogue (BSD-3-Clause, Copyright (c) 2015 Paul Hallett), one row a line, in the order of
    /// `columns`; odd values are the catalogue's own.
    static let speciesTable = #"""
        1|Human|mammal|sentient|180|caucasian, black, asian, hispanic|blonde, brown, black, red|brown, blue, green, hazel, grey, amber|120|9|Galactic Basic|66,67,68,74|2014-12-10T13:52:11.567000Z|2014-12-20T21:36:42.136000Z
        2|Droid|artificial|sentient|n/a|n/a|n/a|n/a|indefinite||n/a|2,3,8,23|2014-12-10T15:16:16.259000Z|2014-12-20T21:36:42.139000Z
        3|Wookie|mammal|sentient|210|gray|black, brown|blue, green, yellow, brown, golden, red|400|14|Shyriiwook|13,80|2014-12-10T16:44:31.486000Z|2014-12-20T21:36:42.142000Z
        4|Rodian|sentient|reptilian|170|green, blue|n/a|black|unknown|23|Galatic Basic|15|2014-12-10T17:05:26.471000Z|2014-12-20T21:36:42.144000Z
        5|Hutt|gastropod|sentient|300|green, brown, tan|n/a|yellow, red|1000|24|Huttese|16|2014-12-10T17:12:50.410000Z|2014-12-20T21:36:42.146000Z
        6|Yoda's species|mammal|sentient|66|green, yellow|brown, white|brown, green, yellow|900|28|Galactic basic|20|2014-12-15T12:27:22.877000Z|2014-12-20T21:36:42.148000Z
        7|Trandoshan|reptile|sentient|200|brown, green|none|yellow, orange|unknown|29|Dosh|24|2014-12-15T13:07:47.704000Z|2014-12-20T21:36:42.151000Z
        8|Mon Calamari|amphibian|sentient|160|red, blue, brown, magenta|none|yellow|unknown|31|Mon Calamarian|27|2014-12-18T11:09:52.263000Z|2014-12-20T21:36:42.153000Z
        9|Ewok|mammal|sentient|100|brown|white, brown, black|orange, brown|unknown|7|Ewokese|30|2014-12-18T11:22:00.285000Z|2014-12-20T21:36:42.155000Z
        10|Sullustan|mammal|sentient|180|pale|none|black|unknown|33|Sullutese|31|2014-12-18T11:26:20.103000Z|2014-12-20T21:36:42.157000Z
        11|Neimodian|unknown|sentient|180|grey, green|none|red, pink|unknown|18|Neimoidia|33|2014-12-19T17:07:31.319000Z|2014-12-20T21:36:42.160000Z
        12|Gungan|amphibian|sentient|190|brown, green|none|orange|unknown|8|Gungan basic|36,37,38|2014-12-19T17:30:37.341000Z|2014-12-20T21:36:42.163000Z
        13|Toydarian|mammal|sentient|120|blue, green, grey|none|yellow|91|34|Toydarian|40|2014-12-19T17:48:56.893000Z|2014-12-20T21:36:42.165000Z
        14|Dug|mammal|sentient|100|brown, purple, grey, red|none|yellow, blue|unknown|35|Dugese|41|2014-12-19T17:53:11.214000Z|2014-12-20T21:36:42.167000Z
        15|Twi'lek|mammals|sentient|200|orange, yellow, blue, green, pink, purple, tan|none|blue, brown, orange, pink|unknown|37|Twi'leki|45,46|2014-12-20T09:48:02.406000Z|2014-12-20T21:36:42.169000Z
        16|Aleena|reptile|sentient|80|blue, gray|none|unknown|79|38|Aleena|47|2014-12-20T09:53:16.481000Z|2014-12-20T21:36:42.171000Z
        17|Vulptereen|unknown|sentient|100|grey|none|yellow|unknown|39|vulpterish|48|2014-12-20T09:57:33.128000Z|2014-12-20T21:36:42.173000Z
        18|Xexto|unknown|sentient|125|grey, yellow, purple|none|black|unknown|40|Xextese|49|2014-12-20T10:02:13.915000Z|2014-12-20T21:36:42.175000Z
        19|Toong|unknown|sentient|200|grey, green, yellow|none|orange|unknown|41|Tundan|50|2014-12-20T10:08:36.795000Z|2014-12-20T21:36:42.177000Z
        20|Cerean|mammal|sentient|200|pale pink|red, blond, black, white|hazel|unknown|43|Cerean|52|2014-12-20T10:15:33.765000Z|2014-12-20T21:36:42.179000Z
        21|Nautolan|amphibian|sentient|180|green, blue, brown, red|none|black|70|44|Nautila|53|2014-12-20T10:18:58.610000Z|2014-12-20T21:36:42.181000Z
        22|Zabrak|mammal|sentient|180|pale, brown, red, orange, yellow|black|brown, orange|unknown|45|Zabraki|44,54|2014-12-20T10:26:59.894000Z|2014-12-20T21:36:42.183000Z
        23|Tholothian|mammal|sentient|unknown|dark|unknown|blue, indigo|unknown|46|unknown|55|2014-12-20T10:29:13.798000Z|2014-12-20T21:36:42.186000Z
        24|Iktotchi|unknown|sentient|180|pink|none|orange|unknown|47|Iktotchese|56|2014-12-20T10:32:13.046000Z|2014-12-20T21:36:42.188000Z
        25|Quermian|mammal|sentient|240|white|none|yellow|86|48|Quermian|57|2014-12-20T10:34:50.827000Z|2014-12-20T21:36:42.189000Z
        26|Kel Dor|unknown|sentient|180|peach, orange, red|none|black, silver|70|49|Kel Dor|58|2014-12-20T10:49:21.692000Z|2014-12-20T21:36:42.191000Z
        27|Chagrian|amphibian|sentient|190|blue|none|blue|unknown|50|Chagria|59|2014-12-20T10:53:28.795000Z|2014-12-20T21:36:42.193000Z
        28|Geonosian|insectoid|sentient|178|green, brown|none|green, hazel|unknown|11|Geonosian|63|2014-12-20T16:40:45.618000Z|2014-12-20T21:36:42.195000Z
        29|Mirialan|mammal|sentient|180|yellow, green|black, brown|blue, green, red, yellow, brown, orange|unknown|51|Mirialan|64,65|2014-12-20T16:46:48.290000Z|2014-12-20T21:36:42.197000Z
        30|Clawdite|reptilian|sentient|180|green, yellow|none|yellow|70|54|Clawdite|70|2014-12-20T16:57:46.171000Z|2014-12-20T21:36:42.199000Z
        31|Besalisk|amphibian|sentient|178|brown|none|yellow|75|55|besalisk|71|2014-12-20T17:28:28.821000Z|2014-12-20T21:36:42.200000Z
        32|Kaminoan|amphibian|sentient|220|grey, blue|none|black|80|10|Kaminoan|72,73|2014-12-20T17:31:24.838000Z|2014-12-20T21:36:42.202000Z
        33|Skakoan|mammal|sentient|unknown|grey, green|none|unknown|unknown|56|Skakoan|76|2014-12-20T17:53:54.515000Z|2014-12-20T21:36:42.204000Z
        34|Muun|mammal|sentient|190|grey, white|none|black|100|57|Muun|77|2014-12-20T17:58:19.088000Z|2014-12-20T21:36:42.207000Z
        35|Togruta|mammal|sentient|180|red, white, orange, yellow, green, blue|none|red, orange, yellow, green, blue, black|94|58|Togruti|78|2014-12-20T18:44:03.246000Z|2014-12-20T21:36:42.209000Z
        36|Kaleesh|reptile|sentient|170|brown, orange, tan|none|yellow|80|59|Kaleesh|79|2014-12-20T19:45:42.537000Z|2014-12-20T21:36:42.210000Z
        37|Pau'an|mammal|sentient|190|grey|none|black|700|12|Utapese|83|2014-12-20T20:35:06.777000Z|2014-12-20T21:36:42.212000Z
        """#
}
