#!/usr/bin/env bash
# Suppressions hide, keep their reasons, and are named when they match nothing; --gen-suppressions writes them.
. "$(dirname "$0")/common.inc"
cp "$ROOT/examples/bank.cc" .
run "$FORETELL" c++ -O1 -g -pthread bank.cc -o bank; expect_status 0
run "$FORETELL" run --gen-suppressions -- ./bank; expect_status 66
expect_out "race:^deposit\$  # data race on 'account.balance' in audit, deposit"
grep '^race:' stdout >generated.txt
run "$FORETELL" run --suppressions=generated.txt -- ./bank; expect_status 0
expect_err "nothing new, 1 suppressed"
if grep -q "data race" stderr; then fail "a suppressed finding is shown"; fi

printf '# what we know\nrace:account.*  # the audit may be a little late\ndeadlock:transfer\n' >known.txt
run "$FORETELL" run --suppressions=known.txt --format=text,sarif:s.sarif,json:s.json,junit:s.xml -- ./bank; expect_status 0
expect_err "known.txt:3: note: the suppression 'deadlock:transfer' matched no finding"
"$ROOT/tests/cli/validate_json.py" "$ROOT/tests/cli/data/sarif-schema-2.1.0.json" s.sarif
python3 - <<'P'
import json
[result] = json.load(open("s.sarif"))["runs"][0]["results"]
[suppression] = result["suppressions"]
assert suppression["justification"] == "the audit may be a little late", suppression
[finding] = json.load(open("s.json"))["findings"]
assert finding["suppressed"] == {"rule": "race:account.*", "reason": "the audit may be a little late"}
assert finding["replay"].startswith("not replayed")
assert 'failures="0"' in open("s.xml").read()
P
# By file, and of another kind.
echo 'race:bank.cc' >file.txt; run "$FORETELL" run --suppressions=file.txt -- ./bank; expect_status 0
echo 'deadlock:*' >kind.txt; run "$FORETELL" run --suppressions=kind.txt -- ./bank; expect_status 66
# Wrong files are said before the program is run.
echo 'rase:x' >wrong.txt; run "$FORETELL" run --suppressions=wrong.txt -- ./bank; expect_status 65
expect_err "wrong.txt:1: error: 'rase' is not a kind of finding"; expect_err "race, deadlock"
[ -z "$out" ] || fail "the program was run"
run "$FORETELL" run --suppressions=missing.txt -- ./bank; expect_status 65
