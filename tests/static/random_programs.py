#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_programs.py FIRST LAST: foretell check against an enumeration of all executions.

Makes a small program with threads for each seed, looks for a state of some execution in which two threads are
about to touch one variable, one of them to write, and compares: "race-free" must never be said of such a program.
Prints how many of the race-free ones were proved."""
import itertools
import os
import random
import subprocess
import sys
import tempfile

VARIABLES, LOCKS = 3, 2


def make_body(rng, depth):
    body, held = [], []
    for _ in range(rng.randint(1, 5)):
        kind = rng.random()
        if kind < 0.45:
            body.append(("access", rng.randrange(VARIABLES), rng.random() < 0.5))
        elif kind < 0.75 and len(held) < LOCKS:
            lock = rng.randrange(LOCKS)
            if lock not in held:
                held.append(lock)
                body.append(("lock", lock))
        elif held:
            body.append(("unlock", held.pop()))
        elif kind > 0.9 and depth == 0:
            body.append(("if", make_body(rng, 1)))
    return body + [("unlock", lock) for lock in reversed(held)]


def make_program(rng):
    threads = [make_body(rng, 0) for _ in range(rng.randint(1, 3))]
    main, alive = [], []
    for thread in range(len(threads)):
        if rng.random() < 0.4:
            main += make_body(rng, 1)
        main.append(("create", thread))
        alive.append(thread)
        while alive and rng.random() < 0.35:
            main.append(("join", alive.pop(rng.randrange(len(alive)))))
    if rng.random() < 0.7:
        main += make_body(rng, 1)
    rng.shuffle(alive)
    main += [("join", thread) for thread in alive if rng.random() < 0.7]
    return threads, main + make_body(rng, 1)


def statement(step, indent):
    kind, number = step[0], step[1]
    if kind == "access":
        return indent + (f"g{number} = 1;" if step[2] else f"(void)*(int *)&g{number};")
    if kind == "create":
        return f"{indent}pthread_create(&h{number}, 0, t{number}, 0);"
    if kind == "join":
        return f"{indent}pthread_join(h{number}, 0);"
    if kind == "if":
        inner = "\n".join(statement(one, indent + "  ") for one in step[1])
        return f"{indent}if (__VERIFIER_nondet_int()) {{\n{inner}\n{indent}}}"
    return f"{indent}pthread_mutex_{kind}(&m{number});"


def source(threads, main):
    def names(letter, count):
        return ", ".join(f"{letter}{i}" for i in range(count))
    lines = ["#include <pthread.h>", "extern int __VERIFIER_nondet_int(void);",
             f"int {names('g', VARIABLES)};", f"pthread_mutex_t {names('m', LOCKS)};"]
    for i, thread in enumerate(threads):
        lines += [f"void *t{i}(void *unused) {{", *(statement(s, "  ") for s in thread), "  return 0;\n}"]
    lines += ["int main(void) {", f"  pthread_t {names('h', len(threads))};",
              *(statement(s, "  ") for s in main), "  return 0;\n}"]
    return "\n".join(lines) + "\n"


def paths(body):
    found = [[]]
    for step in body:
        ways = [[]] + paths(step[1]) if step[0] == "if" else [[step]]
        found = [path + way for path in found for way in ways]
    return found


def about_to_race(steps):
    accesses = [step for step in steps if step[0] == "access"]
    return any(a[1] == b[1] and (a[2] or b[2]) for a, b in itertools.combinations(accesses, 2))


def has_race(bodies):
    """Whether a state with a race can be reached; body 0 is main, whose end is the end."""
    start = (tuple([0] + [-1] * (len(bodies) - 1)), ())
    seen, left = {start}, [start]
    while left:
        at, held = left.pop()
        if at[0] >= len(bodies[0]):
            continue
        next_steps = [(t, bodies[t][i]) for t, i in enumerate(at) if 0 <= i < len(bodies[t])]
        if about_to_race([step for _, step in next_steps]):
            return True
        for thread, step in next_steps:
            places, locks = list(at), set(held)
            places[thread] += 1
            if step[0] == "lock":
                if step[1] in locks:
                    continue
                locks.add(step[1])
            elif step[0] == "unlock":
                locks.discard(step[1])
            elif step[0] == "create":
                places[step[1] + 1] = 0
            elif step[0] == "join" and at[step[1] + 1] < len(bodies[step[1] + 1]):
                continue
            state = (tuple(places), tuple(sorted(locks)))
            if state not in seen:
                seen.add(state)
                left.append(state)
    return False


def main():
    racy = free = proved = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            threads, body = make_program(random.Random(seed))
            path = os.path.join(folder, "program.c")
            with open(path, "w") as file:
                file.write(source(threads, body))
            choices = itertools.product(paths(body), *(paths(thread) for thread in threads))
            truth = any(has_race(choice) for choice in choices)
            status = subprocess.run([os.environ["FORETELL"], "check", "--races", path],
                                    stdout=subprocess.DEVNULL).returncode
            if status not in (0, 66) or (truth and status == 0):
                print(f"seed {seed}: exit status {status}, and it is {'racy' if truth else 'race-free'}:")
                print(source(threads, body))
                wrong += 1
            racy += truth
            free += not truth
            proved += not truth and status == 0
    print(f"{racy} racy, none may be proved: {wrong} wrong; {free} race-free, {proved} proved")
    sys.exit(1 if wrong else 0)


main()
