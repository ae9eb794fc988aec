#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_determinism.py FIRST LAST [--keep FOLDER]: foretell check against an enumeration of all executions.

Makes a small program with threads for each seed and enumerates its executions for two inputs. A program is
deterministic if, for each input, all executions that end have the same final memory and each thread reads the same
values, reductions aside, whose own reads may differ. "deterministic" must never be said of another, nor "same
result in any order" of one whose final memory differs. Prints how many were proved."""
import os
import random
import subprocess
import sys
import tempfile

VARIABLES, LOCKS, INPUTS = 3, 2, (0, 1)


# Statements: ("set", v, expression), ("add", v, expression), ("mul", v, n), ("lock", l), ("unlock", l),
# ("if", v or "in", body), ("try", l, body), ("create", t), ("join", t), ("out", n).
# Expressions: ("n", number), ("v", variable), ("in",).
def expression(rng):
    kind = rng.random()
    if kind < 0.6:
        return ("n", rng.randint(-1, 2))
    return ("v", rng.randrange(VARIABLES)) if kind < 0.85 else ("in",)


def make_body(rng, depth, own):
    body = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        variable = own if own is not None and rng.random() < 0.7 else rng.randrange(VARIABLES)
        if kind < 0.35:
            body.append(("set", variable, expression(rng)))
        elif kind < 0.6:
            lock = rng.randrange(LOCKS)
            one = ("add", variable, expression(rng)) if rng.random() < 0.8 else ("mul", variable, 2)
            body += [("lock", lock), one, ("unlock", lock)] if rng.random() < 0.85 else [one]
        elif kind < 0.75 and depth == 0:
            condition = "in" if rng.random() < 0.5 else rng.randrange(VARIABLES)
            body.append(("if", condition, make_body(rng, 1, own)))
        elif kind < 0.8 and depth == 0:
            body.append(("try", rng.randrange(LOCKS), make_body(rng, 1, own)))
        elif kind < 0.84:
            body.append(("out", rng.randrange(3)))
        else:
            body.append(("add", variable, ("n", 1)))
    return body


def make_program(rng):
    count = rng.randint(1, 3)
    discipline = rng.random()
    threads = []
    for thread in range(count):
        if discipline < 0.3:  # a variable each
            threads.append([("set", thread, expression_of(rng, thread)) for _ in range(rng.randint(1, 2))])
        elif discipline < 0.55:  # reductions
            threads.append([("lock", 0), ("add", 0, rng.choice([("n", 1), ("n", -2), ("in",)])), ("unlock", 0)])
        else:
            threads.append(make_body(rng, 0, thread if rng.random() < 0.5 else None))
    main, alive = [], []
    for thread in range(count):
        if rng.random() < 0.3:
            main += make_body(rng, 1, None)
        main.append(("create", thread))
        alive.append(thread)
        while alive and rng.random() < 0.3:
            main.append(("join", alive.pop(rng.randrange(len(alive)))))
    rng.shuffle(alive)
    main += [("join", thread) for thread in alive if rng.random() < 0.9]
    return threads, main + (make_body(rng, 1, None) if rng.random() < 0.5 else [])


def expression_of(rng, thread):
    return rng.choice([("n", rng.randint(0, 3)), ("v", thread), ("in",)])


def text_of(one):
    return str(one[1]) if one[0] == "n" else f"g{one[1]}" if one[0] == "v" else "in"


def statement(step, indent):
    kind = step[0]
    inner = lambda body: "\n".join(statement(one, indent + "  ") for one in body)
    if kind == "set":
        return f"{indent}g{step[1]} = {text_of(step[2])};"
    if kind == "add":
        return f"{indent}g{step[1]} += {text_of(step[2])};"
    if kind == "mul":
        return f"{indent}g{step[1]} *= {step[2]};"
    if kind == "out":
        return f'{indent}printf("{step[1]}\\n");'
    if kind == "if":
        condition = "in" if step[1] == "in" else f"g{step[1]}"
        return f"{indent}if ({condition} > 0) {{\n{inner(step[2])}\n{indent}}}"
    if kind == "try":
        return (f"{indent}if (pthread_mutex_trylock(&l{step[1]}) == 0) {{\n{inner(step[2])}\n"
                f"{indent}  pthread_mutex_unlock(&l{step[1]});\n{indent}}}")
    if kind == "create":
        return f"{indent}pthread_create(&h{step[1]}, 0, t{step[1]}, 0);"
    if kind == "join":
        return f"{indent}pthread_join(h{step[1]}, 0);"
    return f"{indent}pthread_mutex_{kind}(&l{step[1]});"


