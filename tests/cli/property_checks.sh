#!/usr/bin/env bash
# Properties: shown, checked on traces and programs, replayed; mistakes in them.
. "$(dirname "$0")/common.inc"
cat >two.prop <<'END'
property alternate {
  event on = user on;
  event off = user off;
  alternate on off;
}
END
run "$FORETELL" property show two.prop; expect_status 0
run "$FORETELL" property show --format=dot two.prop; expect_status 0
expect_out "digraph \"alternate\""
run "$FORETELL" property show --format=hoa two.prop; expect_status 0
expect_out "HOA: v1"
run "$FORETELL" property show --format=html two.prop; expect_status 0
expect_out "<svg"

# The recorded run alternates; the sections may change places.
printf 'acq 1 m\nuser 1 on\nrel 1 m\nacq 1 m\nuser 1 off\nrel 1 m\nacq 2 m\nuser 2 on\nrel 2 m\nacq 2 m\nuser 2 off\nrel 2 m\n' >two.tiddle
run "$FORETELL" analyze --property=two.prop two.tiddle; expect_status 66
expect_out "property 'alternate' is violated"
expect_out "predicted"
run "$FORETELL" analyze --property=two.prop --compare two.tiddle; expect_status 66
grep -Eq 'alternate +1 +4 +holds +holds +violated' stdout || fail "no table"

# One section each: nothing can come between.
printf 'acq 1 m\nuser 1 on\nuser 1 off\nrel 1 m\nacq 2 m\nuser 2 on\nuser 2 off\nrel 2 m\n' >one.tiddle
run "$FORETELL" analyze --property=two.prop one.tiddle; expect_status 0
grep -Eq 'alternate +1 +4 +holds +- +holds' stdout || fail "no table"

# What the run itself violates; what it has no step of; suppressions.
printf 'user 1 on\nuser 1 on\n' >bad.tiddle
run "$FORETELL" analyze --property=two.prop bad.tiddle; expect_status 66
printf 'property:alternate  # known\n' >known
run "$FORETELL" analyze --property=two.prop --suppressions=known bad.tiddle; expect_status 0
printf 'rd 1 x\n' >none.tiddle
run "$FORETELL" analyze --property=two.prop none.tiddle; expect_status 0
expect_out "no step of the run is an event of property 'alternate': it was not tested"

# Several traces at once: each has its own report, and findings of one of them are the status.
run "$FORETELL" analyze --property=two.prop one.tiddle two.tiddle none.tiddle; expect_status 66
expect_out "one.tiddle: "
expect_out "two.tiddle: "
expect_out "none.tiddle: "
expect_out "property 'alternate' is violated"
run "$FORETELL" analyze --property=two.prop one.tiddle none.tiddle; expect_status 0
run "$FORETELL" analyze --property=two.prop one.tiddle missing.tiddle; expect_status 65
run "$FORETELL" analyze --property=two.prop --format=json one.tiddle two.tiddle; expect_status 64
expect_err "is about one trace"

# Atomicity as the document has it: no run keeps the block together.
cat >atomic.prop <<'END'
property together {
  event begin = user begin;
  event end = user end;
  event touch = write x;
  atomic begin end;
}
END
printf 'user 1 begin\nwr 1 x\nwr 2 x\nuser 1 end\n' >moves.tiddle
run "$FORETELL" analyze --analysis=velodrome --property=atomic.prop moves.tiddle; expect_status 0
printf 'user 1 begin\nwr 1 x 1\nrd 2 x 1\nwr 2 x 2\nrd 1 x 2\nuser 1 end\n' >stays.tiddle
run "$FORETELL" analyze --analysis=velodrome --property=atomic.prop stays.tiddle; expect_status 66
expect_out "no run satisfies it"

# Mistakes.
printf 'property p {\n  event a = call;\n}\n' >wrong.prop
run "$FORETELL" analyze --property=wrong.prop one.tiddle; expect_status 65
expect_err "wrong.prop:2:17: error: expected a name after 'call', found ';'"
run "$FORETELL" analyze --property=missing.prop one.tiddle; expect_status 65
run "$FORETELL" analyze --compare one.tiddle; expect_status 64
expect_err "--property, which is missing"
run "$FORETELL" cc --property=wrong.prop -c x.c; expect_status 65

# Programs: hooks, arguments, replay.
programs=$ROOT/tests/cli/property
run "$FORETELL" c++ -O1 -pthread --property="$programs/suspend.prop" "$programs/suspend.cc" -o suspend
expect_status 0
run "$FORETELL" run --property="$programs/suspend.prop" -- ./suspend; expect_status 66
expect_err "property 'alternation' is violated: c = client [property-1, confirmed]"
run "$FORETELL" replay property-1; expect_status 66
run "$FORETELL" explain property-1; expect_status 0
expect_out "pattern (suspend resume)*"
run "$FORETELL" run --analysis=fasttrack --property="$programs/loader.prop" -- ./suspend; expect_status 0
expect_err "the program has none of the functions of property 'package': it was not tested"
run "$FORETELL" c++ -O1 -pthread "$programs/suspend.cc" -o plain; expect_status 0
run "$FORETELL" run --property="$programs/suspend.prop" -- ./plain; expect_status 65
expect_err "for which the program has no hook"
run "$FORETELL" c++ -O1 -pthread --property="$programs/suspend.prop" "$programs/suspend_ok.cc" -o fine
run "$FORETELL" run --property="$programs/suspend.prop" -- ./fine; expect_status 0

# Figure 11 of SLICED: a trial, since the second check reads what the first pop wrote.
run "$FORETELL" c++ -O1 -pthread --property="$programs/handler.prop" "$programs/handler.cc" -o handler
run "$FORETELL" run --analysis=fasttrack --property="$programs/handler.prop" -- ./handler; expect_status 66
expect_err "property 'pop_after_check' is violated: s = reuse [property-1, confirmed]"
run "$FORETELL" c++ -O1 -pthread --property="$programs/handler.prop" "$programs/handler_ok.cc" -o handler_ok
run "$FORETELL" run --analysis=fasttrack --property="$programs/handler.prop" -- ./handler_ok; expect_status 0

# The library of properties.
cat "$ROOT/share/properties/"{pthread,protocols}.prop >rules.prop
run "$FORETELL" property show rules.prop; expect_status 0
for program in rules_ok rules_bad; do
  run "$FORETELL" cc -O1 -pthread --property=rules.prop "$programs/$program.c" -o "$program"; expect_status 0
done
run "$FORETELL" run --property=rules.prop -- ./rules_ok; expect_status 0
run "$FORETELL" run --property=rules.prop -- ./rules_bad; expect_status 66
expect_err "property 'unlock_by_owner' is violated"
