# SPDX-License-Identifier: Apache-2.0
"""Small random programs with threads: their C++ text, and what all their executions show.

A body is a list of statements; a statement knows its text, a line or a few, and its steps. A step is what the
scheduler can stand before: an access of shared memory, an operation on a lock, a start or a join. What a thread computes
in between (its registers) comes with the step before. So `Model` runs every interleaving of the steps of a program with the
values that are read and written; it shares nothing with Foretell.

Every program ends: loops are bounded, locks are released by their holder, and a thread that waits for a lock forever
is what a deadlock is."""
import itertools

GLOBALS, LOCKS, REGISTERS = 3, 2, 2
# Places in memory: g0 to g2, the pointer gp, the atomic a, the two halves of the union u.
GP, ATOMIC, LOW, HIGH = GLOBALS, GLOBALS + 1, GLOBALS + 2, GLOBALS + 3
PLACES = GLOBALS + 4

PREAMBLE = """#include <pthread.h>
#include <atomic>
#include <cstdlib>
#include <cstring>
"""
# Functions of each program, one line each: callees that the statements `set`, `call` and `deep` are about.
CALLEES = """__attribute__((noinline)) static void set(int *q, int v) {
  *q = v;
}
__attribute__((noinline)) static int more(int v) { return v + 1; }
__attribute__((noinline)) static void fail(int v) { if (v == 1) throw v; }
"""


class Code:
    """The text and the steps of one function, line by line."""

    def __init__(self, lines):
        self.lines, self.steps = lines, []

    def text(self, line):
        self.lines.append(line)
        return len(self.lines)  # its number

    def step(self, kind, line, **what):
        self.steps.append({"kind": kind, "line": line, **what})
        return self.steps[-1]


def load(code, line, register, places, value=lambda got: got[0]):
    code.step("access", line, reads=places, writes=None, register=register, value=value)


def store(code, line, places, value):
    code.step("access", line, reads=None, writes=places, register=None, value=value)