def source_of(threads, main):
    lines = ["#include <pthread.h>", "#include <stdio.h>", "int in;"]
    lines += [f"int g{v};" for v in range(VARIABLES)]
    lines += [f"pthread_mutex_t l{i} = PTHREAD_MUTEX_INITIALIZER;" for i in range(LOCKS)]
    lines += [f"pthread_t h{i};" for i in range(len(threads))]
    for index, body in enumerate(threads):
        lines += [f"void *t{index}(void *unused) {{"] + [statement(one, "  ") for one in body]
        lines += ["  return unused;", "}"]
    lines += ["int main(int argc, char **argv) {", "  in = argc > 1;"] + [statement(one, "  ") for one in main]
    lines += [f'  fprintf(stderr, "{" ".join(["%d"] * VARIABLES)}\\n", '
              + ", ".join(f"g{v}" for v in range(VARIABLES)) + ");"]
    return "\n".join(lines + ["  return 0;", "}"]) + "\n"


# A flat code for each thread: one access to memory, or one operation, in each step.
def compile_body(body, code):
    def load(one):
        if one[0] == "n":
            code.append(("const", one[1]))
        else:
            code.append(("load", "in" if one[0] == "in" else one[1], "plain"))
    for step in body:
        kind = step[0]
        if kind == "set":
            load(step[2])
            code.append(("store", step[1]))
        elif kind in ("add", "mul"):
            if kind == "add":
                load(step[2])
            else:
                code.append(("const", step[2]))
            code.append(("load", step[1], "update"))
            code.append((kind,))
            code.append(("store", step[1]))
        elif kind == "if":
            load(("in",) if step[1] == "in" else ("v", step[1]))
            at = len(code)
            code.append(None)
            compile_body(step[2], code)
            code[at] = ("unless", len(code))
        elif kind == "try":
            at = len(code)
            code.append(None)
            compile_body(step[2], code)
            code.append(("unlock", step[1]))
            code[at] = ("try", step[1], len(code))
        else:
            code.append(step)
    return code


class TooMany(Exception):
    pass


def outcomes(threads, main, given, limit):
    """All (final memory, output, plain reads of each thread) of executions that end; and all final memories."""
    codes = [compile_body(main, []) + [("exit",)]] + [compile_body(body, []) for body in threads]
    memory = tuple([0] * VARIABLES)
    # (place, stack, reads, reads that updates make) of each thread; None before it starts
    begin = ((0, (), (), ()),) + (None,) * len(threads)
    states = [(begin, memory, (None,) * LOCKS, ())]
    seen, full, finals = set(states), set(), set()
    while states:
        state = states.pop()
        locals_, memory, locks, output = state
        for thread, local in enumerate(locals_):
            if local is None or local[0] == len(codes[thread]):
                continue
            place, stack, reads, updates = local
            step = codes[thread][place]
            kind = step[0]
            new_locals, new_memory, new_locks, new_output = list(locals_), memory, locks, output
            place += 1
            if kind == "const":
                stack += (step[1],)
            elif kind == "load":
                value = given if step[1] == "in" else memory[step[1]]
                stack += (value,)
                if step[2] == "plain":
                    reads += ((place - 1, step[1], value),)
                else:
                    updates += (value,)
            elif kind in ("add", "mul"):
                a, b = stack[-2:]
                stack = stack[:-2] + (a + b if kind == "add" else a * b,)
            elif kind == "store":
                new_memory = memory[:step[1]] + (stack[-1],) + memory[step[1] + 1:]
                stack = stack[:-1]
            elif kind == "unless":
                if not stack[-1] > 0:
                    place = step[1]
                stack = stack[:-1]
            elif kind == "lock":
                if locks[step[1]] is not None:
                    continue
                new_locks = locks[:step[1]] + (thread,) + locks[step[1] + 1:]
            elif kind == "unlock":
                new_locks = locks[:step[1]] + (None,) + locks[step[1] + 1:]
            elif kind == "try":
                if locks[step[1]] is None:
                    new_locks = locks[:step[1]] + (thread,) + locks[step[1] + 1:]
                else:
                    place = step[2]
            elif kind == "out":
                new_output = output + (step[1],)
            elif kind == "create":
                new_locals[step[1] + 1] = (0, (), (), ())
            elif kind == "join":
                other = locals_[step[1] + 1]
                if other is None or other[0] != len(codes[step[1] + 1]):
                    continue
            new_locals[thread] = (place, stack, reads, updates)
            if kind == "exit":
                reads_of = tuple(one and one[2] for one in new_locals)
                updates_of = tuple(one and one[3] for one in new_locals)
                full.add((memory, output, reads_of, updates_of))
                finals.add((memory, output, reads_of))
                continue
            new = (tuple(new_locals), new_memory, new_locks, new_output)
            if new not in seen:
                if len(seen) > limit:
                    raise TooMany
                seen.add(new)
                states.append(new)
    return full, finals


