#!/usr/bin/env bash
# Limits that hold: time, disk, signals; and whoever kills Foretell kills what it has started.
. "$(dirname "$0")/common.inc"

# What still runs of a program, by its unusual name.
running() { pgrep -f "^./$1( |\$)" || true; }
expect_running() {  # NAME COUNT
  for _ in $(seq 100); do
    [ "$(running "$1" | wc -l)" -ge "$2" ] && return
    sleep 0.1
  done
  fail "$1 does not run"
}
expect_gone() {
  for _ in $(seq 50); do
    [ -z "$(running "$1")" ] && return
    sleep 0.1
  done
  fail "$1 is still running"
}
# within SECONDS: since the last `begin`.
begin() { began=$(date +%s%N); }
within() { (($(date +%s%N) - began < $1 * 1000000000)) || fail "took longer than $1 s"; }

cat >spin.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
volatile int x;
int pause_between = 1000000;
void *spin(void *a) {
  const int n = pause_between;
  for (;;) {
    x++;
    for (int i = 0; i < n; i++) __asm__ volatile("");
  }
  return a;
}
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "stubborn")) signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN);
    if (!strcmp(argv[i], "fast")) pause_between = 0;
    /* One child in our group, one that has left it. */
    if (!strcmp(argv[i], "children")) {
      if (fork() == 0) for (;;) pause();
      if (fork() == 0) { setsid(); for (;;) pause(); }
    }
  }
  pthread_t id;
  pthread_create(&id, 0, spin, 0);
  spin(0);
}
END
name=spin_$$
run "$FORETELL" cc -O1 -g -pthread spin.c -o $name; expect_status 0

# --budget: of a program that never ends, and of everything after it.
begin
run "$FORETELL" run --quantum=20 --budget=8s -- ./$name; expect_status 66
within 10
expect_err "the report covers what was recorded until then"
expect_err "data race on 'x'"
expect_gone $name

# --timeout: a program that ignores signals and has children.
begin
run "$FORETELL" record --timeout=1 -- ./$name stubborn children
within 4
expect_gone $name

# --disk-limit: recording stops, the rest of the command works on what there is.
rm -rf .foretell
run "$FORETELL" record --timeout=1 --disk-limit=16M -- ./$name fast
expect_err "recording stopped early: the file would become larger than allowed"
[ "$(du -sk .foretell | cut -f1)" -le 16384 ] || fail "the disk limit was not kept: $(du -sk .foretell)"
run "$FORETELL" run --disk-limit=lots -- ./$name; expect_status 64
expect_err "'lots' is not a size"
rm -rf .foretell

# A signal ends it with a report, even if the program ignores the signal.
for signal in INT TERM; do
  begin
  status=0
  "$FORETELL" run --quantum=20 --no-replay -- ./$name stubborn >stdout 2>stderr & foretell=$!
  expect_running $name 1
  sleep 0.5  # so that both threads have had their turn
  kill -$signal $foretell
  wait $foretell || status=$?
  out=$(<stdout) err=$(<stderr)
  expect_status 66
  within 15
  expect_err "interrupted: the report covers what was recorded so far"
  expect_err "data race on 'x'"
  expect_gone $name
done
rm -rf .foretell

# SIGKILL: nothing survives, nothing is left.
"$FORETELL" run -- ./$name stubborn children >stdout 2>stderr & foretell=$!
expect_running $name 3
kill -KILL $foretell
wait $foretell || true
expect_gone $name
for _ in $(seq 50); do
  [ -z "$(find .foretell -type f)" ] && break
  sleep 0.1
done
[ -z "$(find .foretell -type f)" ] || fail "left behind: $(find .foretell -type f)"

# The same in a test run, with the command's children.
printf '#!/bin/sh\n./%s children & ./%s stubborn\n' $name $name >suite.sh
chmod +x suite.sh
"$FORETELL" test -- ./suite.sh >stdout 2>stderr & foretell=$!
expect_running $name 4
kill -KILL $foretell
wait $foretell || true
expect_gone $name