class Maker:
    """One function of a program. `rng` decides, so a seed is a program."""

    def __init__(self, rng, lines, set_line):
        self.rng, self.code, self.set_line = rng, Code(lines), set_line
        self.held = []

    def body(self, most, depth=0):
        for _ in range(self.rng.randint(1, most)):
            self.statement(depth)

    def statement(self, depth):
        kinds = ["constant", "copy", "count", "take", "give", "lock", "lock", "atomic", "union", "pointer", "call",
                 "set", "heap", "library"]
        if depth < 2:
            kinds += ["if", "if", "if_register", "loop", "catch"]
        getattr(self, "make_" + self.rng.choice(kinds))("  " * (depth + 1), depth)

    def some_global(self):
        return self.rng.randrange(GLOBALS)

    def register(self):
        return self.rng.randrange(REGISTERS)

    def make_constant(self, indent, _):
        g, c = self.some_global(), self.rng.randrange(3)
        store(self.code, self.code.text(f"{indent}g{g} = {c};"), [g], lambda r: c)

    def make_copy(self, indent, _):
        a, b = self.some_global(), self.some_global()
        line = self.code.text(f"{indent}g{a} = g{b};")
        load(self.code, line, "t", [b])
        store(self.code, line, [a], lambda r: r["t"])

    def make_count(self, indent, _):
        g = self.some_global()
        line = self.code.text(f"{indent}g{g} = g{g} + 1;")
        load(self.code, line, "t", [g])
        store(self.code, line, [g], lambda r: r["t"] + 1)

    def make_take(self, indent, _):
        g, r = self.some_global(), self.register()
        load(self.code, self.code.text(f"{indent}r{r} = g{g};"), r, [g])

    def make_give(self, indent, _):
        g, r = self.some_global(), self.register()
        store(self.code, self.code.text(f"{indent}g{g} = r{r};"), [g], lambda regs: regs[r])

    def make_lock(self, indent, depth):
        free = [lock for lock in range(LOCKS) if lock not in self.held]
        if not free:
            return self.make_constant(indent, depth)
        lock = self.rng.choice(free)
        self.code.step("lock", self.code.text(f"{indent}pthread_mutex_lock(&m{lock});"), lock=lock)
        self.held.append(lock)
        if self.rng.random() < 0.4:
            self.make_lock(indent, depth)
        self.body(2, depth)
        self.held.pop()
        self.code.step("unlock", self.code.text(f"{indent}pthread_mutex_unlock(&m{lock});"), lock=lock)

    def make_atomic(self, indent, _):
        c, r = self.rng.randrange(3), self.register()
        kind = self.rng.randrange(3)
        if kind == 0:
            line = self.code.text(f"{indent}a = {c};")
            self.code.step("atomic", line, expected=None, value=lambda regs: c, register=None)
        elif kind == 1:
            self.code.step("atomic", self.code.text(f"{indent}r{r} = a;"), expected=None, value=None, register=r)
        else:
            line = self.code.text(f"{indent}{{ int e = {c}; r{r} = a.compare_exchange_strong(e, {c + 1}); }}")
            self.code.step("atomic", line, expected=c, value=lambda regs: c + 1, register=r)

    def make_union(self, indent, _):
        c, r = self.rng.randrange(3), self.register()
        kind = self.rng.randrange(4)
        if kind == 0:
            store(self.code, self.code.text(f"{indent}u.whole = {c};"), [LOW, HIGH], lambda regs: c)
        elif kind == 1:
            store(self.code, self.code.text(f"{indent}u.half[1] = {c};"), [HIGH], lambda regs: c)
        elif kind == 2:
            load(self.code, self.code.text(f"{indent}r{r} = u.half[0];"), r, [LOW])
        else:
            line = self.code.text(f"{indent}r{r} = u.whole != 0;")
            load(self.code, line, r, [LOW, HIGH], lambda got: int(any(got)))

    def make_pointer(self, indent, _):
        g, c = self.some_global(), self.rng.randrange(3)
        if self.rng.random() < 0.5:
            store(self.code, self.code.text(f"{indent}gp = &g{g};"), [GP], lambda regs: g)
        else:
            line = self.code.text(f"{indent}*gp = {c};")
            load(self.code, line, "p", [GP])
            store(self.code, line, "p", lambda regs: c)

    def make_call(self, indent, _):
        a, b = self.some_global(), self.some_global()
        line = self.code.text(f"{indent}g{a} = more(g{b});")
        load(self.code, line, "t", [b])
        store(self.code, line, [a], lambda r: r["t"] + 1)

    def make_set(self, indent, _):
        g, r = self.some_global(), self.register()
        self.code.text(f"{indent}set(&g{g}, r{r});")
        store(self.code, self.set_line, [g], lambda regs: regs[r])

    # Memory that goes through the allocator: two threads may get the same address one after the other.
    def make_heap(self, indent, _):
        a, b = self.some_global(), self.some_global()
        line = self.code.text(f"{indent}{{ int *volatile q = (int *)malloc(4); *q = g{a}; g{b} = *q; free(q); }}")
        load(self.code, line, "t", [a])
        store(self.code, line, [b], lambda r: r["t"])

    def make_library(self, indent, _):
        a, b = self.rng.sample(range(GLOBALS), 2)
        line = self.code.text(f"{indent}g{a} = std::abs(g{b});")
        load(self.code, line, "t", [b])
        store(self.code, line, [a], lambda r: r["t"])

    def branch(self, line, condition, indent, depth):
        jump = self.code.step("jump", line, condition=condition, to=None)
        self.body(2, depth + 1)
        otherwise = None
        if self.rng.random() < 0.4:
            self.code.text(f"{indent}}} else {{")
            otherwise = self.code.step("jump", line, condition=lambda r: False, to=None)
        jump["to"] = len(self.code.steps)
        if otherwise is not None:
            self.body(2, depth + 1)
            otherwise["to"] = len(self.code.steps)
        self.code.text(f"{indent}}}")

    def make_if(self, indent, depth):
        g, c = self.some_global(), self.rng.randrange(3)
        line = self.code.text(f"{indent}if (g{g} == {c}) {{")
        load(self.code, line, "t", [g])
        self.branch(line, lambda r: r["t"] == c, indent, depth)

    def make_if_register(self, indent, depth):
        r, c = self.register(), self.rng.randrange(2)
        line = self.code.text(f"{indent}if (r{r} == {c}) {{")
        self.branch(line, lambda regs: regs[r] == c, indent, depth)

    def make_loop(self, indent, depth):
        self.code.text(f"{indent}for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{")
        begin = len(self.code.steps)
        self.body(2, depth + 1)
        self.code.text(f"{indent}}}")
        again, shift = self.code.steps[begin:], len(self.code.steps) - begin
        for step in again:
            self.code.steps.append({**step, "to": step["to"] + shift} if step["kind"] == "jump" else step)

    def make_catch(self, indent, depth):
        g, after = self.some_global(), self.some_global()
        line = self.code.text(f"{indent}try {{ fail(g{g});")
        load(self.code, line, "t", [g])
        jump = self.code.step("jump", line, condition=lambda r: r["t"] != 1, to=None)
        body = self.code.text(f"{indent}  g{after} = 1;")
        store(self.code, body, [after], lambda r: 1)
        over = self.code.step("jump", line, condition=lambda r: False, to=None)
        jump["to"] = len(self.code.steps)
        caught = self.code.text(f"{indent}}} catch (int) {{ g{g} = 0; }}")
        store(self.code, caught, [g], lambda r: 0)
        over["to"] = len(self.code.steps)


