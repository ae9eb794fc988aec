#!/usr/bin/env bash
# A short run is recorded by the bodies that watch. It has the steps that --whole records, and a replay counts.
. "$(dirname "$0")/common.inc"

cat >both.cc <<'C'
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <string>

struct Pair {
  long first, second;
};
struct AtEnd {
  ~AtEnd() { count += 1; }
  long count = 0;
} at_end;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static std::map<std::string, Pair> pairs;
static std::atomic<int> ready;
static volatile long handled;
static long table[1 << 14];
static char bytes[64];

static void handle(int) { handled = handled + 1; }
__attribute__((noinline)) static long empty(long n) { return n + 1; }
__attribute__((noinline)) static long deep(long n) { return n == 0 ? table[0] : deep(n - 1) + empty(n); }
__attribute__((noinline)) static void throws(long n) {
  if (table[n] >= 0) throw std::runtime_error("again");
}
static void* work(void* p) {
  const long id = (long)p;
  ready++;
  while (ready < 2) sched_yield();
  long sum = 0;
  for (int round = 0; round < 12; round++) {
    pthread_mutex_lock(&mutex);
    Pair& one = pairs[std::string(1 + round % 3, 'a' + id)];
    one = Pair{one.second, one.first + round};
    memcpy(bytes + 8 * id, &one.first, 8);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 300; i++) sum += table[(i * 37 + id * 8192) % (1 << 14)] + bytes[i % 64];
    for (int i = 0; i < 64; i++) table[i + id * 8192 + round] = sum;
    sum += deep(5);
    try {
      throws(round);
    } catch (const std::exception& e) {
      sum += e.what()[0];
    }
    if (round == 5 && id) raise(SIGUSR1);
  }
  // Often enough for the filter of repeated reads to be looked at, and to be switched off and on.
  for (int i = 0; i < 20000; i++) table[8192 * id + i % 4096] += i & 1 ? sum : table[8192 * id];
  return nullptr;
}
int main() {
  signal(SIGUSR1, handle);
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], nullptr, work, (void*)i);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  return handled == 1 ? 0 : 1;
}
C

for level in -O0 -O2; do
  "$FORETELL" c++ $level -g -pthread both.cc -o both
  for strategy in "--strategy=round-robin" "--strategy=random --quantum=40 --seed=5"; do
    run "$FORETELL" record $strategy -o watched.ftrace -- ./both; expect_status 0
    ! grep -q 'only contended' stderr || fail "the run is not short"
    run "$FORETELL" record --whole $strategy -o whole.ftrace -- ./both; expect_status 0
    # Lines and kinds of steps, thread by thread in the order of the run; addresses may differ.
    for which in watched whole; do
      "$FORETELL" dump $which.ftrace | sed -E 's/0x[0-9a-f]+/A/g; s/stack"[+][0-9]+/stack"/; s/ -?[0-9]{10,}/ N/g; s/#[0-9]+//g' >$which.txt
    done
    cmp watched.txt whole.txt || fail "$level $strategy: $(diff watched.txt whole.txt | head -30)"
    [ "$(wc -l <watched.txt)" -gt 20000 ] || fail "nearly nothing was recorded"
  done
done
