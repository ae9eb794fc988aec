#!/usr/bin/env bash
# foretell schedules: how many schedules cover the inputs of small programs of known shapes.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"

# shape NAME COUNT BODY: BODY is what main does with two inputs, x and y.
shape() {
  local name=$1 count=$2 body=$3
  cat > "$name.c" <<END
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
int x, y, other, flag;
#define use(m) (pthread_mutex_lock(m), pthread_mutex_unlock(m))
static void set(int *p) { *p = 1; }
int main(int argc, char **argv) {
  if (argc != 3) return 2;
  x = atoi(argv[1]);
  y = atoi(argv[2]);
  $body
  return 0;
}
END
  "$FORETELL" schedules "$name.c" --threads=1 -o "$name.db" > "$name.out"
  grep -Eq ", $count schedules?;? ?.*every input is covered" "$name.out" || {
    echo "$name: expected $count schedules:"; cat "$name.out"; "$FORETELL" schedules show "$name.db"; exit 1; }
}
shape independent 4 'if (x) use(&A); if (y) use(&B);'
shape diamond 4 'if (x) { use(&A); } else { use(&B); } if (y) { use(&A); } else { use(&B); }'
shape exits 1 'if (x == 3) exit(1); use(&A); if (y == 4) abort(); use(&B);'
shape no_synchronization 1 'if (x) other = 1; for (int i = 0; i < 3; i++) if (y > i) other += i;'
shape aliasing_function 4 'if (x) set(&flag); if (flag) use(&A); if (y) use(&B);'
shape aliasing_global 4 'int *p = x ? &flag : &other; *p = 1; if (flag) use(&A); if (y) use(&B);'
shape two_bits 4 'for (int i = 0; i < 2; i++) if (x >> i & 1) use(&A); else use(&B);'
shape nested 12 'if (x > 9) { use(&A); } else if (x == 1) { use(&A); use(&B); }
  if (y == 1) { use(&A); if (x) other = 2; } else if (y == 2) { use(&B); } else if (y == 3) { use(&A); use(&A); }'
shape switch_case 4 'switch (x) { case 1: use(&A); break; case 2: use(&B); break; case 3: use(&A); use(&A); break; default: use(&B); use(&B); }'
shape subsumed 2 'if (x > 5) use(&A); if (x > 5) use(&B);'

# What does not decide synchronization does not matter.
shape off_slice 2 'for (int i = 0; i < 100; i++) other = other * 31 + (y % 7 == 3 ? i : -i); if (x) use(&A);'