def make_program(rng, number, lines):
    """Adds a program to `lines`, a namespace `p<number>`; returns the steps of its threads, the first one's first."""
    def add(text):
        lines.extend(text.splitlines())
    add(f"namespace p{number} {{")
    add("int " + ", ".join(f"g{i}" for i in range(GLOBALS)) + ";")
    add("int *gp = &g0; std::atomic<int> a; union { int whole; unsigned short half[2]; } u;")
    add("pthread_mutex_t " + ", ".join(f"m{i} = PTHREAD_MUTEX_INITIALIZER" for i in range(LOCKS)) + ";")
    set_line = len(lines) + 2
    add(CALLEES)
    registers = "  int " + ", ".join(f"r{i} = 0" for i in range(REGISTERS)) + ";"
    bodies = []
    count = 2 if rng.random() < 0.7 else 3
    for thread in range(1, count):
        add(f"void *t{thread}(void *unused) {{\n{registers}")
        maker = Maker(rng, lines, set_line)
        maker.body(5)
        add("  return unused;\n}")
        bodies.append(maker.code.steps)
    add(f"int program() {{\n{registers}\n  pthread_t " + ", ".join(f"h{t}" for t in range(1, count)) + ";")
    maker = Maker(rng, lines, set_line)
    for thread in range(1, count):
        maker.code.step("start", maker.code.text(f"  pthread_create(&h{thread}, 0, t{thread}, 0);"), thread=thread)
    maker.body(5)
    for thread in range(1, count):
        maker.code.step("join", maker.code.text(f"  pthread_join(h{thread}, 0);"), thread=thread)
    add("  return 0;\n}\n}")
    return [maker.code.steps] + bodies


class TooLarge(Exception):
    pass


