#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_synchronization.py FIRST LAST: foretell check against all executions, for hand-written synchronization.

As random_programs.py does, but of programs that also set and await atomic flags, compare and swap, draw numbers,
wait on semaphores, barriers and conditions with a predicate, try locks, and branch on what they read. Every
program is executed in all interleavings; "race-free" must never be said of one that has a race."""
import os
import random
import subprocess
import sys
import tempfile

LIMIT = 20000  # states of one program; larger ones are left out
PRELUDE = """typedef unsigned long pthread_t;
typedef union { long align; char size[40]; } pthread_mutex_t;
typedef union { long align; char size[48]; } pthread_cond_t;
typedef union { long align; char size[32]; } sem_t, pthread_barrier_t;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *), pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *), pthread_cond_broadcast(pthread_cond_t *);
int sem_init(sem_t *, int, unsigned), sem_wait(sem_t *), sem_post(sem_t *);
static _Bool swap(_Atomic int *place) {
  int expected = 0;
  return __c11_atomic_compare_exchange_strong(place, &expected, 1, 5, 5);
}
int pthread_barrier_init(pthread_barrier_t *, void *, unsigned), pthread_barrier_wait(pthread_barrier_t *);
"""


class Program:
    """Bodies of statements; each is made both C and a list of instructions with jumps."""

    def __init__(self, rng):
        self.rng = rng
        kinds = ["set", "await", "if", "swap", "spin", "draw", "semaphore", "barrier", "condition", "try", "plain", "lock", "busy"]
        self.kinds = rng.sample(kinds, rng.randint(1, 4))
        self.count = rng.randint(2, 3)
        self.semaphore = rng.randint(0, 1)
        self.barrier = rng.randint(1, self.count)
        self.crowd = rng.random() < 0.2
        if self.crowd:
            self.kinds = [kind for kind in self.kinds if kind != "barrier"] or ["spin"]
        one = self.body(1)
        self.threads = [one if self.crowd else self.body(0) for _ in range(self.count)]
        if not self.crowd and rng.random() < 0.4:
            self.threads[1] = self.threads[0]
        self.last = [("access", 0, rng.random() < 0.5)] if rng.random() < 0.5 else []
        self.joined = rng.random() < 0.6
        self.counted = not self.crowd and not self.joined and rng.random() < 0.5
        self.awaits = not self.joined and not self.counted and rng.random() < 0.7
        if self.counted:
            self.threads = [self.count_out(body) for body in self.threads]
            self.last = self.last or [("access", 0, True)]

    def count_out(self, body):
        """Each thread takes one from those alive: at its end, or too early, or once too often."""
        kind = self.rng.random()
        if kind < 0.7:
            return body + [("down",)]
        at = self.rng.randrange(len(body) + 1)
        return body[:at] + [("down",)] + body[at:] + ([("down",)] if kind > 0.9 else [])

    def access(self):
        if self.rng.random() < 0.15:
            return []
        return [("access", self.rng.randrange(2), self.rng.random() < 0.7)]

    def body(self, depth):
        found = []
        for _ in range(self.rng.randint(1, 3 - depth)):
            kind = self.rng.choice(self.kinds)
            inner = self.access() + (self.body(1) if depth == 0 and self.rng.random() < 0.15 else [])
            value = self.rng.randrange(2)
            flag = self.rng.randrange(2)
            if kind == "set":
                found += self.access() + [("set", flag, 1 if self.rng.random() < 0.8 else 0)]
            elif kind == "await":
                found += [("await", flag, 1)] + self.access() + ([("set", flag, 0)] if value else [])
            elif kind == "if":
                found.append(("if", flag, value, inner))
            elif kind == "swap":
                found.append(("swap", flag, 0, 1, inner))
            elif kind == "spin":
                found += [("spin", flag)] + inner + ([("set", flag, 0)] if self.rng.random() < 0.85 else [])
            elif kind == "draw":
                found.append(("draw",))
                if self.rng.random() < 0.8:
                    found.append(("slot", self.rng.choice([0, 0, 0, 1]), self.rng.choice([1, 1, 1, 2])))
                if self.rng.random() < 0.4:
                    found += [("serve",)] + self.access() + [("next",)]
            elif kind == "semaphore":
                found += self.rng.choice([[("wait",)] + inner + [("post",)], inner + [("post",)], [("wait",)] + inner])
            elif kind == "barrier":
                found += inner + [("barrier",)] + self.access()
            elif kind == "condition":
                found += self.rng.choice([[("lock",), ("pset", 1), ("signal",), ("unlock",)],
                                          [("lock",), ("cond",), ("unlock",)] + self.access()])
                if self.rng.random() < 0.3:
                    found = self.access() + found
            elif kind == "try":
                found.append(("try", inner))
            elif kind == "busy":
                # Whoever finds p down under the lock raises it, and lowers it later.
                first = [("pif", 0), ("seen", [("pset", 1)])]
                leave = [("lock",), ("pset", 0), ("unlock",)]
                if self.rng.random() < 0.1:
                    first.insert(1, ("unlock",))
                    first.insert(2, ("lock",))
                if self.rng.random() < 0.1:
                    leave = []
                use = [("seen", inner + leave)] if self.rng.random() < 0.9 else [("seen", leave)] + inner
                found += [("lock",), *first, ("unlock",), *use]
            elif kind == "plain":
                locked = self.rng.random() < 0.85
                step = self.rng.choice([[("pset", value)], [("pif", value)]])
                found += ([("lock",)] + step + [("unlock",)] if locked else step)
                if step[0][0] == "pif":
                    found.append(("seen", inner))
            else:
                found += [("lock",)] + inner + [("unlock",)]
        return found + (self.access() if self.rng.random() < 0.3 else [])

    # C

    def c_of(self, body, indent="  "):
        text = ""
        for step in body:
            kind = step[0]
            block = lambda inner: "{\n" + self.c_of(inner, indent + "  ") + indent + "}"
            text += indent + {
                "access": lambda: f"g{step[1]} = 1;" if step[2] else f"(void)*(volatile int *)&g{step[1]};",
                "set": lambda: f"a{step[1]} = {step[2]};",
                "await": lambda: f"while (a{step[1]} != {step[2]}) ;",
                "if": lambda: f"if (a{step[1]} == {step[2]}) {block(step[3])}",
                "swap": lambda: f"if (swap(&a{step[1]})) {block(step[4])}",
                "spin": lambda: f"while (!swap(&a{step[1]})) ;",
                "draw": lambda: "mine = counter++;",
                "slot": lambda: f"slots[mine * {step[2]} + {step[1]}] = 1;" if step[2] == 1 else f"slots[mine / 2 + {step[1]}] = 1;",
                "serve": lambda: "while (serving != mine) ;",
                "next": lambda: "serving++;",
                "wait": lambda: "sem_wait(&s);", "post": lambda: "sem_post(&s);",
                "barrier": lambda: "pthread_barrier_wait(&b);",
                "lock": lambda: "pthread_mutex_lock(&m);", "unlock": lambda: "pthread_mutex_unlock(&m);",
                "pset": lambda: f"p = {step[1]};", "pif": lambda: f"seen = p == {step[1]};",
                "seen": lambda: f"if (seen) {block(step[1])}",
                "down": lambda: "alive--;",
                "signal": lambda: "pthread_cond_broadcast(&c);",
                "cond": lambda: "while (!p) pthread_cond_wait(&c, &m);",
                "try": lambda: "if (pthread_mutex_trylock(&m) == 0) {\n" + self.c_of(step[1], indent + "  ") +
                               indent + "  pthread_mutex_unlock(&m);\n" + indent + "}",
            }[kind]() + "\n"
        return text

    def source(self):
        text = PRELUDE + "_Atomic int a0, a1, counter, serving, alive;\nint g0, g1, p, slots[64];\n"
        text += "pthread_mutex_t m;\npthread_cond_t c;\nsem_t s;\npthread_barrier_t b;\n"
        bodies = self.threads[:1] if self.crowd else self.threads
        for i, body in enumerate(bodies):
            text += f"void *t{i}(void *unused) {{\n  int mine = 0, seen = 0;\n{self.c_of(body)}  return unused;\n}}\n"
        text += "int main(void) {\n  pthread_t h[3];\n"
        text += f"  sem_init(&s, 0, {self.semaphore});\n  pthread_barrier_init(&b, 0, {self.barrier});\n"
        if self.crowd:
            return text + "  while (1) pthread_create(&h[0], 0, t0, 0);\n}\n"
        for i in range(self.count):
            if self.counted:
                text += "  alive++;\n"
            text += f"  pthread_create(&h[{i}], 0, t{i}, 0);\n"
        if self.joined:
            text += "".join(f"  pthread_join(h[{i}], 0);\n" for i in range(self.count))
        if self.counted:
            text += "  while (alive != 0) ;\n"
        if self.awaits:
            text += "  while (a0 != 1) ;\n"
        return text + self.c_of(self.last) + "  return 0;\n}\n"

    # Instructions

    def code_of(self, body, code):
        for step in body:
            kind = step[0]
            if kind in ("if", "swap", "seen", "try"):
                at = len(code)
                code.append(None)
                self.code_of(step[-1], code)
                if kind == "try":
                    code.append(("unlock",))
                code[at] = (kind, *step[1:-1], len(code))
            elif kind == "cond":
                at = len(code)
                code += [("pgo", at + 4), ("unlock",), ("lock",), ("go", at)]
            else:
                code.append(step)
        return code

    def codes(self):
        main = []
        if not self.crowd:
            if self.joined:
                main += [("join", i + 1) for i in range(self.count)]
            if self.counted:
                main.append(("gone",))
            if self.awaits:
                main.append(("await", 0, 1))
            main += self.last
        main.append(("end",))
        return [main] + [self.code_of(body, []) for body in self.threads]


def touched(step, registers):
    kind = step[0]
    if kind == "access":
        return ("g", step[1], step[2])
    if kind == "slot":
        return ("slot", (registers[0] if step[2] == 1 else registers[0] // 2) + step[1], True)
    if kind == "pset":
        return ("p", 0, True)
    if kind in ("pif", "pgo"):
        return ("p", 0, False)
    return None


def has_race(program):
    """True, False, or nothing if there are too many states. Of a crowd as many run as there are copies."""
    codes = program.codes()
    forever = program.crowd  # main never ends
    start = (tuple((0, 0, 0) for _ in codes), (0, 0, 0, 0, 0, program.semaphore, 0, program.count), -1)
    seen, left = {start}, [start]
    while left:
        threads, memory, holder = left.pop()
        steps = [codes[i][at] if 0 <= at < len(codes[i]) else None for i, (at, _, _) in enumerate(threads)]
        if steps[0] == ("end",) and not forever:
            continue
        accesses = [touched(step, threads[i][1:]) for i, step in enumerate(steps) if step]
        accesses = [one for one in accesses if one]
        for i, one in enumerate(accesses):
            for other in accesses[i + 1:]:
                if one[:2] == other[:2] and (one[2] or other[2]):
                    return True
        for i, step in enumerate(steps):
            if not step or step == ("end",):
                continue
            for state in successors(i, step, threads, memory, holder, codes, program):
                if state not in seen:
                    seen.add(state)
                    left.append(state)
        if len(seen) > LIMIT:
            return None
    return False


def successors(i, step, threads, memory, holder, codes, program):
    at, mine, seen = threads[i]
    if at < 0:
        return
    memory = list(memory)  # a0, a1, counter, serving, p, semaphore, arrived, alive
    kind, after = step[0], at + 1

    def state(where=after, number=mine, flag=seen, holds=holder):
        changed = list(threads)
        changed[i] = (where, number, flag)
        return (tuple(changed), tuple(memory), holds)

    if kind == "join":
        if threads[step[1]][0] < len(codes[step[1]]):
            return
    elif kind == "set":
        memory[step[1]] = step[2]
    elif kind == "await":
        if memory[step[1]] != step[2]:
            return
    elif kind == "if":
        yield state(after if memory[step[1]] == step[2] else step[-1])
        return
    elif kind in ("swap", "spin"):
        if memory[step[1]] != 0:
            if kind == "swap":
                yield state(step[-1])
            return
        memory[step[1]] = 1
    elif kind == "draw":
        memory[2] += 1
        yield state(number=memory[2] - 1)
        return
    elif kind == "serve":
        if memory[3] != mine:
            return
    elif kind == "next":
        memory[3] += 1
    elif kind == "down":
        memory[7] -= 1
    elif kind == "gone":
        if memory[7] != 0:
            return
    elif kind == "wait":
        if memory[5] == 0:
            return
        memory[5] -= 1
    elif kind == "post":
        memory[5] += 1
    elif kind == "barrier":
        # A thread at a barrier stands at minus its place until all are there.
        waiting = [j for j, (place, _, _) in enumerate(threads) if place < 0]
        if len(waiting) + 1 < program.barrier:
            yield state(-1 - after)
            return
        changed = list(threads)
        for j in waiting:
            changed[j] = (-1 - changed[j][0], *changed[j][1:])
        changed[i] = (after, mine, seen)
        yield (tuple(changed), tuple(memory), holder)
        return
    elif kind == "lock":
        if holder >= 0:
            return
        yield state(holds=i)
        return
    elif kind == "unlock":
        yield state(holds=-1)
        return
    elif kind == "try":
        yield state(step[-1])
        if holder < 0:
            yield state(holds=i)
        return
    elif kind == "pset":
        memory[4] = step[1]
    elif kind == "pif":
        yield state(flag=int(memory[4] == step[1]))
        return
    elif kind == "seen":
        yield state(after if seen else step[-1])
        return
    elif kind == "pgo":
        yield state(step[1] if memory[4] else after)
        return
    elif kind == "go":
        yield state(step[1])
        return
    yield state()


def main():
    racy = free = proved = wrong = large = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            program = Program(random.Random(seed))
            truth = has_race(program)
            if truth is None:
                large += 1
                continue
            path = os.path.join(folder, "program.c")
            with open(path, "w") as file:
                file.write(program.source())
            status = subprocess.run([os.environ["FORETELL"], "check", "--races", path],
                                    stdout=subprocess.DEVNULL).returncode
            if status not in (0, 66) or (truth and status == 0):
                print(f"seed {seed}: exit status {status}, and it is {'racy' if truth else 'race-free'}:")
                print(program.source())
                wrong += 1
            elif not truth and status == 66 and len(sys.argv) > 3:
                print(f"seed {seed}: not proved\n{program.source()}")
            racy += truth
            free += not truth
            proved += not truth and status == 0
    print(f"{racy} racy, none may be proved: {wrong} wrong; {free} race-free, {proved} proved; {large} left out")
    sys.exit(1 if wrong else 0)


main()
