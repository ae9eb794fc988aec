#!/usr/bin/env bash
# SLICED's subjects with races and properties that happens-before does not see in the recorded run (tables 2 and 3).
. "$(dirname "$0")/common.inc"
programs=$ROOT/tests/cli/property
line_of() { # FILE NAME: of the first line marked RACE(NAME)
  grep -n "// RACE($2)\$" "$programs/$1" | head -1 | cut -d: -f1
}
build() { # FILE OPTIONS...
  run "$FORETELL" c++ -O1 -g -pthread "${@:2}" --property="$programs/${1%.cc}.prop" "$programs/$1" -o program
  expect_status 0
}

# Locks of its own that wait in a loop; the second variant's disk is memory.
for variant in DAISY1 DAISY2; do
  build daisy.cc "-D$variant"
  run "$FORETELL" run --seed=1 --property="$programs/daisy.prop" --compare -- ./program; expect_status 66
  expect_err "daisy.cc:$(line_of daisy.cc end):12: error: data race on 'disk_end' [race-1, confirmed]"
  expect_err "property 'live_blocks' is violated: b = 0 [property-1, confirmed]"
  grep -Eq 'live_blocks +2 +3 +holds +holds +violated' stderr || fail "happens-before must not see it"
  if [ $variant = DAISY2 ]; then expect_err "data race on 'disk.bytes_"; else expect_err ": 1 race, 1 property"; fi
  run "$FORETELL" analyze .foretell/latest/trace.ftrace --analysis=fasttrack; expect_status 0
done

# What happens-before sees is not all: the order of two log lines hides the second race.
build http_server.cc
run "$FORETELL" run --seed=1 --property="$programs/http_server.prop" -- ./program; expect_status 66
expect_err "property 'alternation' is violated"
expect_err "http_server.cc:$(line_of http_server.cc last)"
run "$FORETELL" analyze .foretell/latest/trace.ftrace --analysis=fasttrack; expect_status 66
expect_out "'served'"
grep -q "'last'" stdout && fail "happens-before sees it"
exit 0
