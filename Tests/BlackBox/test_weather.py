"""The weather's routes as an app meets them: with the sample behind them, and with an upstream whose every call is looked at."""
import json
import re
import urllib.parse

import pytest

from program import Program
from scripted import Upstream, answer
from wire import ask

KEYS = {"WWO_KEY": "weather-key-of-the-test"}
DAY, TIME, LOCAL = r"\d{4}-\d\d-\d\d", r"([01]\d|2[0-3]):[0-5]\d", r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d"
NO_MATCH = "Unable to find any matching weather location to the query submitted!"


def get(gateway, target):
    got = ask(gateway.port, target)
    return got, json.loads(got.body)


def place(name="Fine", latitude="1.5", longitude="2.5", **more):
    return {"areaName": [{"value": name}], "country": [{"value": "Land"}], "region": [{"value": ""}], "latitude": latitude, "longitude": longitude, **more}


def forecast(**more):
    return {"data": {"request": [{"type": "City", "query": "Fine"}], "nearest_area": [place()], "current_condition": [{"temp_C": "7"}],
                     "weather": [{"date": "2026-04-04", "hourly": [{"time": "300"}]}], **more}}


class Weather(Upstream):
    def __init__(self):
        self.search, self.weather = answer({"search_api": {"result": [place()]}}), answer(forecast())
        super().__init__(lambda call: self.search if call.path.endswith("/search.ashx") else self.weather)

    @property
    def env(self):
        return {**KEYS, "WWO_URL": self.url + "/premium/v1"}

    def asked(self):
        """The last call: its parameters, each once, decoded once; `+` stands for itself."""
        pairs = [pair.split("=", 1) for pair in self.calls[-1].target.partition("?")[2].split("&")]
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), names
        return {name: urllib.parse.unquote(value, errors="strict") for name, value in pairs}


@pytest.fixture
def scripted():
    with Weather() as upstream, Program("serve", "--port", "0", "--workers", "1", env=upstream.env) as gateway:
        yield upstream, gateway


@pytest.fixture(scope="module")
def quiet():
    """For requests that must not reach it, or always do well."""
    with Weather() as upstream, Program("serve", "--port", "0", "--workers", "1", env=upstream.env) as gateway:
        yield upstream, gateway


# -- what is asked
def test_the_upstream_gets_every_text_encoded_once_and_always_json(quiet):
    upstream, gateway = quiet
    for text in ("São Paulo,BR", "a+b", "50%", "a&format=xml", "%41", "=", "Zürich #1", "x;y", "北京", "'\"<>", "a/b?c"):
        encoded = urllib.parse.quote(text, safe="")
        assert get(gateway, f"/weather?query={encoded}")[0].status == 200
        asked = upstream.asked()
        assert asked["q"] == text and asked["format"] == "json" and asked["num_of_days"] == "5" and asked["key"] == KEYS["WWO_KEY"] and "query" not in asked
        assert asked["includelocation"] == "yes" and asked["tp"] == "3"
        assert get(gateway, f"/weather/locations?query={encoded}&expand=")[0].status == 200
        asked = upstream.asked()
        assert asked["q"] == asked["query"] == text and asked["format"] == "json" and asked["num_of_results"] == "5"
    assert get(gateway, "/weather?query=S%C3%A3o+Paulo")[0].status == 200
    assert upstream.asked()["q"] == "São Paulo"


def test_a_point_is_one_value(quiet):
    upstream, gateway = quiet
    assert get(gateway, "/weather?lat=-33.8688&lon=151.2093&days=14")[0].status == 200
    asked = upstream.asked()
    assert asked["q"] == "-33.8688,151.2093" and asked["num_of_days"] == "14" and not {"lat", "lon", "days"} & set(asked)


@pytest.mark.parametrize("target", [
    "/weather", "/weather?days=3", "/weather?lat=1", "/weather?lon=1", "/weather?query=x&lat=1", "/weather?query=x&lat=1&lon=2", "/weather?lat=91&lon=0", "/weather?lat=0&lon=181", "/weather?lat=x&lon=0",
    "/weather?lat=NaN&lon=0", "/weather?lat=1e&lon=0", "/weather?lat=0x1&lon=0", "/weather?lat=&lon=", "/weather?query=", "/weather?query=x&days=0", "/weather?query=x&days=15", "/weather?query=x&days=1.5",
    "/weather?query=x&query=y", "/weather?query=x&format=xml", "/weather?query=x&key=y", "/weather?query=x&q=y", "/weather?query=x&tp=1", "/weather?query=x&callback=f", "/weather?query=x&expand=place",
    "/weather?query=x&fields=nothing", "/weather/locations", "/weather/locations?query=", "/weather/locations?query=x&limit=0", "/weather/locations?query=x&limit=11", "/weather/locations?query=x&expand=weather",
    "/weather/locations?query=x&fields=areaName", "/weather/locations?query=x&days=1", "/weather?query=" + "x" * 201, "/weather?query=%00", "/weather?query=%C3",
])
def test_what_is_wrong_is_refused_before_any_call(quiet, target):
    upstream, gateway = quiet
    upstream.reset()
    got, problem = get(gateway, target)
    assert got.status == 400 and problem["status"] == 400, got
    assert not upstream.calls


