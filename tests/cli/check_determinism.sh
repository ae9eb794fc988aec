#!/usr/bin/env bash
# foretell check without --races: what it prints about determinism, and what it refuses.
. "$(dirname "$0")/common.inc"

cat >account.c <<'C'
#include <pthread.h>
struct { pthread_mutex_t lock; int amount; } account = {PTHREAD_MUTEX_INITIALIZER, 1000};
int seen;
void *withdraw(void *money) {
  pthread_mutex_lock(&account.lock);
  account.amount -= 100;
#ifdef SEEN
  seen = account.amount;
#endif
  pthread_mutex_unlock(&account.lock);
  return money;
}
void *deposit(void *money) {
  pthread_mutex_lock(&account.lock);
  account.amount += 100;
  pthread_mutex_unlock(&account.lock);
  return money;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, withdraw, 0);
  pthread_create(&b, 0, deposit, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return account.amount + seen;
}
C
run "$FORETELL" check account.c; expect_status 0
expect_out "is only added to or subtracted from, in any order"
expect_out "account.c: same result in any order"
run "$FORETELL" check account.c -- -DSEEN; expect_status 66
expect_out "account.c:8:18: note: read by T1 (withdraw), holding 'account'"
expect_out "their lock does not decide which is first"
expect_out "possibly nondeterministic: 1 thing is"

# One more format, for programs.
run "$FORETELL" check --format=json account.c -- -DSEEN; expect_status 66
expect_out '"status": "not proved"'
expect_out '"remedy": "join T1 (withdraw) before T2 (deposit) is started"'
run "$FORETELL" check --format=text,json:out.json account.c; expect_status 0
grep -q '"verdict": "same result in any order"' out.json || fail "out.json"
run "$FORETELL" check --format=html:x.html account.c; expect_status 64; expect_err "text and json only"
run "$FORETELL" check --races --format=json account.c; expect_status 64; expect_err "text only"

# Programs with one thread have nothing to depend on; what cannot be seen into is named.
printf 'int main(void) { return 0; }\n' >one.c
run "$FORETELL" check one.c; expect_status 0; expect_out "one.c: deterministic: "
printf 'void other(void);\nint main(void) { other(); return 0; }\n' >unknown.c
run "$FORETELL" check unknown.c; expect_status 66; expect_out "note: --assume=other accepts it"
run "$FORETELL" check --assume=other unknown.c; expect_status 0; expect_out "assumed, as you asked: other"
run "$FORETELL" check missing.c; expect_status 65; expect_err "missing.c"
