"""Other people's HTTP clients, and one that follows every link that it is given."""
import asyncio
import json
from urllib.parse import urlsplit

import aiohttp
import httpx
import requests

from test_routes import KINDS


# Pictures and pages for people, which no gateway serves; an address of an API would be a link that was left behind.
ELSEWHERE = ("i.annihil.us", "i.imgur.com", "marvel.com", "applink.marvel.com", "comicstore.marvel.com")


def links(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from links(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from links(inner)
    elif isinstance(value, str) and value.startswith(("http://", "https://")):
        yield value


def test_every_link_of_every_answer_leads_to_an_answer_here(gateway):
    session = requests.Session()
    front = session.get(gateway.url + "/", timeout=15).json()
    # SWAPI's answers hold nothing but its own links; those of other services name images and pages elsewhere.
    waiting = [front[kind] for kind in KINDS] + [gateway.url + "/openapi.json"]
    seen, resources = set(waiting), 0
    while waiting:
        address = waiting.pop()
        answer = session.get(address, timeout=15)
        assert answer.status_code == 200, address
        document = answer.json()
        # It names the upstream's documentation, as it may.
        document.pop("externalDocs", None)
        resources += "url" in document and urlsplit(address).path.split("/")[1] in KINDS
        for link in links(document):
            # The sample Imgur shows what other tests have uploaded at a port of its own.
            if urlsplit(address).path.startswith("/images") and link.endswith((".png", ".jpg", ".gif", ".webp")):
                continue
            if urlsplit(link).hostname in ELSEWHERE:
                assert link.startswith("https://") and "apikey" not in link
                continue
            assert (link + "/").startswith(gateway.url + "/"), f"{address} leads away, to {link}"
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    assert resources == sum(KINDS.values())


def test_next_links_lead_through_every_item_once(gateway):
    session = requests.Session()
    for kind, count in KINDS.items():
        found, address, pages = [], f"{gateway.url}/{kind}", 0
        while address:
            page = session.get(address, timeout=15).json()
            assert page["count"] == count
            found += [item["url"] for item in page["results"]]
            address, pages = page["next"], pages + 1
        assert len(found) == len(set(found)) == count
        assert pages == -(-count // 10)


def test_expanded_answers_hold_no_link_that_leads_away(gateway):
    for target in ("/films/1?expand=starships,characters.homeworld", "/people?expand=homeworld,films", "/starships/10?expand=pilots,films"):
        document = requests.get(gateway.url + target, timeout=15).json()
        assert all(link.startswith(gateway.url + "/") for link in links(document))


def test_httpx_keeps_its_connection(gateway):
    with httpx.Client(base_url=gateway.url) as client:
        for number in range(1, 7):
            answer = client.get(f"/films/{number}", params={"expand": "starships", "fields": "title,starships.name"})
            assert answer.status_code == 200 and set(answer.json()) == {"title", "starships"}
        assert client.head("/films/1").status_code == 200
        assert client.get("/films/1", headers={"If-None-Match": client.get("/films/1").headers["etag"]}).status_code == 304
        assert client.post("/films/1", json={}).status_code == 405
        assert client.get("/films/1").json()["title"] == "A New Hope"


def test_aiohttp_asks_for_many_at_once(gateway):
    async def everything():
        async with aiohttp.ClientSession() as session:
            async def one(number):
                async with session.get(f"{gateway.url}/people/{number}?expand=films") as answer:
                    return answer.status, json.loads(await answer.text())
            return await asyncio.gather(*(one(number) for number in range(1, 84)))
    answers = asyncio.run(everything())
    assert [number for number, (status, _) in enumerate(answers, 1) if status != 200] == [17]
    assert all(film["title"] for status, person in answers if status == 200 for film in person["films"])


def test_content_sent_in_pieces_is_read(gateway):
    def pieces():
        yield b"{"
        yield b"}"
    session = requests.Session()
    assert session.post(gateway.url + "/films/1", data=pieces(), timeout=15).status_code == 405
    assert session.get(gateway.url + "/films/1", timeout=15).status_code == 200
