#!/usr/bin/env python3
"""Runs the commands of a manual page in the current folder and compares what they print.

run_document.py DOCUMENT [--update]

    ```cpp file=account.h     writes the block to that file
    ```console                `$ COMMAND` lines are run, each by bash, one after the other in this folder;
                              `$?` is the status of the one before. What follows up to the next `$` is what
                              it prints, standard error too; a line `...` stands for any lines. Lines that begin
                              with `(gdb) ` are its standard input.

Times, addresses, process ids and the name of this folder differ from machine to machine and are not
compared. --update writes what was printed into the document; look at the difference before you keep it."""

import os
import re
import subprocess
import sys

PROMPT = "(gdb) "


def comparable(line):
    line = line.replace(os.getcwd(), "/home/you/bank").replace(os.path.realpath(os.getcwd()), "/home/you/bank")
    line = re.sub(r"0x[0-9a-f]+", "0x...", line)
    line = re.sub(r"\b(LWP|process|pid=|start_time_ns=) ?\d+", r"\1 N", line)
    line = re.sub(r"\d+\.\d+( sec| ?s\b| MB)", r"N\1", line)
    line = re.sub(r"\d+\.\d{3}\b", "N", line)
    line = re.sub(r"(127\.0\.0\.1):\d+/[0-9a-f]{32}", r"\1:PORT/TOKEN", line)
    line = re.sub(r"\.{3,}", "..", line) if line.strip() != "..." else line
    return re.sub(r"\s+", " ", line).strip()


def matches(expected, printed):
    """Whether lines match, where `...` is any number of lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])


class Command:
    def __init__(self, text):
        self.text, self.lines = text, []

    def run(self, status):
        given = "".join(line[len(PROMPT):] + "\n" for line in self.lines if line.startswith(PROMPT))
        done = subprocess.run(["bash", "-c", f"(exit {status}); {self.text}"], input=given, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.printed = done.stdout.replace(PROMPT, "").rstrip("\n").split("\n") if done.stdout else []
        return done.returncode

    def is_as_shown(self):
        expected = [comparable(line) for line in self.lines if not line.startswith(PROMPT)]
        return matches([line for line in expected if line], [l for l in map(comparable, self.printed) if l])


def blocks(text):
    """(information string, first line, last line) of each fenced block; lines count from 0."""
    begin = None
    for number, line in enumerate(text):
        if not line.startswith("```"):
            continue
        if begin is None:
            begin = number
        else:
            yield text[begin][3:].strip(), begin + 1, number
            begin = None


def commands_of(lines):
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append(Command(line[2:]))
        else:
            commands[-1].lines.append(line)
    return commands


def main():
    path, update = sys.argv[1], "--update" in sys.argv[2:]
    text = open(path).read().split("\n")
    status, wrong, count, replaced = 0, 0, 0, []
    for info, begin, end in blocks(text):
        if file := re.search(r"file=(\S+)", info):
            os.makedirs(os.path.dirname(file[1]) or ".", exist_ok=True)
            with open(file[1], "w") as out:
                out.write("\n".join(text[begin:end]) + "\n")
        if info != "console":
            continue
        shown = []
        for command in commands_of(text[begin:end]):
            status = command.run(status)
            count += 1
            same = command.is_as_shown()
            if not same:
                wrong += 1
                print(f"$ {command.text}\n-- shown\n" + "\n".join(command.lines) + "\n-- printed\n" +
                      "\n".join(command.printed), file=sys.stderr)
            here = [line.replace(os.getcwd(), "/home/you/bank") for line in command.printed]
            inputs = [line for line in command.lines if line.startswith(PROMPT)]
            shown += ["$ " + command.text] + (command.lines if same else inputs + here)
        replaced.append((begin, end, shown))
    if update:
        for begin, end, shown in reversed(replaced):
            text[begin:end] = shown
        with open(path, "w") as out:
            out.write("\n".join(text))
    print(f"{count} commands, {wrong} printed something else than {os.path.basename(path)} shows")
    return 1 if wrong or count == 0 else 0


sys.exit(main())
