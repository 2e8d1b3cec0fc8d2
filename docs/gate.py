"""A gate that decides by the entitlement list: Python 3.9 or later, and nothing else. See gate.md."""

import base64, hashlib, hmac, json, os, sys, unicodedata, urllib.error, urllib.request
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

LOOKS_LIKE = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕІЅЈКМНОРСТУХĐĦŁØŦ", "ABEZHIKMNOPTYXABEISJKMHOPCTYXDHLOT"))


def is_letter_of_ours(c):
    return c.isascii() and c.isalpha()


def invents_letters(part):
    """Only case or compatibility would make letters of it, as of ß and ﬁ: a guess that would invent a plate."""
    if part.isascii():
        return False
    if any(map(is_letter_of_ours, part.lower().upper())):
        return True
    compatible = unicodedata.normalize("NFKD", part)
    return compatible != part and any(is_letter_of_ours(LOOKS_LIKE.get(c, c)) for c in compatible.upper())


def normalize(plate):
    """The form in which plates are compared; None if the plate must be refused."""
    read = ""
    for c in plate:
        if "\uff01" <= c <= "\uff5e":  # Full-width forms.
            c = chr(ord(c) - 0xFEE0)
        for part in unicodedata.normalize("NFD", c):
            if unicodedata.category(part).startswith("M"):
                continue
            if invents_letters(part):
                return None
            for letter in (LOOKS_LIKE.get(c, c) for c in part.upper()):
                if unicodedata.category(letter).startswith("L") or unicodedata.category(letter) == "Nd":
                    read += letter
    read = unicodedata.normalize("NFC", read)
    return read if 1 <= len(read) <= 15 else None


class PlateHash:
    """How plates are written in the lists of one access token."""

    def __init__(self, token):
        secret = self.mac(bytes(32), hashlib.sha256(token.encode()).digest())
        self.key = self.mac(secret, b"entitlement-list/1\x01")
        self.key_id = hashlib.sha256(self.key).hexdigest()[:8]

    @staticmethod
    def mac(key, data):
        return hmac.new(key, data, hashlib.sha256).digest()

    def of(self, normal_plate):
        return base64.urlsafe_b64encode(self.mac(self.key, normal_plate.encode())[:12]).decode()


class TakeFullList(Exception):
    """The list that is held counts no more."""


class HeldList:
    """The entries of a facility by plate. A round of pages changes it as a whole, or not at all."""

    def __init__(self, plate_hash):
        self.plate_hash, self.header, self.cursor, self.entries, self.by_plate = plate_hash, None, None, {}, {}
        self.ahead = timedelta()

    def take(self, pages):
        """Takes all pages of a full list or of a delta. ValueError: one is damaged, ask again."""
        entries = dict(self.entries)
        for number, page in enumerate(pages):
            header, *lines, end = [json.loads(line) for line in page.splitlines()]
            if header["type"] != "list" or end.get("type") != "end" or end["lines"] != len(lines):
                raise ValueError("a page is cut short")
            if header["plate_hash"]["key_id"] != self.plate_hash.key_id:
                raise TakeFullList("the list belongs to another token")
            if header["mode"] == "full" and number == 0:
                entries = {}
            for line in lines:
                entries.pop(line["id"], None)
                if line["type"] == "entry":
                    entries[line["id"]] = line
        self.header, self.cursor, self.entries, self.by_plate = header, end["cursor"], entries, {}
        for entry in entries.values():
            self.by_plate.setdefault(entry["plate"], []).append(entry)

    def judge(self, plate, event, now=None):
        """True: open. None: unknown, which is never a no; the car park's own rule counts."""
        normal, at = normalize(plate), datetime.fromisoformat
        if normal is None or self.header is None:
            return None
        facility, as_of = self.header["facility"], at(self.header["as_of"])
        now = now or datetime.now(timezone.utc) + self.ahead
        if not as_of - timedelta(seconds=30) <= now < at(self.header["valid_until"]):
            return None
        if not (facility["service_enabled"] and facility["plate_control_enabled"]):
            return None
        now = max(now, as_of)
        early = timedelta(minutes=facility["entry_grace_minutes"] if event != "exit" else 0)
        late = timedelta(minutes=facility["exit_grace_minutes"] if event != "entry" else 0)
        for entry in self.by_plate.get(self.plate_hash.of(normal), []):
            if entry["kind"] == "session":
                begin, end = at(entry["from"]), at(entry["until"])
                gone = entry.get("cancelled_at") and at(entry["cancelled_at"]) <= now
                if begin < end and not gone and begin <= now + early and now - late < end:
                    return True
            elif entry["kind"] == "subscription" and facility["subscription_access"]:
                if any(at(s["from"]) <= now and (not s["until"] or now < at(s["until"])) for s in entry["valid"]):
                    return True
        return None


def ask(held, url, token, area, cursor=None):
    """All pages of a full list, or with a cursor of the changes since. The service's clock counts."""
    pages, more = [], True
    while more:
        query = f"?cursor={cursor}" if cursor else ""
        request = urllib.request.Request(
            f"{url}/api/v2/facilities/{area}/entitlement-list{query}", headers={"Authorization": f"Bearer {token}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                held.ahead = parsedate_to_datetime(answer.headers["Date"]) - datetime.now(timezone.utc)
                pages.append(answer.read().decode())
        except urllib.error.HTTPError as refused:
            if refused.code == 410:
                raise TakeFullList("the cursor is gone")
            raise SystemExit(f"no list: {refused.read().decode()}")
        end = json.loads(pages[-1].splitlines()[-1])
        cursor, more = end.get("cursor"), end.get("more")
    return pages


def main():
    url, token, area = os.environ["URL"], os.environ["TOKEN"], "BOLZANO"
    held = HeldList(PlateHash(token))
    held.take(ask(held, url, token, area))
    try:  # Each minute:
        held.take(ask(held, url, token, area, held.cursor))
    except TakeFullList:
        held.take(ask(held, url, token, area))
    for plate, event in zip(sys.argv[1::2], sys.argv[2::2]):
        print("open" if held.judge(plate, event) else "ask the attendant")


if __name__ == "__main__":
    main()