OBSERVERS = {
    "sign": lambda v: (v > 0) - (v < 0),
    "parity": lambda v: v % 2,
    "mod:3": lambda v: v % 3,
    "buckets:-1,2": lambda v: (v >= -1) + (v >= 2),
    "constant": lambda v: v,
}


def make_observer(rng):
    """Options, and whether they hold of the executions for one input."""
    name = rng.choice(sorted(OBSERVERS))
    block = OBSERVERS[name]
    options = [f"--weak={name}"]
    watched = set(range(VARIABLES))
    if rng.random() < 0.4:
        watched = set(rng.sample(range(VARIABLES), rng.randint(1, 2)))
        options.append("--vars=" + ",".join(f"g{v}" for v in sorted(watched)))
        if rng.random() < 0.3:  # values themselves
            options, block = options[1:], lambda v: v
    states = rng.choice([("reads", "final")] * 2 + [("reads",), ("final",)])
    if len(states) == 1:
        options.append(f"--states={states[0]}")
    if rng.random() < 0.3:
        options.append("--level=2")

    def holds(executions):
        finals, outputs, reads = [set() for _ in range(VARIABLES)], set(), {}
        for memory, output, reads_of, _ in executions:
            outputs.add(output)
            for variable in range(VARIABLES):
                finals[variable].add(block(memory[variable]))
            for thread, all_reads in enumerate(reads_of):
                for place, variable, value in all_reads or ():
                    if variable in watched:
                        reads.setdefault((thread, place), set()).add(block(value))
        if len(watched) == VARIABLES and "--vars" not in " ".join(options) and len(outputs) > 1:
            return False
        if "final" in states and any(len(finals[variable]) > 1 for variable in watched):
            return False
        return "reads" not in states or all(len(blocks) == 1 for blocks in reads.values())
    return options, holds


def check_observer(foretell, path, seed, results, counts):
    options, holds = make_observer(random.Random(seed * 7 + 3))
    done = subprocess.run([foretell, "check", path] + options, capture_output=True, text=True)
    says = ": weakly deterministic (" in done.stdout
    is_so = all(holds(full) for full, _ in results)
    # A variable that nobody accesses cannot be named.
    if done.returncode == 65 and "no variable" in done.stderr:
        return 0
    counts["weak"] += is_so
    counts["weak_proved"] += is_so and done.returncode == 0
    if done.returncode not in (0, 66) or (says and not is_so):
        print(f"seed {seed}: {options}: {done.stdout}{done.stderr}\n{results}")
        with open(path) as file:
            print(file.read())
        return 1
    return 0


def main():
    first, last = int(sys.argv[1]), int(sys.argv[2])
    keep = sys.argv[4] if len(sys.argv) > 4 else None
    foretell = os.environ.get("FORETELL", "foretell")
    wrong, counts = 0, {"all": 0, "same": 0, "same_proved": 0, "strict": 0, "strict_proved": 0, "large": 0,
                         "weak": 0, "weak_proved": 0}
    with tempfile.TemporaryDirectory() as folder:
        folder = keep or folder
        for seed in range(first, last):
            threads, body = make_program(random.Random(seed))
            try:
                results = [outcomes(threads, body, given, 60000) for given in INPUTS]
            except TooMany:
                counts["large"] += 1
                continue
            strict = all(len(full) <= 1 for full, _ in results)
            same = all(len(finals) <= 1 for _, finals in results)
            path = os.path.join(folder, f"p{seed}.c")
            with open(path, "w") as file:
                file.write(source_of(threads, body))
            done = subprocess.run([foretell, "check", path], capture_output=True, text=True)
            verdict = done.stdout.splitlines()[-1] if done.stdout else done.stderr
            says_strict = ": deterministic:" in verdict
            says_same = ": same result in any order:" in verdict
            if done.returncode not in (0, 66) or (done.returncode == 0) != (says_strict or says_same):
                print(f"seed {seed}: status {done.returncode}: {verdict}")
                wrong += 1
            if (says_strict and not strict) or (says_same and not same):
                print(f"seed {seed}: {verdict}\n{results}\n{source_of(threads, body)}")
                wrong += 1
            wrong += check_observer(foretell, path, seed, results, counts)
            counts["all"] += 1
            counts["same"] += same
            counts["strict"] += strict
            counts["strict_proved"] += strict and says_strict
            counts["same_proved"] += same and (says_strict or says_same)
    print("{all} programs, {large} too large to enumerate; {strict} deterministic, {strict_proved} proved; {same} with one "
          "result, {same_proved} proved; {weak} the same to an observer, {weak_proved} proved".format(**counts) + f"; {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
