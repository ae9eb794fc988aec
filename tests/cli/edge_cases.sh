#!/usr/bin/env bash
# Inputs at the edge: empty, one thread, stdin, CRLF, many threads, many locks, a very long line.
# SCALE is the size of the large ones in percent.
. "$(dirname "$0")/common.inc"
scale=${SCALE:-100}
threads=$((100 * scale)) locks=$((10000 * scale)) bytes=$((2000000 * scale))
: >empty; run "$FORETELL" analyze empty; expect_status 0; expect_out "0 events"
printf 'wr 1 x\nrd 1 x\n' >one; run "$FORETELL" analyze one --analysis=all; expect_status 0; expect_out "no race"
run "$FORETELL" analyze - <<<$'wr 1 x\nwr 2 x'; expect_status 66; expect_out "<stdin>"
printf 'wr 1 x\r\nwr 2 x\r\n' >crlf; run "$FORETELL" analyze crlf; expect_status 66
awk -v n="$threads" 'BEGIN { for (i = 1; i <= n; i++) print "fork 0 " i; for (i = 1; i <= n; i++) print "wr " i " v" i % (n * 0.99) }' >threads
run "$FORETELL" analyze threads --analysis=all; expect_status 66; expect_out "$((threads + 1)) threads"
awk -v n="$locks" 'BEGIN { for (i = 0; i < n; i++) print "acq 1 l" i "\nrel 1 l" i }' >locks
run "$FORETELL" analyze locks --analysis=all; expect_status 0; expect_out "$locks locks"
head -c "$bytes" /dev/zero | tr '\0' 'a' >line; run "$FORETELL" analyze line; expect_status 65
[ "$(wc -c <stderr)" -lt 500 ] || fail "the message is as long as the line"
run "$FORETELL" analyze line --input-format=std; expect_status 65
[ "$(wc -c <stderr)" -lt 500 ] || fail "the message is as long as the line"
head -c 100000 /dev/urandom >garbage; run "$FORETELL" analyze garbage; expect_status 65
