#!/usr/bin/env bash
# docs/github-actions.yml does what it says in a project that has only the installed package: with the bug its job fails and
# uploads what was found, when it is fixed it passes.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.inc"
run cmake --install "$(dirname "$FORETELL")/.." --prefix "$scratch/prefix"; expect_status 0
export PATH="$scratch/prefix/bin:$PATH"
cp -r "$scratch/prefix/share/doc/foretell/examples/cmake_project" project
cd project
workflow() {
  run python3 "$here/run_workflow.py" "$ROOT/docs/github-actions.yml" "$scratch/prefix"
  expect_status 0
  expect_out "Install: not here"; expect_out "Build: exited with 0"
  expect_out "Show the findings as alerts: foretell.sarif: foretell.sarif"
  "$here/validate_json.py" "$here/data/sarif-schema-2.1.0.json" foretell.sarif
  results=$(python3 -c 'import json; print(*(r["level"] for r in json.load(open("foretell.sarif"))["runs"][0]["results"]))')
}
workflow
expect_out "Test: exited with 66"
expect_err "::error file=bank.h,line=8"
[ "$results" = error ] || fail "foretell.sarif has '$results'"
expect_out "Keep what was found: foretell*: foretell.html foretell.sarif foretell.xml"
expect_out "Keep what was found: .foretell/latest/: .foretell/latest/"

sed -i 's/std::mutex mutex_;/mutable &/; s/{ return balance_; }/{\n    std::lock_guard<std::mutex> guard(mutex_);\n    return balance_;\n  }/' bank.h
workflow
expect_out "Test: exited with 0"; expect_out "Keep what was found: skipped"
[ -z "$results" ] || fail "foretell.sarif still has '$results'"
