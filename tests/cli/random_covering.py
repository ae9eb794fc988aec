#!/usr/bin/env python3
"""random_covering.py FORETELL FIRST COUNT [epochs|readings]: random race-free programs whose synchronization
depends on their inputs. Every input must run constrained: no miss, no divergence, the same output each
time. With `readings`: floating point and long loops decide, too. With `epochs`: loops as long as the input says, barriers, and state that decides later rounds."""
import random, subprocess, sys, tempfile, os

foretell, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
epochs = len(sys.argv) > 4
readings = "readings" in sys.argv


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.locals = 0
        self.rounds = 0

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
            kind = r.randint(0, 11 if epochs and self.rounds else 6) if depth < 2 else 0
            if readings and r.random() < 0.3:
                text += r.choice(["v = (int)(sqrt(x * x + %d.0) * 1.5) & 7;\n" % r.randint(0, 3),
                                  "v = x * 0.3 > y + 0.5 ? 4 : 0;\n",
                                  "for (int k = 0; k < 60000; k++) v = v * 31 + k + x;\nv &= 7;\n"])
            if kind <= 2:
                text += self.section() + "\n"
            elif kind == 3:
                text += "if (%s) {\n%s} else {\n%s}\n" % (self.condition(), self.statements(depth + 1), self.statements(depth + 1))
            elif kind == 4:
                self.locals += 1
                text += "for (int i%d = 0; i%d < (%s & 1) + 1; i%d++) {\n%s}\n" % (
                    self.locals, self.locals, r.choice("xy"), self.locals, self.statements(depth + 1))
            elif kind >= 9:
                self.locals += 1
                self.rounds -= 1
                name = "i%d" % self.locals
                bound = r.choice(["x & 7", "y & 7", "s[3] & 3", "own[0] & 3", "*at & 3"])
                text += r.choice(["for (int NAME = 0; NAME < (BOUND); NAME++) {\n%s}\n",
                                  "int NAME = 0;\nwhile (1) {\n%sif (NAME++ >= (BOUND)) break;\n}\n",
                                  "int NAME = BOUND;\nwhile (NAME-- > 0) {\nif (NAME == 9) continue;\n%s}\n"]).replace(
                                      "NAME", name).replace("BOUND", bound) % self.statements(depth + 1)
            elif kind == 8:
                text += r.choice(["own[%d] = x & 3;\n", "own[%d]++;\nif (own[0] > 3) own[0] = 0;\n", "at = v & 1 ? &own[0] : &own[1];\n",
                                  "if (%s) own[1] = 2; else at = own + %%d;\n" % self.condition(),
                                  "v += step(own, y & 3) & %d;\n"]).replace("%d", str(r.randint(0, 1)))
            elif kind == 7:
                text += "if (%s) { %s } else { %s }\n" % (self.condition(), self.section(), self.section())
            elif kind == 5:
                text += "if (%s) v = v * 3 + %d;\n" % (self.condition(), r.randint(1, 9))
            else:
                text += "for (int k = 0; k < 5; k++) v += k * x;\nv &= 15;\n"
        return text

    # Both threads do this, as often as the input says.
    def in_step(self, meet):
        if not meet: return ""
        return "for (int k = 0; k < (y & 7); k++) {\n%s%s%s}\n" % (meet, self.statements(1), meet)

    def source(self):
        self.together = self.random.randint(0, 1)
        threads = ""
        for t in range(2):
            self.rounds = 2
            meet = "pthread_barrier_wait(&both);\n" if epochs and self.together else ""
            threads += ("void *work%d(void *p) {\nint v = %d;\nint *own = calloc(2, sizeof(int)), *at = own;\n%s%s%s"
                        "free(own);\nreturn (void *)(long)v;\n}\n" % (t, t, self.statements(0), self.in_step(meet), self.statements(0)))
        return """#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int x, y, s[4];
pthread_barrier_t both;
int step(int *p, int n) { int sum = 0; for (int i = 0; i < n; i++) sum += p[i & 1]; return sum; }
%sint main(int argc, char **argv) {
  if (argc != 3) return 1;
  x = atoi(argv[1]);
  y = atoi(argv[2]);
  pthread_t t[2];
  s[3] = x + y;
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&t[0], 0, work0, 0);
  pthread_create(&t[1], 0, work1, 0);
  void *a, *b;
  pthread_join(t[0], &a);
  pthread_join(t[1], &b);
  if ((long)a > 3) { pthread_mutex_lock(&m[0]); s[0]++; pthread_mutex_unlock(&m[0]); }
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
        # A set that says what is open claims nothing.
        if "INCOMPLETE: stopped by --max-schedules" in made.stdout or epochs and "INCOMPLETE: see the open notes" in made.stdout:
            unfinished += 1
            continue
        checked = subprocess.run([foretell, "schedules", "verify", db, "--random=40"], capture_output=True, text=True)
        linked = subprocess.run([foretell, "constrain", "--schedules=" + db, "-o", binary], capture_output=True, text=True)
        # Deadlocks of states that no run comes to are findings, not errors.
        if made.returncode or checked.returncode not in (0, 66) or "WRONG" in checked.stdout or linked.returncode:
            print("seed %d: %s%s%s%s%s" % (seed, made.stdout, made.stderr, checked.stdout, checked.stderr, linked.stderr))
            bad += 1
            continue
        inputs = random.Random(seed)
        for _ in range(12):
            arguments = [str(inputs.randint(-3, 7) if epochs else inputs.choice([inputs.randint(-3, 7), inputs.randint(-2**31, 2**31 - 1)]))
                         for _ in range(2)]
            outputs = set()
            for _ in range(2):
                run = subprocess.run([binary] + arguments, capture_output=True, text=True, timeout=20)
                outputs.add((run.returncode, run.stdout, run.stderr))
                runs += 1
            if len(outputs) != 1 or next(iter(outputs))[0] != 0:
                print("seed %d, input %s: %s" % (seed, arguments, outputs))
                bad += 1
print("%d programs, %d not complete, %d runs, %d wrong" % (count, unfinished, runs, bad))
sys.exit(bad != 0)
