extension WeatherPlace {
    /// Places of the world, one row a line: name, other names, country, its code, region, latitude, longitude, people, hours ahead of UTC
    /// (without summer time), usual temperature of January and July (°C), days of a hundred with rain, and what the service calls the
    /// spot where that is another name.
    static let table = #"""
        Hanoi|Hà Nội;Ha Noi|Vietnam|VN|Ha Noi|21.0285|105.8542|8053663|7|17|29|40|
        Dublin|Baile Átha Cliath|Ireland|IE|Dublin|53.3331|-6.2489|1024027|0|5|16|50|
        London||United Kingdom|GB|City of London, Greater London|51.5171|-0.1062|7421228|0|5|19|45|Blackfriars
        London||Canada|CA|Ontario|42.9834|-81.2497|346765|-5|-5|21|40|
        Paris||France|FR|Ile-de-France|48.8667|2.3333|2110694|1|5|20|40|
        Paris||United States of America|US|Texas|33.6609|-95.5555|24171|-6|6|29|28|
        Berlin||Germany|DE|Berlin|52.5167|13.4000|3426354|1|1|20|42|Mitte
        Köln|Cologne;Koeln|Germany|DE|Nordrhein-Westfalen|50.9333|6.9500|963395|1|3|19|44|
        Madrid||Spain|ES|Madrid|40.4165|-3.7026|3255944|1|6|26|18|
        Rome|Roma|Italy|IT|Lazio|41.9000|12.4833|2318895|1|8|25|22|
        Lisbon|Lisboa|Portugal|PT|Lisboa|38.7167|-9.1333|517802|0|12|24|25|
        Oslo||Norway|NO|Oslo|59.9167|10.7500|580000|1|-4|18|35|
        Tromsø|Tromsoe;Romsa|Norway|NO|Troms|69.6496|18.9570|52436|1|-4|12|50|
        Longyearbyen||Svalbard and Jan Mayen|SJ|Svalbard|78.2186|15.6401|2060|1|-13|6|35|
        Reykjavik|Reykjavík|Iceland|IS|Gullbringusysla|64.1500|-21.9500|118918|0|0|11|50|
        Athens|Athina;Αθήνα|Greece|GR|Attica|37.9833|23.7333|664046|2|10|29|15|
        Istanbul|İstanbul|Turkey|TR|Istanbul|41.0186|28.9647|14804116|3|6|24|28|
        Moscow|Moskva;Москва|Russia|RU|Moscow City|55.7522|37.6156|10381222|3|-7|19|40|
        Cairo|القاهرة|Egypt|EG|Al Qahirah|30.0500|31.2500|7734614|2|14|28|4|
        Lagos||Nigeria|NG|Lagos|6.4531|3.3958|9000000|1|27|25|45|
        Nairobi||Kenya|KE|Nairobi Area|-1.2833|36.8167|2750547|3|19|17|25|
        Cape Town|Kaapstad|South Africa|ZA|Western Cape|-33.9167|18.4167|3433441|2|21|12|22|
        Mumbai|Bombay|India|IN|Maharashtra|18.9750|72.8258|12691836|5.5|24|28|35|
        Delhi||India|IN|Delhi|28.6667|77.2167|10927986|5.5|14|31|22|
        Kathmandu||Nepal|NP|Kathmandu|27.7167|85.3167|1442271|5.75|11|24|40|
        Bangkok|Krung Thep|Thailand|TH|Krung Thep|13.7500|100.5167|5104476|7|27|29|42|
        Singapore||Singapore|SG|Singapore|1.2931|103.8558|3547809|8|27|28|55|
        Jakarta||Indonesia|ID|Jakarta Raya|-6.2146|106.8451|8540121|7|27|28|45|
        Beijing|Peking;北京|China|CN|Beijing|39.9289|116.3883|7480601|8|-3|27|22|
        Tokyo|東京|Japan|JP|Tokyo|35.6895|139.6917|8336599|9|5|26|32|Chiyoda
        Seoul|서울|South Korea|KR|Seoul|37.5664|127.0000|10349312|9|-2|25|32|
        Sydney||Australia|AU|New South Wales|-33.8833|151.2167|4627345|10|23|13|35|
        Auckland|Tāmaki Makaurau|New Zealand|NZ|Auckland|-36.8667|174.7667|417910|12|20|11|45|
        Honolulu||United States of America|US|Hawaii|21.3069|-157.8583|371657|-10|23|27|28|
        Anchorage||United States of America|US|Alaska|61.2181|-149.9003|298695|-9|-8|15|32|
        San Francisco||United States of America|US|California|37.7750|-122.4183|864816|-8|11|16|22|
        San José|San Jose|Costa Rica|CR|San Jose|9.9333|-84.0833|335007|-6|20|21|50|
        New York|New York City;NYC|United States of America|US|New York|40.7142|-74.0064|8107916|-5|1|25|35|Tribeca
        Mexico City|Ciudad de México|Mexico|MX|Distrito Federal|19.4342|-99.1386|12294193|-6|15|17|38|
        Bogotá|Bogota|Colombia|CO|Bogota|4.6000|-74.0833|7102602|-5|14|14|50|
        São Paulo|Sao Paulo|Brazil|BR|Sao Paulo|-23.5333|-46.6167|10021295|-3|23|17|38|
        Ushuaia||Argentina|AR|Tierra del Fuego|-54.8000|-68.3000|58028|-3|10|2|40|
        Vancouver||Canada|CA|British Columbia|49.2500|-123.1193|1837969|-8|4|18|45|
        """#
}
