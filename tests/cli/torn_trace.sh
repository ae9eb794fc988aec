#!/usr/bin/env bash
# A trace whose writer was killed is read up to its last good chunk, and says so.
. "$(dirname "$0")/common.inc"
awk 'BEGIN { for (i = 0; i < 140000; i++) print "wr " i % 3 " x" i % 2 }' >t.tiddle
"$FORETELL" dump t.tiddle --to=ftrace -o t.ftrace
head -c $(($(stat -c %s t.ftrace) - 100)) t.ftrace >torn.ftrace
run "$FORETELL" analyze torn.ftrace --analysis=fasttrack; expect_status 66; expect_out "torn"
run "$FORETELL" analyze torn.ftrace --analysis=fasttrack --strict; expect_status 69
cp t.ftrace bad.ftrace
printf 'XXXX' | dd of=bad.ftrace bs=1 seek=200 conv=notrunc status=none
run "$FORETELL" analyze bad.ftrace; expect_status 65