class Model:
    """All executions. `races`: pairs of lines whose accesses some state has side by side; `deadlocks`: sets of lines at which
    threads wait for each other."""

    MOST_STATES = 60_000

    def __init__(self, bodies):
        self.bodies, self.races, self.deadlocks = bodies, set(), set()
        registers = tuple((r, 0) for r in range(REGISTERS))
        alive = tuple([0] + [-1] * (len(bodies) - 1))
        start = tuple(self.settle(t, alive[t], dict(registers)) if t == 0 else (-1, registers) for t in range(len(bodies)))
        self.registers = registers
        self.explore((start, (0,) * PLACES, (None,) * LOCKS))

    # Jumps are taken at once: they touch nothing shared.
    def settle(self, thread, at, registers):
        body = self.bodies[thread]
        while at < len(body) and body[at]["kind"] == "jump":
            at = at + 1 if body[at]["condition"](registers) else body[at]["to"]
        return at, tuple(sorted(registers.items(), key=str))

    def explore(self, start):
        seen, left = {start}, [start]
        while left:
            if len(seen) > self.MOST_STATES:
                raise TooLarge
            state = left.pop()
            self.look(state)
            for thread in range(len(self.bodies)):
                after = self.step(state, thread)
                if after is not None and after not in seen:
                    seen.add(after)
                    left.append(after)

    def next_step(self, state, thread):
        at = state[0][thread][0]
        return self.bodies[thread][at] if 0 <= at < len(self.bodies[thread]) else None

    @staticmethod
    def touched(step, registers):
        if step["kind"] == "atomic":
            writes = step["value"] is not None
            return ([] if writes else [ATOMIC]), ([ATOMIC] if writes else []), True
        writes = step["writes"]
        if writes == "p":
            writes = [registers["p"]]
        return step["reads"] or [], writes or [], False

    def look(self, state):
        nexts = [(t, self.next_step(state, t)) for t in range(len(self.bodies))]
        accesses = [(step, self.touched(step, dict(state[0][t][1])))
                    for t, step in nexts if step and step["kind"] in ("access", "atomic")]
        for (a, (ra, wa, aa)), (b, (rb, wb, ab)) in itertools.combinations(accesses, 2):
            if aa and ab:
                continue
            if set(wa) & set(rb + wb) or set(wb) & set(ra):
                self.races.add((min(a["line"], b["line"]), max(a["line"], b["line"])))
        waits = {}  # thread: whom it waits for
        for t, step in nexts:
            if step and step["kind"] == "lock" and state[2][step["lock"]] is not None:
                waits[t] = state[2][step["lock"]]
        for t in waits:
            circle = [t]
            while circle[-1] in waits and waits[circle[-1]] not in circle:
                circle.append(waits[circle[-1]])
            if waits.get(circle[-1]) == t:
                self.deadlocks.add(frozenset(dict(nexts)[one]["line"] for one in circle))

    def step(self, state, thread):
        step = self.next_step(state, thread)
        if step is None:
            return None
        threads, memory, locks = list(state[0]), list(state[1]), list(state[2])
        at, registers = threads[thread][0], dict(threads[thread][1])
        kind = step["kind"]
        if kind == "lock":
            if locks[step["lock"]] is not None:
                return None
            locks[step["lock"]] = thread
        elif kind == "unlock":
            locks[step["lock"]] = None
        elif kind == "start":
            threads[step["thread"]] = self.settle(step["thread"], 0, dict(self.registers))
        elif kind == "join":
            other = step["thread"]
            if threads[other][0] < len(self.bodies[other]):
                return None
        elif kind == "atomic":
            old = memory[ATOMIC]
            fails = step["expected"] is not None and old != step["expected"]
            if step["value"] is not None and not fails:
                memory[ATOMIC] = step["value"](registers)
            if step["register"] is not None:
                registers[step["register"]] = old if step["expected"] is None else int(not fails)
        elif step["reads"] is not None:
            registers[step["register"]] = step["value"]([memory[place] for place in step["reads"]])
        else:
            places = [registers["p"]] if step["writes"] == "p" else step["writes"]
            value = step["value"](registers)
            for i, place in enumerate(places):
                memory[place] = value if i == 0 else 0  # the upper half of a small number
        threads[thread] = self.settle(thread, at + 1, registers)
        return tuple(threads), tuple(memory), tuple(locks)
