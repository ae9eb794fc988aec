#!/usr/bin/env bash
# foretell check --weak, --vars, --threads, --states, --level and --paper: what an observer can tell apart.
. "$(dirname "$0")/common.inc"

cp "$ROOT/examples/account.c" .
run "$FORETELL" check account.c; expect_status 66
expect_out "possibly nondeterministic"

# STATICDET, figure 6: the sign is positive in every schedule; both levels of memory know.
for level in 1 2; do
  run "$FORETELL" check --weak=sign --level=$level account.c; expect_status 0
  expect_out "account.c: weakly deterministic (sign): "
done
run "$FORETELL" check --weak=buckets:1,2000 account.c; expect_status 0
run "$FORETELL" check --weak=mod:100 --vars=account.amount account.c; expect_status 0
expect_out "weakly deterministic (mod:100, of account.amount)"
run "$FORETELL" check --weak=mod:200 account.c; expect_status 66
expect_out "the value of 'account"
expect_out "[100, 1000] 0 mod 100 from T2 (withdraw)"
run "$FORETELL" check --vars=account account.c; expect_status 66
run "$FORETELL" check --weak=sign --format=json account.c; expect_status 0
expect_out '"verdict": "weakly deterministic"'
expect_out '"observer": "sign"'

# The document's own property knows no order: both writers count, equal signs are enough.
run "$FORETELL" check --paper account.c; expect_status 66
expect_out "from T1 (deposit), "
run "$FORETELL" check --paper --weak=sign account.c; expect_status 0
expect_out "weakly deterministic (sign, as in the paper)"

# z has one writer, but its sign follows from a value that depends on the schedule.
cat >tagged.c <<'C'
#include <pthread.h>
int x = 1, y, z = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *unused) {
  pthread_mutex_lock(&lock);
  x = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}
void *second(void *unused) {
  pthread_mutex_lock(&lock);
  int seen = x;
  pthread_mutex_unlock(&lock);
  y = seen * 2;
  z = seen == 1 ? -1 : 1;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
C
run "$FORETELL" check --weak=sign tagged.c; expect_status 66
expect_out "the value of 'z' may depend on the schedule"
run "$FORETELL" check --weak=sign --vars=x,y tagged.c; expect_status 0
run "$FORETELL" check --weak=parity --vars=z tagged.c; expect_status 0
run "$FORETELL" check --weak=parity --vars=x tagged.c; expect_status 66
# In the end x is 2 in any schedule.
run "$FORETELL" check --vars=x --states=final tagged.c; expect_status 0
run "$FORETELL" check --vars=x --states=reads tagged.c; expect_status 66
run "$FORETELL" check --vars=x --threads=first tagged.c; expect_status 0
run "$FORETELL" check --vars=x --threads=second tagged.c; expect_status 66

# Threads of one kind are two writers; what nobody bounds is in no block; loops are widened.
cat >loops.c <<'C'
#include <pthread.h>
int even, wild;
double half = 4;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *work(void *argument) {
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&lock);
    even = even * 3 + 2;
    half = half / 2 + 1;
    wild = even > 100 ? -even : even + 1;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(int count, char **names) {
  pthread_t threads[100];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
  return 0;
}
C
run "$FORETELL" check --weak=parity --vars=even loops.c; expect_status 0
run "$FORETELL" check --weak=sign --vars=half loops.c; expect_status 0
run "$FORETELL" check --weak=sign --vars=wild loops.c; expect_status 66
run "$FORETELL" check --weak=constant --vars=even loops.c; expect_status 66

# Output is observed, too, unless variables are named.
cat >output.c <<'C'
#include <pthread.h>
#include <stdio.h>
int x = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *add(void *unused) {
  pthread_mutex_lock(&lock);
  x = x * 2 + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, add, 0);
  pthread_mutex_lock(&lock);
  int seen = x;
  pthread_mutex_unlock(&lock);
  if (seen == 1) puts("early");
  pthread_join(a, 0);
  return 0;
}
C
run "$FORETELL" check --weak=parity output.c; expect_status 66
expect_out "whether 'puts' is called"
run "$FORETELL" check --weak=parity --vars=x output.c; expect_status 0

run "$FORETELL" check --weak=colour account.c; expect_status 65; expect_err "'colour' is no observation"
run "$FORETELL" check --vars=nothing account.c; expect_status 65; expect_err "no variable 'nothing'"
run "$FORETELL" check --threads=nobody account.c; expect_status 65; expect_err "no thread 'nobody'"
run "$FORETELL" check --races --weak=sign account.c; expect_status 64; expect_err "--races has no observers"
