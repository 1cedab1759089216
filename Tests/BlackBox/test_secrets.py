"""What signs requests reaches its own upstream and nothing else: no log, no answer, no listing, in no coding."""
import base64
import hashlib
import json
import urllib.parse

import pytest

from program import Program, run
from scripted import Upstream, answer
from wire import ask

KEYS = {"HEADER_KEY": "canary/header+key=1", "QUERY_KEY": "canary query&key#2", "PUBLIC_KEY": "canary-public-3", "PRIVATE_KEY": "canary-private-4",
        "FIXED_KEY": "canary-fixed-5"}
CONTRACT = """openapi: 3.1.0
info: {title: Keyed, version: "1"}
x-sluice-upstreams:
  header: {url: "%(url)s/header", retries: 0, timeout: 1s, auth: {type: header, name: Authorization, value: "Client-ID ${HEADER_KEY}"}, headers: {X-Fixed: "${FIXED_KEY}"}}
  query: {url: "%(url)s/query", retries: 0, timeout: 1s, auth: {type: query, name: key, value: "${QUERY_KEY}"}}
  signed: {url: "%(url)s/signed", retries: 0, timeout: 1s, auth: {type: md5-query, timestamp: ts, key: apikey, digest: hash, public: "${PUBLIC_KEY}", private: "${PRIVATE_KEY}"}}
paths:
""" + "".join(f"""  /{name}/{{case}}:
    get:
      operationId: {name}
      parameters: [{{name: case, in: path, required: true, schema: {{type: string}}}}, {{name: q, in: query, schema: {{type: string}}}}]
      x-sluice: {{upstream: {name}, path: "/{{case}}", deadline: 2s}}
      responses: {{"200": {{description: It., content: {{application/json: {{schema: {{type: object}}}}}}}}}}
""" for name in ("header", "query", "signed"))


def forms(secret):
    """A secret as it may stand somewhere."""
    raw = secret.encode()
    yield raw
    yield urllib.parse.quote(secret, safe="").encode()
    yield urllib.parse.quote_plus(secret).encode()
    yield json.dumps(secret)[1:-1].encode()
    yield hashlib.md5(raw).hexdigest().encode()
    for lead in range(3):
        # The part of a Base64 text that doesn't depend on what stands around it.
        yield base64.b64encode(b"x" * lead + raw)[4 if lead else 0:-4]


def misbehave(call):
    case = call.path.rsplit("/", 1)[1]
    echo = {"line": call.lines[0], "fields": call.lines[1:]}
    return {
        "good": answer({"fine": True}), "error": answer(echo, "500 Oops"), "denied": answer(echo, "401 Unauthorized"),
        "missing": answer(echo, "404 Not Found"), "garbage": answer(json.dumps(echo).encode() + b"]"),
        "redirect": answer(b"", "302 Found", [f"Location: http://other.test{call.target}"]),
        "fields": answer({"fine": True}, fields=[f"X-Echo: {call.target}", f"Link: <{call.target}>; rel=next"]),
        "closed": None,
    }[case]


@pytest.mark.parametrize("from_files", [False, True], ids=["environment", "files"])
def test_secrets_are_never_shown(contract, tmp_path, from_files):
    env = dict(KEYS)
    if from_files:
        env = {}
        for name, value in KEYS.items():
            (tmp_path / name).write_text(value + "\n")
            env[name + "_FILE"] = str(tmp_path / name)
    shown = []
    with Upstream(misbehave) as upstream:
        path = contract(CONTRACT % {"url": upstream.url})
        for command in (["check", path], ["routes", path], ["get", "--contracts", path, "/query/error"], ["get", "--contracts", path, "/signed/good"]):
            shown += [text.encode() for text in run(*command, env=env)[1:]]
        with Program("serve", path, "--port", "0", "--workers", "1", "--log-level", "debug", "--log-format", "json", env=env) as program:
            upstream.reset()
            for name in ("header", "query", "signed"):
                for case in ("good", "error", "denied", "missing", "garbage", "redirect", "fields", "closed", "good"):
                    got = ask(program.port, f"/{name}/{case}?q=x")
                    if case == "good":
                        assert got.status == 200
                    shown += [got.body, repr(got.fields).encode()]
            for target in ("/", "/openapi.json", "/readyz", "/healthz", "/query/good?key=x", "/nothing"):
                got = ask(program.port, target)
                shown += [got.body, repr(got.fields).encode()]
            shown.append(open(f"/proc/{program.pid}/cmdline", "rb").read())
        shown += [program.log.encode(), program.line.encode(), *program.rest]
        calls = list(upstream.calls)
    everything = b"\n".join(shown)
    for name, secret in KEYS.items():
        for form in forms(secret):
            assert form not in everything, f"{name} was shown as {form!r}"

    # The upstreams did get what they need, each only its own.
    by_name = {name: [call for call in calls if call.path.startswith("/" + name)] for name in ("header", "query", "signed")}
    for call in by_name["header"]:
        assert call.fields["authorization"] == "Client-ID " + KEYS["HEADER_KEY"] and call.fields["x-fixed"] == KEYS["FIXED_KEY"]
        assert call.target.split("?")[1] == "q=x"
    for call in by_name["query"]:
        assert urllib.parse.parse_qs(call.target.split("?")[1])["key"] == [KEYS["QUERY_KEY"]]
        assert "authorization" not in call.fields
    for call in by_name["signed"]:
        query = {key: values[0] for key, values in urllib.parse.parse_qs(call.target.split("?")[1]).items()}
        text = query["ts"] + KEYS["PRIVATE_KEY"] + KEYS["PUBLIC_KEY"]
        assert query["apikey"] == KEYS["PUBLIC_KEY"] and query["hash"] == hashlib.md5(text.encode()).hexdigest()
    assert all(by_name.values())


def test_a_literal_secret_is_a_mistake(contract):
    path = contract((CONTRACT % {"url": "http://127.0.0.1:1"}).replace("${QUERY_KEY}", "canary-literal"))
    status, _, err = run("check", path)
    assert status == 1 and ":5:" in err and "canary-literal" not in err
