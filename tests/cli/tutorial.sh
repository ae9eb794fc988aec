#!/usr/bin/env bash
# docs/tutorial.md in an empty folder, with nothing but an installed Foretell: every command prints what
# is shown there. UPDATE=1 tests/cli/tutorial.sh writes it anew.
document=$(cd "$(dirname "$0")" && pwd)/run_document.py
. "$(dirname "$0")/common.inc"
run cmake --install "$(dirname "$FORETELL")/.." --prefix "$scratch/prefix"; expect_status 0
mkdir bank && cd bank
export PATH="$scratch/prefix/bin:$PATH" CMAKE_PREFIX_PATH="$scratch/prefix" LC_ALL=C NO_COLOR=1
unset FORETELL
python3 "$document" "$ROOT/docs/tutorial.md" ${UPDATE:+--update}
