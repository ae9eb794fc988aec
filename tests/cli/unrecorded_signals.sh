#!/usr/bin/env bash
# A program that is instrumented and not recorded: a handler of its own, instrumented too, runs
# between any two instructions of its hooks.
. "$(dirname "$0")/common.inc"

cat >step.c <<'C'
#include <signal.h>

static long steps, data[8];

static void on_step(int signal) {
  (void)signal;
  for (int i = 0; i < 8; i++) steps++;
}

__attribute__((noinline)) static void touch(int times) {
  for (int i = 0; i < times; i++) data[i % 8] += i;
}

int main(void) {
  signal(SIGTRAP, on_step);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  touch(200);
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  long sum = 0;
  for (int i = 0; i < 8; i++) sum += data[i];
  return steps > 0 && sum == 199 * 200 / 2 ? 3 : 1;
}
C
for level in O0 O1 O2; do
  run $FORETELL cc -$level step.c -o step; expect_status 0
  run ./step; expect_status 3; expect_quiet
done
