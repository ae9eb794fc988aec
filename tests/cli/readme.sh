#!/usr/bin/env bash
# The README's reports, and those of docs/determinism.md and docs/deadlocks.md, are what is printed.
# UPDATE=1 tests/cli/readme.sh writes them anew.
document=$(cd "$(dirname "$0")" && pwd)/run_document.py
. "$(dirname "$0")/common.inc"
cp -r "$ROOT/examples" .
export PATH="$(dirname "$FORETELL"):$PATH" LC_ALL=C NO_COLOR=1
for page in README.md docs/determinism.md docs/deadlocks.md; do
  python3 "$document" "$ROOT/$page" ${UPDATE:+--update}
done
