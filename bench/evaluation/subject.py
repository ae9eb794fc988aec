"""What bench/evaluation/run and tests/subject/run know about a program of bench/programs.

A subject opens with a comment:

    // test: 4 2 2              arguments for a test: a small run
    // speed: 320 4             arguments for measuring time; only compute-bound programs have any
    // determinism: 2 3         arguments for a row of bench/determinism; may be repeated
    // BUG(name) class: ...     a bug, and from what kind of run it can be told (CLASSES)

and the lines that take part in the bug end with `// BUG(name)`. A finding is a bug's if all of its
events stand on lines with the bug's name.
"""
import re
import subprocess
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"

CLASSES = {
    "every run": "a happens-before race of the default run, and of nearly every other",
    "some runs": "a happens-before race of some runs",
    "predicted": "hidden from happens-before in most runs; predictive analyses see it",
    "deadlock": "no race: threads that block each other",
    "result": "not a race: the schedule decides a value that is read at the end",
}
# Those that see what is marked `predicted`, as `foretell list analyses` calls them.
PREDICTIVE = {"sync_preserving", "causally_precedes", "wcp", "predictable", "must_before"}


class Subject:
    """name, source, test (arguments), speed (arguments or None), determinism (lists of arguments),
    bugs (name -> class)."""

    def __init__(self, source):
        self.source = Path(source)
        self.name = self.source.stem
        self.test, self.speed, self.determinism, self.bugs = [], None, [], {}
        self._marks = {}  # line -> names
        leading = True
        for number, line in enumerate(self.source.read_text(encoding="utf-8").splitlines(), 1):
            leading = leading and line.startswith("//")
            if leading:
                self._read_header(line)
            else:
                names = set(re.findall(r"BUG\((\w+)\)", line))
                if names:
                    self._marks[number] = names
        self.lines = number
        marked = set().union(*self._marks.values()) if self._marks else set()
        if marked != set(self.bugs):
            raise ValueError(f"{self.source}: marks and header differ: {marked ^ set(self.bugs)}")

    def _read_header(self, line):
        if match := re.match(r"// (test|speed): (.*)", line):
            setattr(self, match[1], match[2].split())
        elif match := re.match(r"// determinism: (.*)", line):
            self.determinism.append(match[1].split())
        elif match := re.match(r"// BUG\((\w+)\) ([a-z ]+):", line):
            if match[2] not in CLASSES:
                raise ValueError(f"{self.source}: no such class of bugs: {match[2]}")
            self.bugs[match[1]] = match[2]

    def bugs_of(self, finding):
        """Names of the bugs it shows; none if it is not documented. A thread that waits in a
        deadlock for another one to end says nothing about the bug."""
        common = set(self.bugs)
        for event in finding["events"]:
            if event["op"] == "join":
                continue
            match = re.match(r"(.*?):(\d+)(?::\d+)?$", event["site"])
            ours = match and Path(match[1]).name == self.source.name
            common &= self._marks.get(int(match[2]), set()) if ours else set()
        return common

    def compile(self, compiler, target):
        """compiler is a pair of commands, for C and for C++."""
        command = compiler[0] if self.source.suffix == ".c" else [*compiler[1], "-std=c++20"]
        subprocess.run([*command, "-O1", "-g", "-pthread", str(self.source), "-o", str(target), "-lm"],
                       check=True)


def all_subjects():
    files = [path for path in PROGRAMS.iterdir() if path.suffix in (".c", ".cc")]
    return sorted((Subject(path) for path in files), key=lambda subject: subject.name)


def known_analyses(foretell):
    """name -> whether `foretell run` uses it by default."""
    table = subprocess.run([foretell, "list", "analyses"], check=True, capture_output=True, text=True)
    header, *rows = [line.split() for line in table.stdout.splitlines()]
    default = header.index("default")
    return {row[0]: row[default] == "yes" for row in rows if row}


def sites_of(finding):
    """The pair of places by which races are counted."""
    return tuple(sorted(event["site"] for event in finding["events"]))
