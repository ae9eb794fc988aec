#!/usr/bin/env bash
# The allowed includes of docs/design.md and docs/runtime.md, read off the sources.
set -euo pipefail
cd "$(dirname "$0")/../../src"

declare -A allowed=(
  [base]="base"
  [trace]="base trace recording"
  [smt]="base smt"
  [program]="base program"
  [bitcode]="base recording program bitcode"
  [clocks]="base trace clocks"
  [judge]="base trace smt judge"
  [schedule]="base trace schedule"
  [finding]="base trace schedule finding"
  # Analyses propose, and the judge decides: only folders that are named here may ask it themselves.
  [analysis]="base trace clocks finding analysis"
  [analysis/determinism]="base trace clocks judge finding analysis"
  [pipeline]="base trace clocks judge finding analysis pipeline"
  [launch]="base trace schedule launch"
  [replay]="base trace finding analysis pipeline schedule launch replay"
  [tiddle]="base trace tiddle"
  [report]="base trace clocks finding analysis pipeline report"
  [test_runs]="base trace finding analysis pipeline schedule launch replay report test_runs"
  [cli]="base trace finding analysis pipeline schedule launch replay tiddle report test_runs program bitcode cli"
)
# The row of the innermost folder that has one.
allowed_in() {
  local folder=$1
  while [ -z "${allowed[$folder]:-}" ]; do folder=${folder%/*}; done
  echo "${allowed[$folder]}"
}

bad=0
for folder in "${!allowed[@]}"; do
  [ -d "$folder" ] || { echo "there is no src/$folder"; bad=1; }
done
for room in */; do
  room=${room%/}
  [ -n "${allowed[$room]:-}" ] || { echo "src/$room is not in the table of allowed includes"; bad=1; continue; }
  while IFS=: read -r file line text; do
    used=$(sed -E 's/.*"([^/"]+)\/.*/\1/' <<<"$text")
    case " $(allowed_in "${file%/*}") " in
      *" $used "*) ;;
      *) echo "src/$file:$line: ${file%/*} may not include $used"; bad=1 ;;
    esac
  done < <(grep -rnE '^#include "' "$room")
done
# Only one room knows LLVM.
if grep -rnE '^#include <llvm/' --exclude-dir=bitcode .; then
  echo "only src/bitcode may include LLVM"; bad=1
fi

# What is linked into the program, or loaded by the compiler, from the bottom to the top. The name of
# an include says its folder; one without a folder is of the same.
below="recording"
declare -A parts=([recording]="recording" [pass]="$below pass")
for folder in platform record threads schedule intercept; do
  below="$below runtime/$folder"
  parts[runtime/$folder]=$below
done
# They know nothing of each other.
for folder in hooks tsan openmp; do parts[runtime/$folder]="$below runtime/$folder"; done
for folder in hooks tsan; do parts[runtime/$folder]+=" include/foretell"; done
cd ..
for part in recording pass runtime/*/; do
  part=${part%/}
  [ -n "${parts[$part]:-}" ] || { echo "$part is not in the table of allowed includes"; bad=1; continue; }
  while IFS=: read -r file line text; do
    used=$(sed -E 's/.*"([^"]+)".*/\1/' <<<"$text")
    case $used in
      */*) used=${used%/*} ;;
      *) used=$part ;;
    esac
    case " ${parts[$part]} " in
      *" $used "*) ;;
      *) echo "$file:$line: $part may not include $used"; bad=1 ;;
    esac
  done < <(grep -rnE '^ *#include "' "$part")
done
stray=$(find runtime -maxdepth 1 -name '*.cc' -o -maxdepth 1 -name '*.h')
[ -z "$stray" ] || { echo "outside the folders of runtime/: $stray"; bad=1; }

# No table may allow a circle.
for table in allowed parts; do
  declare -n rows=$table
  for row in "${!rows[@]}"; do
    for used in ${rows[$row]}; do echo "$used $row"; done
  done | tsort > /dev/null || { echo "the table '$table' allows a circle"; bad=1; }
done
exit $bad
