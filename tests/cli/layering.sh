#!/usr/bin/env bash
# The allowed includes of docs/design.md, read off the sources.
set -euo pipefail
cd "$(dirname "$0")/../../src"

declare -A allowed=(
  [base]="base"
  [trace]="base trace runtime"
  [smt]="base smt"
  [program]="base program"
  [bitcode]="base runtime recording program bitcode"
  [clocks]="base trace clocks"
  [judge]="base trace smt judge"
  [schedule]="base trace schedule"
  [finding]="base trace schedule finding"
  [analysis]="base trace clocks judge finding analysis"
  [pipeline]="base trace clocks judge finding analysis pipeline"
  [launch]="base trace schedule launch"
  [replay]="base trace finding analysis pipeline schedule launch replay"
  [tiddle]="base trace tiddle"
  [report]="base trace clocks finding analysis pipeline report"
  [test_runs]="base trace finding analysis pipeline schedule launch replay report test_runs"
  [cli]="base trace finding analysis pipeline schedule launch replay tiddle report test_runs program bitcode cli"
)
bad=0
for room in */; do
  room=${room%/}
  [ -n "${allowed[$room]:-}" ] || { echo "src/$room is not in the table of allowed includes"; bad=1; continue; }
  while IFS=: read -r file line text; do
    used=$(sed -E 's/.*"([^/"]+)\/.*/\1/' <<<"$text")
    case " ${allowed[$room]} " in
      *" $used "*) ;;
      *) echo "src/$file:$line: $room may not include $used"; bad=1 ;;
    esac
  done < <(grep -rnE '^#include "' "$room")
done
# Only one room knows LLVM.
if grep -rnE '^#include <llvm/' --exclude-dir=bitcode .; then
  echo "only src/bitcode may include LLVM"; bad=1
fi
exit $bad
