#!/usr/bin/env bash
# The allowed includes of docs/design.md, read off the sources.
set -euo pipefail
cd "$(dirname "$0")/../../src"

declare -A allowed=(
  [base]="base"
  [trace]="base trace runtime"
  [smt]="base smt"
  [order]="base trace smt order"
  [analysis]="base trace order analysis"
  [schedule]="base trace schedule"
  [replay]="base trace order analysis schedule replay"
  [tiddle]="base trace order tiddle"
  [report]="base trace order analysis report"
  [testing]="base trace order analysis schedule replay report testing"
  [cli]="base trace order analysis schedule replay tiddle report testing cli"
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
exit $bad