# -- what comes back
def test_places_have_their_forecast(gateway):
    got, page = get(gateway, "/weather/locations?query=Hanoi")
    assert got.status == 200 and got["Sluice-Complete"] == "?1" and page["results"]
    found = page["results"][0]
    assert found["name"] == "Hanoi" and isinstance(found["latitude"], (int, float)) and isinstance(found["population"], int)
    assert len(found["forecast"]["days"]) == 5 and found["forecast"]["place"]["country"] == found["country"]
    plain = get(gateway, "/weather/locations?query=Hanoi&expand=")[1]["results"][0]
    assert "forecast" not in plain and plain["name"] == "Hanoi"
    assert list(get(gateway, "/weather/locations?query=Hanoi&fields=name,forecast.current.temperatureC")[1]["results"][0]) == ["name", "forecast"]


def test_limit_bounds_the_places(quiet):
    upstream, gateway = quiet
    keep = upstream.search
    upstream.search = answer({"search_api": {"result": [place(str(number), str(number), "0") for number in range(10)]}})
    try:
        assert get(gateway, "/weather/locations?query=many&limit=10&expand=")[1]["count"] == 10
        assert upstream.asked()["num_of_results"] == "10"
        # One call feeds the next: each place's own point.
        upstream.reset()
        assert get(gateway, "/weather/locations?query=many2")[0].status == 200
        assert {call.target.split("q=")[1].split("&")[0] for call in upstream.calls[1:]} == {f"{number}%2C0" for number in range(5)}
    finally:
        upstream.search = keep


def test_an_upstream_that_gives_more_than_limit_is_cut(quiet):
    upstream, gateway = quiet
    keep = upstream.search
    upstream.search = answer({"search_api": {"result": [place(str(number), str(number), "0") for number in range(10)]}})
    try:
        assert len(get(gateway, "/weather/locations?query=more&limit=2&expand=")[1]["results"]) == 2
    finally:
        upstream.search = keep


def test_weather_by_name_and_by_point(gateway):
    by_name = get(gateway, "/weather?query=Hanoi")[1]
    by_point = get(gateway, f"/weather?lat={by_name['place']['latitude']}&lon={by_name['place']['longitude']}&days=2")[1]
    assert by_name["place"] == by_point["place"] and len(by_name["days"]) == 5 and len(by_point["days"]) == 2
    assert by_name["query"].startswith("Hanoi") and "Lat" in by_point["query"]


def test_numbers_are_numbers_and_times_are_iso_8601(gateway):
    moonless = 0
    for town in ("Hanoi", "London", "Reykjavik", "Nairobi"):
        got, weather = get(gateway, f"/weather?query={town}&days=14")
        if got.status == 404:
            continue
        current = weather["current"]
        assert re.fullmatch(LOCAL, current["observedAt"]) and re.fullmatch(TIME, current["observedAtUTC"]) and isinstance(current["temperatureC"], (int, float))
        assert len(weather["days"]) == 14
        for day in weather["days"]:
            assert re.fullmatch(DAY, day["date"]) and day["minimumC"] <= day["maximumC"] and isinstance(day["uvIndex"], (int, float))
            for name in ("sunrise", "sunset", "moonrise", "moonset"):
                assert day["astronomy"][name] is None or re.fullmatch(TIME, day["astronomy"][name])
            moonless += day["astronomy"]["moonrise"] is None
            assert [hour["time"] for hour in day["hourly"]] == [f"{hour:02}:00" for hour in range(0, 24, 3)]
            for hour in day["hourly"]:
                assert isinstance(hour["chances"]["rain"], (int, float)) and (hour["icon"] is None or hour["icon"].startswith("https://"))
                assert json.dumps(hour["dewPointC"]) != "-0"
    assert moonless, "no day without a moonrise"


# -- errors under 200 and others
@pytest.mark.parametrize("fault,forecast,search", [
    ("no-match", (404, "not-found"), (200, None)), ("no-data", (404, "not-found"), (404, "not-found")), ("suspended", (502, "upstream-denied"), (502, "upstream-denied")),
    ("forbidden", (502, "upstream-denied"), (502, "upstream-denied")), ("bad-key", (502, "upstream-denied"), (502, "upstream-denied")),
    ("html", (502, "upstream-not-json"), (502, "upstream-not-json")), ("xml", (404, "not-found"), (200, None)), ("bare", (502, "upstream-shape"), (502, "upstream-shape")),
    ("old", (502, "upstream-shape"), (200, None)),
])
def test_errors_are_told_for_what_they_are(gateway, fault, forecast, search):
    got, problem = get(gateway, f"/weather?query=fault:{fault}")
    assert (got.status, problem["code"]) == forecast, problem
    got, page = get(gateway, f"/weather/locations?query=fault:{fault}&expand=")
    assert (got.status, page.get("code")) == search, page
    if search[0] == 200 and fault != "old":
        assert page == {"count": 0, "next": None, "previous": None, "results": []}


