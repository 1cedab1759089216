extension SWAPIKind {
    /// Facts of the public SWAPI catalogue (BSD-3-Clause, Copyright (c) 2015 Paul Hallett), one row a line, in the order of
    /// `columns`; odd values are the catalogue's own.
    static let vehiclesTable = #"""
        4|Sand Crawler|Digger Crawler|Corellia Mining Corporation|150000|36.8 |30|46|30|50000|2 months|wheeled||2014-12-10T15:36:25.724000Z|2014-12-20T21:30:21.661000Z
        6|T-16 skyhopper|T-16 skyhopper|Incom Corporation|14500|10.4 |1200|1|1|50|0|repulsorcraft||2014-12-10T16:01:52.434000Z|2014-12-20T21:30:21.665000Z
        7|X-34 landspeeder|X-34 landspeeder|SoroSuub Corporation|10550|3.4 |250|1|1|5|unknown|repulsorcraft||2014-12-10T16:13:52.586000Z|2014-12-20T21:30:21.668000Z
        8|TIE/LN starfighter|Twin Ion Engine/Ln Starfighter|Sienar Fleet Systems|unknown|6.4|1200|1|0|65|2 days|starfighter||2014-12-10T16:33:52.860000Z|2014-12-20T21:30:21.670000Z
        14|Snowspeeder|t-47 airspeeder|Incom corporation|unknown|4.5|650|2|0|10|none|airspeeder|1,18|2014-12-15T12:22:12Z|2014-12-20T21:30:21.672000Z
        16|TIE bomber|TIE/sa bomber|Sienar Fleet Systems|unknown|7.8|850|1|0|none|2 days|space/planetary bomber||2014-12-15T12:33:15.838000Z|2014-12-20T21:30:21.675000Z
        18|AT-AT|All Terrain Armored Transport|Kuat Drive Yards, Imperial Department of Military Research|unknown|20|60|5|40|1000|unknown|assault walker||2014-12-15T12:38:25.937000Z|2014-12-20T21:30:21.677000Z
        19|AT-ST|All Terrain Scout Transport|Kuat Drive Yards, Imperial Department of Military Research|unknown|2|90|2|0|200|none|walker|13|2014-12-15T12:46:42.384000Z|2014-12-20T21:30:21.679000Z
        20|Storm IV Twin-Pod cloud car|Storm IV Twin-Pod|Bespin Motors|75000|7|1500|2|0|10|1 day|repulsorcraft||2014-12-15T12:58:50.530000Z|2014-12-20T21:30:21.681000Z
        24|Sail barge|Modified Luxury Sail Barge|Ubrikkian Industries Custom Vehicle Division|285000|30|100|26|500|2000000|Live food tanks|sail barge||2014-12-18T10:44:14.217000Z|2014-12-20T21:30:21.684000Z
        25|Bantha-II cargo skiff|Bantha-II|Ubrikkian Industries|8000|9.5|250|5|16|135000|1 day|repulsorcraft cargo skiff||2014-12-18T10:48:03.208000Z|2014-12-20T21:30:21.688000Z
        26|TIE/IN interceptor|Twin Ion Engine Interceptor|Sienar Fleet Systems|unknown|9.6|1250|1|0|75|2 days|starfighter||2014-12-18T10:50:28.225000Z|2014-12-20T21:30:21.691000Z
        30|Imperial Speeder Bike|74-Z speeder bike|Aratech Repulsor Company|8000|3|360|1|1|4|1 day|speeder|1,5|2014-12-18T11:20:04.625000Z|2014-12-20T21:30:21.693000Z
        33|Vulture Droid|Vulture-class droid starfighter|Haor Chall Engineering, Baktoid Armor Workshop|unknown|3.5|1200|0|0|0|none|starfighter||2014-12-19T17:09:53.584000Z|2014-12-20T21:30:21.697000Z
        34|Multi-Troop Transport|Multi-Troop Transport|Baktoid Armor Workshop|138000|31|35|4|112|12000|unknown|repulsorcraft||2014-12-19T17:12:04.400000Z|2014-12-20T21:30:21.700000Z
        35|Armored Assault Tank|Armoured Assault Tank|Baktoid Armor Workshop|unknown|9.75|55|4|6|unknown|unknown|repulsorcraft||2014-12-19T17:13:29.799000Z|2014-12-20T21:30:21.703000Z
        36|Single Trooper Aerial Platform|Single Trooper Aerial Platform|Baktoid Armor Workshop|2500|2|400|1|0|none|none|repulsorcraft||2014-12-19T17:15:09.511000Z|2014-12-20T21:30:21.705000Z
        37|C-9979 landing craft|C-9979 landing craft|Haor Chall Engineering|200000|210|587|140|284|1800000|1 day|landing craft||2014-12-19T17:20:36.373000Z|2014-12-20T21:30:21.707000Z
        38|Tribubble bongo|Tribubble bongo|Otoh Gunga Bongameken Cooperative|unknown|15|85|1|2|1600|unknown|submarine|10,32|2014-12-19T17:37:37.924000Z|2014-12-20T21:30:21.710000Z
        42|Sith speeder|FC-20 speeder bike|Razalon|4000|1.5|180|1|0|2|unknown|speeder|44|2014-12-20T10:09:56.095000Z|2014-12-20T21:30:21.712000Z
        44|Zephyr-G swoop bike|Zephyr-G swoop bike|Mobquet Swoops and Speeders|5750|3.68|350|1|1|200|none|repulsorcraft|11|2014-12-20T16:24:16.026000Z|2014-12-20T21:30:21.714000Z
        45|Koro-2 Exodrive airspeeder|Koro-2 Exodrive airspeeder|Desler Gizh Outworld Mobility Corporation|unknown|6.6|800|1|1|80|unknown|airspeeder|70|2014-12-20T17:17:33.526000Z|2014-12-20T21:30:21.716000Z
        46|XJ-6 airspeeder|XJ-6 airspeeder|Narglatch AirTech prefabricated kit|unknown|6.23|720|1|1|unknown|unknown|airspeeder|11|2014-12-20T17:19:19.991000Z|2014-12-20T21:30:21.719000Z
        50|LAAT/i|Low Altitude Assault Transport/infrantry|Rothana Heavy Engineering|unknown|17.4|620|6|30|170|unknown|gunship||2014-12-20T18:01:21.014000Z|2014-12-20T21:30:21.723000Z
        51|LAAT/c|Low Altitude Assault Transport/carrier|Rothana Heavy Engineering|unknown|28.82|620|1|0|40000|unknown|gunship||2014-12-20T18:02:46.802000Z|2014-12-20T21:30:21.725000Z
        53|AT-TE|All Terrain Tactical Enforcer|Rothana Heavy Engineering, Kuat Drive Yards|unknown|13.2|60|6|36|10000|21 days|walker||2014-12-20T18:10:07.560000Z|2014-12-20T21:30:21.728000Z
        54|SPHA|Self-Propelled Heavy Artillery|Rothana Heavy Engineering|unknown|140|35|25|30|500|7 days|walker||2014-12-20T18:12:32.315000Z|2014-12-20T21:30:21.731000Z
        55|Flitknot speeder|Flitknot speeder|Huppla Pasa Tisc Shipwrights Collective|8000|2|634|1|0|unknown|unknown|speeder|67|2014-12-20T18:15:20.312000Z|2014-12-20T21:30:21.735000Z
        56|Neimoidian shuttle|Sheathipede-class transport shuttle|Haor Chall Engineering|unknown|20|880|2|6|1000|7 days|transport||2014-12-20T18:25:44.912000Z|2014-12-20T21:30:21.739000Z
        57|Geonosian starfighter|Nantex-class territorial defense|Huppla Pasa Tisc Shipwrights Collective|unknown|9.8|20000|1|0|unknown|unknown|starfighter||2014-12-20T18:34:12.541000Z|2014-12-20T21:30:21.742000Z
        60|Tsmeu-6 personal wheel bike|Tsmeu-6 personal wheel bike|Z-Gomot Ternbuell Guppat Corporation|15000|3.5|330|1|1|10|none|wheeled walker|79|2014-12-20T19:43:54.870000Z|2014-12-20T21:30:21.745000Z
        62|Emergency Firespeeder|Fire suppression speeder|unknown|unknown|unknown|unknown|2|unknown|unknown|unknown|fire suppression ship||2014-12-20T19:50:58.559000Z|2014-12-20T21:30:21.749000Z
        67|Droid tri-fighter|tri-fighter|Colla Designs, Phlac-Arphocc Automata Industries|20000|5.4|1180|1|0|0|none|droid starfighter||2014-12-20T20:05:19.992000Z|2014-12-20T21:30:21.752000Z
        69|Oevvaor jet catamaran|Oevvaor jet catamaran|Appazanna Engineering Works|12125|15.1|420|2|2|50|3 days|airspeeder||2014-12-20T20:20:53.931000Z|2014-12-20T21:30:21.756000Z
        70|Raddaugh Gnasp fluttercraft|Raddaugh Gnasp fluttercraft|Appazanna Engineering Works|14750|7|310|2|0|20|none|air speeder||2014-12-20T20:21:55.648000Z|2014-12-20T21:30:21.759000Z
        71|Clone turbo tank|HAVw A6 Juggernaut|Kuat Drive Yards|350000|49.4|160|20|300|30000|20 days|wheeled walker||2014-12-20T20:24:45.587000Z|2014-12-20T21:30:21.762000Z
        72|Corporate Alliance tank droid|NR-N99 Persuader-class droid enforcer|Techno Union|49000|10.96|100|0|4|none|none|droid tank||2014-12-20T20:26:55.522000Z|2014-12-20T21:30:21.765000Z
        73|Droid gunship|HMP droid gunship|Baktoid Fleet Ordnance, Haor Chall Engineering|60000|12.3|820|0|0|0|none|airspeeder||2014-12-20T20:32:05.687000Z|2014-12-20T21:30:21.768000Z
        76|AT-RT|All Terrain Recon Transport|Kuat Drive Yards|40000|3.2|90|1|0|20|1 day|walker||2014-12-20T20:47:49.189000Z|2014-12-20T21:30:21.772000Z
        """#
}
