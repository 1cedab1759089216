"""Canary keys, an upstream that repeats them, and the search for them in whatever was shown."""
import base64
import hashlib
import html
import re
import unicodedata
import urllib.parse

from scripted import Upstream

PUBLIC, PRIVATE, WEATHER = "9xk4wq7ztb2g1fnp8hd3ry6659bbjm0e", "d0s7vb3ue9l158yfxa4gc26ie1h739db50w6ft2c", "7/f2 c9+1&ad0=48%e6b3"
ENV = {"MARVEL_PUBLIC_KEY": PUBLIC, "MARVEL_PRIVATE_KEY": PRIVATE, "WWO_KEY": WEATHER}
KEYS = set(ENV.values())
# As much of a key, and of a digest, as may not be shown; fewer digits stand in a request's own number by chance.
PIECE, DIGITS = 8, 12


def readings(text):
    """A text as it stands, and as somebody reads it who takes every coding off."""
    seen = {text}
    for decoded in (urllib.parse.unquote, urllib.parse.unquote_plus):
        known = text
        for _ in range(3):
            known = re.sub(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))", lambda found: chr(int(found[1] or found[2], 16)), known).replace("\\/", "/")
            known = decoded(html.unescape(known), errors="replace")
        seen |= {known, re.sub(r"(\\[rn]|[\r\n])+ *", "", known)}
        # Signs that nobody sees between the letters, and marks upon them.
        seen.add("".join(sign for sign in unicodedata.normalize("NFKD", known) if sign.isascii() or unicodedata.category(sign) not in ("Mn", "Cf")))
    return seen


def pieces(secret, length):
    return {secret[start:start + length].lower() for start in range(len(secret) - length + 1)}


def base64_of(secret):
    """The parts of a Base64 text that don't depend on what stands around it."""
    for lead in range(3):
        for coded in (base64.b64encode, base64.urlsafe_b64encode):
            yield coded(b"x" * lead + secret.encode())[4 if lead else 0:-4].decode()


def shown_of(text, secrets):
    """The pieces of secrets that stand in a text in any coding and case."""
    keys = {piece for secret in secrets if secret in KEYS for piece in pieces(secret, PIECE)}
    keys |= {piece for secret in secrets if secret in KEYS for coded in base64_of(secret) for piece in pieces(coded, DIGITS)}
    digests = {piece for secret in secrets if secret not in KEYS for piece in pieces(secret, DIGITS)}
    found = set()
    for known in readings(text):
        known = known.lower()
        found |= {piece for piece in keys if piece in known}
        for run_of_digits in re.findall(r"[0-9a-f]{%d,}" % DIGITS, known):
            found |= pieces(run_of_digits, DIGITS) & digests
    return found


class Echo(Upstream):
    """An upstream that keeps every digest that it was asked with, and answers as `case(call, here)` says."""

    def __init__(self, case):
        self.case = case
        self.digests = set()
        super().__init__(self.reply)

    def reply(self, call):
        query = urllib.parse.parse_qs(call.target.partition("?")[2])
        if "hash" in query:
            text = query["ts"][0] + PRIVATE + PUBLIC
            assert query["hash"][0] == hashlib.md5(text.encode()).hexdigest() and query["apikey"] == [PUBLIC]
            with self.lock:
                self.digests.add(query["hash"][0])
        elif "premium" in call.path:
            assert query["key"] == [WEATHER]
        else:
            assert "key" not in query and not shown_of(call.target, [PUBLIC, WEATHER])
        return self.case(call, f"{self.url}{call.target}")

    @property
    def env(self):
        return {**ENV, "MARVEL_URL": self.url + "/v1/public", "WWO_URL": self.url + "/premium/v1", "SWAPI_URL": self.url + "/api"}

    @property
    def secrets(self):
        with self.lock:
            return [PUBLIC, PRIVATE, WEATHER, *self.digests]


def secrets_of(call):
    query = urllib.parse.parse_qs(call.target.partition("?")[2])
    return [query[name][0] for name in ("apikey", "hash", "key") if name in query]


class Shown:
    """Everything that was printed and answered, with where."""

    def __init__(self):
        self.texts = []

    def add(self, where, text):
        self.texts.append((where, text if isinstance(text, str) else text.decode("utf-8", errors="replace")))

    def check(self, secrets):
        # Most texts are the same but for numbers, and a search of all at once is enough where nothing is found.
        if not shown_of("\n".join(text for _, text in self.texts), secrets):
            return
        for where, text in self.texts:
            found = shown_of(text, secrets)
            assert not found, f"{where} shows {found} in {text[:3000]!r}"
