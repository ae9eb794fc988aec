#!/usr/bin/env bash
# A program may have another sanitizer beside Foretell: it is recorded, analyzed and replayed as without.
. "$(dirname "$0")/common.inc"
# Looking for leaks at the end takes ptrace, which some build containers refuse.
export ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0
cp "$ROOT/examples/audit.cc" .
for sanitizer in address leak undefined; do
  run "$FORETELL" c++ -g -O1 -pthread -fsanitize=$sanitizer audit.cc -o audit; expect_status 0
  run "$FORETELL" run -- ./audit; expect_status 66
  expect_err "data race on 'account.balance' [race-1, confirmed]"
  expect_err "1 race"
done

# Memory that one thread gave back and another got is not the same thing, though LeakSanitizer's allocator hands out the
# same address at once.
cat >reused.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <thread>
int* use(int value) {
  int* place = static_cast<int*>(std::malloc(100));
  *place = value;
  std::free(place);
  return place;
}
int main() {
  int* first = nullptr;
  int* second = nullptr;
  std::thread a([&] { first = use(1); });
  std::thread b([&] { second = use(2); });
  a.join();
  b.join();
  std::puts(first == second ? "same" : "other");
}
END
run "$FORETELL" c++ -g -O0 -pthread -fsanitize=leak reused.cc -o reused; expect_status 0
run "$FORETELL" run -- ./reused; expect_status 0; expect_out "same"; expect_err "no race found"

# What the sanitizer says under the other order is what comes of the race.
cat >late.cc <<'END'
#include <mutex>
#include <thread>
std::mutex lock;
bool done;
int* value = new int(7);
int seen;
int main() {
  std::thread user([] { int v = *value; std::lock_guard guard(lock); seen = v; });
  std::thread owner([] { { std::lock_guard guard(lock); done = true; } delete value; });
  user.join();
  owner.join();
}
END
run "$FORETELL" c++ -g -O1 -pthread -fsanitize=address late.cc -o late; expect_status 0
run "$FORETELL" run --columns=200 -- ./late; expect_status 66
expect_err "the program exits with 1 instead of 0, saying \"AddressSanitizer: heap-use-after-free\"."
