#!/usr/bin/env bash
# The viewer has words for the events of src/trace/event.def: for every one of them, and for accesses the same verbs.
python3 - "$ROOT" <<'END'
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
row = re.compile(r'^FORETELL_EVENT\(\w+, *(\w+), *\w+, *(\w+), *"[^"]*", *"([^"]*)"', re.M)
events = {word: (kind, verb) for word, kind, verb in row.findall((root / "src/trace/event.def").read_text())}
assert len(events) > 30, "rows of event.def are not recognized"


def table(path, name):
    text = (root / "web/src/core" / path).read_text()
    body = re.search(rf"const {name}: Record<string, \w+> = {{\n(.*?)\n}};", text, re.S)[1]
    return dict(re.findall(r"^  (\w+): '([^']*)',$", body, re.M))


wrong = []
verbs = table("words.ts", "verbs")
wrong += [f"words.ts has no word for '{word}'" for word in events if word not in verbs]
for name, words in [("words.ts: verbs", verbs), ("words.ts: families", table("words.ts", "families")),
                    ("story.ts: eventVerbs", table("story.ts", "eventVerbs"))]:
    wrong += [f"{name}: there is no event '{word}'" for word in words if word not in events]
told = table("story.ts", "eventVerbs")
for word, (kind, verb) in events.items():
    expected = ("atomically " if kind == "atomic_access" else "") + verb
    if verb and told.get(word) != expected:
        wrong.append(f"story.ts: '{word}' is '{told.get(word)}', but event.def says '{expected}'")
# The page that is built has the same tables.
page = (root / "web/dist/viewer.html").read_text()
for words in (verbs, told):
    wrong += [f"dist/viewer.html does not have {word}: {text}; build it" for word, text in words.items()
              if not re.search(rf"[{{,]{word}:[`'\"]{re.escape(text)}[`'\"]", page)]
print("\n".join(wrong))
sys.exit(bool(wrong))
END
