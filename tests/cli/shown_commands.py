#!/usr/bin/env python3
"""Fails if a page of the manual shows a `foretell` command that no test runs.

shown_commands.py ROOT PAGE FORETELL

* In a code block: only blocks marked `console` may have one, because those are run (run_document.py). Exceptions are
  listed below, each with its reason.
* In running text and tables (`foretell dump TRACE --to=ftrace`): the command exists and has these options, and the
  `console` blocks of the manual, of any page, run it with each of them. In a row of a table that begins with a command
  the options alone are that command's.
* An option alone (`--gen-suppressions`) is an option of some command, unless it is listed below as another program's."""

import functools
import re
import subprocess
import sys
from pathlib import Path

# (page, what the line contains): why nobody runs it.
EXCEPTIONS = {
    ("design.md", "prog.c ──foretell cc/c++──▶"): "a picture of the parts",
}
OTHERS_OPTIONS = {
    "--as-needed": "the linker's",
    "--tables": "bench/evaluation/atomicity's",
    "--inversions": "bench_generate's",
    "--locks": "bench_generate's",
    "--racy": "bench_generate's",
    "--waits": "bench_generate's",
}
COMMAND = re.compile(r"\bforetell ((?:tiddle |list |property |runs (?=clean)|schedules (?=show|draw|explain|verify|tests))?[a-z][a-z+|]*)((?: +[^`;&]*)?)")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def blocks_and_text(page):
    """(information string or None for text, number of the line from 1, the line) of each line."""
    info, fence = None, False
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
            info = line.strip()[3:].strip() if fence else None
        else:
            yield info, number, line


def calls(text):
    """(command, options) of each call of foretell in a text; `run|analyze` are two."""
    for words, rest in COMMAND.findall(text):
        first, _, second = words.partition(" ")
        names = [f"{first} {name}" for name in second.split("|")] if second else first.split("|")
        options = OPTION.findall(re.split(r" -- |\\\| | \| ", rest + " ")[0])
        for name in names:
            yield name, [] if name in ("cc", "c++") else options


@functools.cache
def help_of(foretell, command):
    """What --help prints, None if there is no such command. The compilers hand it on to clang."""
    if command in ("cc", "c++"):
        return ""
    done = subprocess.run([foretell, *command.split(), "--help"], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def has_option(help_text, option):
    return re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", help_text) is not None


def main():
    root, page, foretell = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    manual = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    run = {}
    for each in manual:
        for info, _, line in blocks_and_text(each):
            if info == "console" and line.startswith("$ "):
                for name, options in calls(line):
                    run.setdefault(name, set()).update(options)
    commands = re.findall(r"^  ([a-z+]+) ", help_of(foretell, ""), re.M)
    helps = [help_of(foretell, command) for command in commands]
    wrong = []

    def complain(number, text):
        wrong.append(f"{page}:{number}: error: {text}")

    for info, number, line in blocks_and_text(page):
        if any(name == page.name and part in line for name, part in EXCEPTIONS):
            continue
        if info is not None:
            if info != "console" and any(name.split()[0] in commands for name, _ in calls(line)):
                complain(number, "a command in a block that nobody runs: mark it ```console and show what it prints")
            continue
        if re.match(r" {4,}(\$ )?foretell ", line):
            complain(number, "a command in an indented block, which nobody runs: use a ```console block")
            continue
        spans = re.findall(r"`([^`]+)`", line)
        row_of = next((name for name, _ in calls(spans[0])), None) if line.startswith("| `foretell ") else None
        for span in spans:
            if row_of and re.match("--?[a-z]", span):
                span = f"foretell {row_of} {span}"
            for name, options in calls(span):
                if name.split()[0] not in commands or help_of(foretell, name) is None:
                    complain(number, f"there is no 'foretell {name}'")
                    continue
                for option in options:
                    if not has_option(help_of(foretell, name), option):
                        complain(number, f"'foretell {name}' has no option {option}")
                    elif option not in run.get(name, ()):
                        complain(number, f"no console block of the manual runs 'foretell {name}' with {option}")
                if name not in run:
                    complain(number, f"no console block of the manual runs 'foretell {name}'")
            if span.startswith("--"):
                option = OPTION.match(span)
                if option and option[0] not in OTHERS_OPTIONS and not any(has_option(h, option[0]) for h in helps):
                    complain(number, f"no command has an option {option[0]}")
    for each in wrong:
        print(each, file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