@pytest.mark.parametrize("fault,most", [("quota", 86400), ("quota-429", 86400), ("per-day", 86400), ("per-second", 1)])
def test_limits_are_503_with_a_time_to_wait(fault, most):
    with Program("serve", "--sample", "--port", "0", "--workers", "1") as gateway:
        got, problem = get(gateway, f"/weather?query=fault:{fault}")
        assert (got.status, problem["code"]) == (503, "upstream-limit") and 1 <= int(got["Retry-After"]) <= most
        # Nobody asks again before.
        got, problem = get(gateway, "/weather/locations?query=Hanoi")
        assert (got.status, problem["code"]) == (503, "upstream-paused") and int(got["Retry-After"]) <= most
        assert get(gateway, "/comics?limit=1")[0].status == 200


def test_a_forecast_that_fails_is_named(gateway):
    got, page = get(gateway, "/weather/locations?query=later:suspended")
    assert got.status == 200 and got["Sluice-Complete"] == "?0"
    assert [error["pointer"] for error in page["_errors"]] == ["/results/0/forecast"] and page["_errors"][0]["code"] == "upstream-denied"
    assert "forecast" not in page["results"][0]


def test_without_a_key_the_variable_is_named():
    with Program("serve", "--port", "0", "--workers", "1", env={"WWO_URL": "http://127.0.0.1:1"}) as gateway:
        for target in ("/weather?query=x", "/weather/locations?query=x"):
            got, problem = get(gateway, target)
            assert (got.status, problem["code"], problem["variables"]) == (503, "credential-missing", ["WWO_KEY"])


def test_a_pause_is_one_for_all_workers():
    with Weather() as upstream, Program("serve", "--port", "0", "--workers", "4", env=upstream.env) as gateway:
        upstream.weather = answer({"data": {"error": [{"msg": "API key has reached calls per day allowed limit."}]}})
        for number in range(24):
            # A connection each, so that every worker has its turn.
            got, problem = get(gateway, f"/weather?query=p{number}")
            assert got.status == 503 and int(got["Retry-After"]) > 0 and problem["code"] == ("upstream-paused" if number else "upstream-limit"), problem
        assert len(upstream.calls) == 1


# -- an upstream that means harm
HOSTILE = [None, True, 0, -1, 1e308, 10**40, "", "x", "1,600", " 5", "-0", "NaN", "9" * 3000, [], {}, [[]], [{}], [None], {"value": []}, [{"value": {}}], [[[[1]]]], ["x"], [{"hourly": 5}], [{"hourly": [None, 1, []]}]]


def test_no_value_of_the_wrong_type_costs_more_than_itself(scripted):
    upstream, gateway = scripted
    number = 0
    for value in HOSTILE:
        for name in ("request", "nearest_area", "current_condition"):
            number += 1
            upstream.weather = answer(forecast(**{name: value}))
            got, weather = get(gateway, f"/weather?query=h{number}")
            assert got.status == 200 and weather["days"][0]["hourly"][0]["time"] == "03:00", (name, value, got)
        day = {"date": "2026-04-04", **dict.fromkeys(("astronomy", "maxtempC", "uvIndex", "sunHour", "totalSnow_cm"), value), "hourly": [dict.fromkeys(
            ("time", "tempC", "weatherDesc", "weatherIconUrl", "winddirDegree", "chanceofrain", "DewPointC"), value), {"time": "300"}, value]}
        number += 1
        upstream.weather = answer(forecast(weather=[day, value]))
        got, weather = get(gateway, f"/weather?query=h{number}")
        assert got.status == 200 and weather["days"][0]["hourly"][1]["time"] == "03:00", (value, got)
        upstream.search = answer({"search_api": {"result": [place(), value, place(longitude=value, latitude=value, population=value, areaName=value, region=value), place("Last")]}})
        got, page = get(gateway, f"/weather/locations?query=h{number}")
        assert got.status == 200 and page["results"][0]["name"] == "Fine" and page["results"][-1]["name"] == "Last", (value, got)
        for whole in ({"data": value}, {"search_api": value}, {"search_api": {"result": value}}, value):
            number += 1
            upstream.search = upstream.weather = answer(whole)
            assert get(gateway, f"/weather?query=h{number}")[0].status == 502 or whole is None
            assert get(gateway, f"/weather/locations?query=h{number}")[0].status in (200, 502), whole
