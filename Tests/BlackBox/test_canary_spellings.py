"""Values that spell a credential in one way or another, in answers that are well: none is shown, whatever the spelling."""
import base64
import json
import urllib.parse

import pytest

from canary import PRIVATE, PUBLIC, WEATHER, Echo, shown_of
from program import Program
from scripted import answer
from wire import ask


def every_byte(text):
    return "".join(f"%{byte:02x}" for byte in text.encode())


def quoted(text):
    return urllib.parse.quote(text, safe="")


# How a value may spell a secret: what it makes of it.
SPELLINGS = {
    "plain": lambda key: key, "sentence": "the key {} is wrong".format, "encoded": quoted, "encoded in lower case": lambda key: quoted(key).lower(),
    "encoded in a sentence": lambda key: f"no {quoted(key)} here", "every byte encoded": every_byte, "blank as plus": urllib.parse.quote_plus, "twice": lambda key: key + key,
    "parameter": "https://h.test/?x={}".format, "user": "https://{}@h.test/".format, "path": "https://h.test/{}/x".format, "fragment": "https://h.test/#k={}".format,
    "data": "data:text/plain,{}".format, "relative": "?apikey={}".format, "semicolon": "https://h.test/?a=1;apikey={}".format,
    "under a mark": "{}\u0301".format, "before a joiner": "{}\u200d".format,
    "after hash=": "x?ts=1&hash={}".format, "after an encoded hash=": "x%3Fts%3D1%26hash%3D{}".format,
    "beside a stray percent": lambda key: f"100% sure of {every_byte(key)}", "beside Latin 1": lambda key: f"S%E3o {every_byte(key)}", "beside a line end": lambda key: f"a%0A{every_byte(key)}",
    "cut inside a sign": lambda key: f"{every_byte(key)}&q=S%C3", "cut inside an encoding": lambda key: f"{every_byte(key)}&q=S%C", "encoded twice": lambda key: quoted(every_byte(key)),
    "in a path beside Latin 1": lambda key: f"https://h.test/%E3/{every_byte(key)}",
    "in a parameter beside Latin 1": lambda key: f"https://h.test/?a=%E3{every_byte(key)}", "in HTML": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "in HTML by sixteens": lambda key: "".join(f"&#x{ord(sign):X};" for sign in key),
    "in HTML in an address": lambda key: quoted("".join(f"&#{ord(sign)};" for sign in key)), "in HTML of encoded": lambda key: every_byte(key).replace("%", "&#37;"),
    "in a JSON text": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key), "in a script": lambda key: "".join(f"\\x{ord(sign):02X}" for sign in key),
    "over a line end": lambda key: f"{key[:15]}\r\n    {key[15:]}", "over an encoded line end": lambda key: f"{key[:15]}%0D%0A{key[15:]}",
    "over a soft hyphen": lambda key: f"{key[:15]}\u00ad{key[15:]}", "over a soft hyphen in HTML": lambda key: f"{key[:15]}&shy;{key[15:]}",
    "over nothing": lambda key: f"{key[:15]}\u200b{key[15:]}", "wide": lambda key: "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in key),
    "Basic": lambda key: "Basic " + base64.b64encode(f":{key}".encode()).decode(), "Basic with a name": lambda key: "Basic " + base64.b64encode(f"ab:{key}:".encode()).decode(),
    "Basic as an address has it": lambda key: base64.urlsafe_b64encode(f"a:{key}".encode()).decode().rstrip("="),
    "upper case": str.upper, "middle": lambda key: f"…{key[4:18]}…", "cut after 8": lambda key: key[:8], "cut after 20": lambda key: f"…?apikey={key[:20]}", "end only": lambda key: key[-12:],
}
# Of a digest so few digits stand anywhere by chance.
EACH = [(kind, name) for kind in ("public", "private", "weather", "digest") for name in SPELLINGS
        if (kind, name) not in (("digest", "cut after 8"), ("weather", "after hash="), ("weather", "after an encoded hash=")) and (kind != "digest" or "Basic" not in name)]
# As many places as one answer may have.
PAGE = 10


@pytest.fixture(scope="module")
def values():
    """What a client gets where values spell secrets: texts by (kind, spelling), and the secrets."""
    position = {name: index for index, name in enumerate(SPELLINGS)}

    def escaped(text):
        return '"' + "".join(f"\\u{unit:04x}" for unit in memoryview(text.encode("utf-16-le")).cast("H")) + '"'

    def case(call, here):
        query = urllib.parse.parse_qs(call.target.partition("?")[2])
        kinds = {"weather": WEATHER} if "premium" in call.path else {"public": PUBLIC, "private": PRIVATE, "digest": query["hash"][0]}
        items = []
        for kind, secret in kinds.items():
            for name, make in SPELLINGS.items():
                marker, text = f"{kind} {position[name]}", make(secret)
                if "premium" in call.path:
                    items.append('{"areaName":[{"value":"%s"}],"region":[{"value":%s}],"country":[{"value":%s}]}' % (marker, json.dumps(text, ensure_ascii=False), escaped(text)))
                else:
                    items.append('{"name":"%s","role":%s,"resourceURI":%s}' % (marker, json.dumps(text, ensure_ascii=False), json.dumps(text)))
                    items.append('{"name":"%s","role":%s}' % (marker, escaped(text)))
        if "premium" in call.path:
            start = int(query["q"][0]) * PAGE
            items = items[start:start + PAGE]
        text = ",".join(items)
        return answer(('{"search_api":{"result":[%s]}}' if "premium" in call.path else '{"attributionText":"","data":{"results":[{"id":1,"creators":{"items":[%s]}}]}}').replace("%s", text).encode())
    with Echo(case) as upstream:
        with Program("serve", "--port", "0", "--workers", "1", env=upstream.env) as program:
            objects = json.loads(ask(program.port, "/comics/1").body)["creators"]
            for page in range(-(-len(SPELLINGS) // PAGE)):
                objects += json.loads(ask(program.port, f"/weather/locations?query={page}&limit={PAGE}&expand=").body)["results"]
    texts = {}
    for found in objects:
        kind, number = found.pop("name").split()
        texts.setdefault((kind, list(SPELLINGS)[int(number)]), []).append(json.dumps(found))
    return texts, upstream.secrets


@pytest.mark.parametrize("kind,name", EACH)
def test_a_value_that_spells_a_secret_is_not_shown(values, kind, name):
    texts, secrets = values
    assert len(texts[kind, name]) == (1 if kind == "weather" else 2)
    for text in texts[kind, name]:
        assert not shown_of(text, secrets), text
