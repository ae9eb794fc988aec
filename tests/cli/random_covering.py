#!/usr/bin/env python3
"""random_covering.py FORETELL FIRST COUNT: random race-free programs whose synchronization depends on
their inputs. Every input must run constrained: no miss, no divergence, the same output each time."""
import random, subprocess, sys, tempfile, os

foretell, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.locals = 0

    def condition(self):
        r = self.random
        return r.choice(["x > %d" % r.randint(-2, 5), "y == %d" % r.randint(0, 3), "(x & 1) == %d" % r.randint(0, 1),
                         "x + y > %d" % r.randint(-1, 6), "v > %d" % r.randint(0, 9), "x < y", "(y & 3) != %d" % r.randint(0, 3)])

    def section(self):
        m = self.random.randint(0, 2)
        body = self.random.choice(["s[%d] += %d;" % (m, self.random.randint(1, 4)), "v = s[%d];" % m,
                                   "s[%d] += v & 3;" % m, "if (%s) s[%d]++;" % (self.condition(), m)])
        return "pthread_mutex_lock(&m[%d]); %s pthread_mutex_unlock(&m[%d]);" % (m, body, m)

    def statements(self, depth):
        r = self.random
        text = ""
        for _ in range(r.randint(1, 2 if depth else 3)):
            kind = r.randint(0, 6) if depth < 2 else 0
            if kind <= 2:
                text += self.section() + "\n"
            elif kind == 3:
                text += "if (%s) {\n%s} else {\n%s}\n" % (self.condition(), self.statements(depth + 1), self.statements(depth + 1))
            elif kind == 4:
                self.locals += 1
                text += "for (int i%d = 0; i%d < (%s & 1) + 1; i%d++) {\n%s}\n" % (
                    self.locals, self.locals, r.choice("xy"), self.locals, self.statements(depth + 1))
            elif kind == 5:
                text += "if (%s) v = v * 3 + %d;\n" % (self.condition(), r.randint(1, 9))
            else:
                text += "for (int k = 0; k < 5; k++) v += k * x;\nv &= 15;\n"
        return text

    def source(self):
        threads = "".join("void *work%d(void *p) {\nint v = %d;\n%sreturn (void *)(long)v;\n}\n" % (
            t, t, self.statements(0)) for t in range(2))
        return """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int x, y, s[3];
%sint main(int argc, char **argv) {
  if (argc != 3) return 1;
  x = atoi(argv[1]);
  y = atoi(argv[2]);
  pthread_t t[2];
  pthread_create(&t[0], 0, work0, 0);
  pthread_create(&t[1], 0, work1, 0);
  void *a, *b;
  pthread_join(t[0], &a);
  pthread_join(t[1], &b);
  printf("%%d %%d %%d %%ld %%ld\\n", s[0], s[1], s[2], (long)a, (long)b);
  return 0;
}
""" % threads


bad = unfinished = runs = 0
for seed in range(first, first + count):
    program = Program(seed)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "p.c")
        open(source, "w").write(program.source())
        db, binary = os.path.join(folder, "db"), os.path.join(folder, "p")
        made = subprocess.run([foretell, "schedules", source, "--threads=2", "-o", db, "--max-schedules=200"],
                              capture_output=True, text=True)
        if "INCOMPLETE: stopped by --max-schedules" in made.stdout:
            unfinished += 1
            continue
        checked = subprocess.run([foretell, "schedules", "verify", db, "--random=40"], capture_output=True, text=True)
        linked = subprocess.run([foretell, "constrain", "--schedules=" + db, "-o", binary], capture_output=True, text=True)
        if made.returncode or checked.returncode or linked.returncode:
            print("seed %d: %s%s%s%s%s" % (seed, made.stdout, made.stderr, checked.stdout, checked.stderr, linked.stderr))
            bad += 1
            continue
        inputs = random.Random(seed)
        for _ in range(12):
            arguments = [str(inputs.choice([inputs.randint(-3, 7), inputs.randint(-2**31, 2**31 - 1)])) for _ in range(2)]
            outputs = set()
            for _ in range(2):
                run = subprocess.run([binary] + arguments, capture_output=True, text=True, timeout=20)
                outputs.add((run.returncode, run.stdout, run.stderr))
                runs += 1
            if len(outputs) != 1 or next(iter(outputs))[0] != 0:
                print("seed %d, input %s: %s" % (seed, arguments, outputs))
                bad += 1
print("%d programs, %d with too many schedules, %d runs, %d wrong" % (count, unfinished, runs, bad))
sys.exit(bad != 0)
