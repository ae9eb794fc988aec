#!/usr/bin/env bash
# A baseline: what is known passes, what is new fails, what is fixed and comes back is a regression.
. "$(dirname "$0")/common.inc"
cp "$ROOT/examples/bank.cc" bank.cc
sed 's|^void audit() {|&\n  std::lock_guard<std::mutex> guard(account.lock);|' bank.cc >fixed.cc
cp bank.cc bug.cc
build() { run "$FORETELL" c++ -O1 -g -pthread bank.cc -o bank; expect_status 0; }
build
run "$FORETELL" baseline; expect_status 65; expect_err ".foretell"
run "$FORETELL" run -- ./bank; expect_status 66
run "$FORETELL" baseline; expect_status 0
expect_out "foretell.baseline created: 1 new, 0 known before, 0 fixed, 0 back again; 1 known now"
grep -qE "^[0-9a-f]{16} known race bank - data race on 'account.balance' in audit, deposit$" foretell.baseline || fail "$(cat foretell.baseline)"

run "$FORETELL" run --baseline=foretell.baseline --format=text,sarif:k.sarif -- ./bank; expect_status 0
expect_err "bank.cc:18:19: known: data race on 'account.balance' [race-1, confirmed]"
expect_err "nothing new, 1 known"
grep -q '"baselineState": "unchanged"' k.sarif || fail "no baselineState"

# Rebuilt with lines above it: still known.
sed -i '1i // one line more' bank.cc; build
run "$FORETELL" run --baseline=foretell.baseline -- ./bank; expect_status 0
# Another race is new.
sed 's|std::printf|account.balance = 0; &|' bug.cc >bank.cc; build
run "$FORETELL" run --baseline=foretell.baseline --format=text,sarif:n.sarif -- ./bank; expect_status 66
expect_err "(new)"
grep -q '"baselineState": "new"' n.sarif || fail "no new result"

# Fixed: said, passes, and written down by an update.
cp fixed.cc bank.cc; build
run "$FORETELL" run --baseline=foretell.baseline --format=text,sarif:f.sarif -- ./bank; expect_status 0
expect_err "fixed: data race on 'account.balance' in audit, deposit is no longer found"
run "$FORETELL" baseline foretell.baseline; expect_status 0; expect_out "updated: 0 new, 0 known before, 1 fixed"
grep -q "^[0-9a-f]* fixed race" foretell.baseline || fail "$(cat foretell.baseline)"
# Back again.
cp bug.cc bank.cc; build
run "$FORETELL" run --baseline=foretell.baseline --format=text,sarif:r.sarif -- ./bank; expect_status 66
expect_err "1 regression"
for file in k n f r; do
  "$ROOT/tests/cli/validate_json.py" "$ROOT/tests/cli/data/sarif-schema-2.1.0.json" $file.sarif
done

# Reports of several programs in one baseline.
cp "$ROOT/examples/transfer.cc" .
run "$FORETELL" c++ -O1 -g -pthread transfer.cc -o transfer; expect_status 0
run "$FORETELL" run --format=json:t.json -- ./transfer; expect_status 66
run "$FORETELL" run --format=json:b.json -- ./bank; expect_status 66
run "$FORETELL" baseline all.baseline --report=t.json --report=b.json; expect_status 0; expect_out "2 known now"
run "$FORETELL" run --baseline=all.baseline -- ./transfer; expect_status 0
if grep -q fixed stderr; then fail "a finding of another program is called fixed"; fi
echo '{}' >broken.baseline
run "$FORETELL" run --baseline=broken.baseline -- ./bank; expect_status 65; expect_err "broken.baseline is not a Foretell baseline"
