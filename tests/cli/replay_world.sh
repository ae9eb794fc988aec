#!/usr/bin/env bash
# A replay waits for what comes from outside (a client, a child) where the recorded run had it
# already, and does not let others run instead.
. "$(dirname "$0")/common.inc"

cat >prog.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int came;
static FILE* child;
static void* work(void* argument) {
  char line[8] = "";
  if (read(fileno(child), line, sizeof line) > 0) fputs(line, stdout);
  came = 1;
  return argument;
}
int main(void) {
  child = popen("./answer", "r");
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (!came) sched_yield();
  pthread_join(thread, NULL);
  return pclose(child);
}
C
# Slower the second time, so that the replay is ahead of it.
cat >answer <<'S'
#!/bin/sh
[ -e again ] && sleep 0.5
: >again
echo hello
S
chmod +x answer
"$FORETELL" cc -O1 -g -pthread prog.c -o prog
run "$FORETELL" record -- ./prog; expect_status 0; expect_out hello
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1
expect_status 0; expect_out hello; expect_err Reproduced

# It does not wait for ever for what never comes.
printf '#!/bin/sh\nsleep 30\n' >answer
run "$FORETELL" replay --timeout=60 --schedule=.foretell/latest/schedules/recorded.ft1
expect_status 65; expect_err "T1 was to continue but is blocked"
