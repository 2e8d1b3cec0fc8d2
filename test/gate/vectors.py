"""Plays docs/gate-vectors.json to docs/gate.py, and prints what differs."""

import json, sys
from datetime import datetime

sys.path.insert(0, "docs")
from gate import HeldList, PlateHash, TakeFullList, normalize

vectors = json.load(open("docs/gate-vectors.json"))
plate_hash = PlateHash(vectors["token"])
wrong = []


def expect(what, found, expected):
    if found != expected:
        wrong.append(f"{what}: {found!r}, not {expected!r}")


expect("key_id", plate_hash.key_id, vectors["key_id"])
for one in vectors["plates"]:
    expect(one["raw"], normalize(one["raw"]), one["normalized"])
for one in vectors["hashes"]:
    expect(one["plate"], plate_hash.of(one["plate"]), one["hash"])
held = HeldList(plate_hash)
for step in vectors["steps"]:
    try:
        held.take(step["pages"])
        outcome = "held"
    except TakeFullList:
        outcome = "take_full_list"
    except ValueError:
        outcome = "ask_again"
    expect(step["what"], outcome, step["outcome"])
    expect(f'{step["what"]}: entries', sorted(held.entries), step["entries"])
    for one in step["decisions"]:
        opens = held.judge(one["plate"], one["event"], datetime.fromisoformat(one["at"])) is True
        expect(f'{step["what"]}: {one}', opens, one["opens"])
print("\n".join(wrong))
