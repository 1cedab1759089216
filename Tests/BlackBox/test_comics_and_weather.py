"""Marvel's comics and the weather, from the samples: what an app gets, over the wire."""
import re

import pytest
import requests

from program import ROOT, Program, run
from test_routes import get

KEY = re.compile(r"[0-9a-f]{32}")


def answer(gateway, target, status=200):
    got = requests.get(gateway.url + target, timeout=15)
    assert got.status_code == status, (target, got.text[:500])
    return got.json()


def test_comics_are_last_weeks_unless_asked_otherwise(gateway):
    page = answer(gateway, "/comics")
    assert list(page) == ["count", "next", "previous", "results", "attribution"]
    assert page["attribution"].startswith("Data provided by Marvel") and len(page["results"]) == min(50, page["count"])
    dates = [comic["onSaleDate"] for comic in page["results"]]
    assert dates == sorted(dates, reverse=True) and all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", date) for date in dates)
    assert answer(gateway, "/comics?dateDescriptor=")["count"] > page["count"]


def test_every_comic_has_the_same_members_and_no_odd_value(gateway):
    page = answer(gateway, "/comics?all=true&dateDescriptor=&formatType=&format=")
    assert page["count"] == len(page["results"]) >= 120 and page["next"] is None
    members = list(page["results"][0])
    for comic in page["results"]:
        assert list(comic) == members and isinstance(comic["id"], int)
        assert comic["description"] not in ("", "#N/A") and comic["format"] != ""
        for name in ("isbn", "ean", "issn", "upc"):
            assert comic[name] is None or isinstance(comic[name], str)
        for name in ("onSaleDate", "focDate", "unlimitedDate", "digitalPurchaseDate", "modified"):
            assert comic[name] is None or "1939" < comic[name] < "2029"
        for address in [comic["thumbnail"], *comic["images"], *(page["url"] for page in comic["urls"])]:
            assert address is None or address.startswith("https://") and "not_available" not in address and not KEY.search(address.split("?")[-1])
    assert any(comic["onSaleDate"] is None for comic in page["results"]) and any(comic["thumbnail"] is None for comic in page["results"])


def test_links_lead_from_comics_to_characters_series_and_creators(gateway):
    some = next(comic for comic in answer(gateway, "/comics")["results"] if comic["characters"] and comic["creators"])
    comic = answer(gateway, f"/comics/{some['id']}?expand=characters,series,creators")
    assert comic["series"]["id"] and comic["attribution"]
    assert [one["name"] for one in comic["characters"]] == [one["name"] for one in some["characters"]] and all("comicsAvailable" in one for one in comic["characters"])
    assert [one["fullName"] for one in comic["creators"]] == [one["name"] for one in some["creators"]]
    narrow = answer(gateway, f"/comics/{some['id']}?fields=title,characters.name")
    assert set(narrow) == {"title", "characters"} and all(set(one) == {"name"} for one in narrow["characters"])
    listed = answer(gateway, f"/comics/{some['id']}/characters")
    assert {one["id"] for one in listed["results"]} == {one["id"] for one in comic["characters"]}
    character = listed["results"][0]
    assert answer(gateway, f"/characters/{character['id']}/comics?limit=1")["count"] == character["comicsAvailable"]


@pytest.mark.parametrize("target", [
    "/comics?limit=101", "/comics?limit=0", "/comics?format=book", "/comics?dateRange=2024-02-30,2024-03-01", "/comics?Thor=1", "/comics?title=", "/comics?apikey=1",
    "/comics?characters=" + ",".join(map(str, range(1, 12))), "/characters?orderBy=price", "/weather", "/weather?lat=1", "/weather?query=x&lat=1&lon=2",
    "/weather?query=Hanoi&format=xml", "/weather?query=Hanoi&key=1", "/weather?query=Hanoi&days=0", "/weather/locations", "/weather/locations?query=Hanoi&limit=11"])
def test_what_is_wrong_is_refused_here(gateway, target):
    assert answer(gateway, target, 400)["code"] in ("bad-parameter", "unknown-parameter", "missing-parameter")


def test_a_place_leads_to_its_weather(gateway):
    page = answer(gateway, "/weather/locations?query=Hanoi")
    place = page["results"][0]
    assert isinstance(place["latitude"], float) and place["forecast"]["place"]["name"] == place["name"]
    weather = answer(gateway, f"/weather?lat={place['latitude']}&lon={place['longitude']}&days=3")
    assert len(weather["days"]) == 3 and isinstance(weather["current"]["temperatureC"], int)
    for day in weather["days"]:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", day["date"])
        assert [hour["time"] for hour in day["hourly"]] == [f"{hour:02}:00" for hour in range(0, 24, 3)]
        assert all(value is None or re.fullmatch(r"\d\d:\d\d", value) for name, value in day["astronomy"].items() if name.endswith(("rise", "set")))
    assert answer(gateway, "/weather/locations?query=Nowhere%20at%20all")["results"] == []
    assert answer(gateway, "/weather?query=Nowhere%20at%20all", 404)["code"] == "not-found"
    assert answer(gateway, "/weather?query=S%C3%A3o+Paulo")["place"]["country"] == "Brazil"


def test_without_keys_the_routes_say_which_ones():
    with Program("serve", "--port", "0", "--workers", "1") as program:
        comics = answer(program, "/comics", 503)
        assert comics["code"] == "credential-missing" and comics["variables"] == ["MARVEL_PUBLIC_KEY", "MARVEL_PRIVATE_KEY"]
        assert answer(program, "/weather?query=Hanoi", 503)["variables"] == ["WWO_KEY"]
        assert get(program, "/readyz")["upstreams"] == {"imgur": "credential-missing", "marvel": "credential-missing", "marvel-images": "ready", "swapi": "ready", "weather": "credential-missing"}
    assert run("check", ROOT / "openapi")[0] == 0
