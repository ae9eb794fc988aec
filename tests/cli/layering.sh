#!/usr/bin/env bash
# The includes of the sources are those that docs/design.md and docs/runtime.md show.
set -euo pipefail
cd "$(dirname "$0")/../../src"

# The table of docs/design.md.
declare -A allowed=()
while IFS='|' read -r _ room uses _; do
  room=${room// /}
  allowed[$room]="${room%%/*} $uses"
done < <(sed -n '/^| room | includes |$/,/^$/p' ../docs/design.md | sed '1,2d; $d')
# The row of the innermost folder that has one.
row_of() {
  local folder=$1
  while [ -z "${allowed[$folder]:-}" ]; do folder=${folder%/*}; done
  echo "$folder"
}

bad=0
declare -A used_by=()  # "folder used"
for folder in "${!allowed[@]}"; do
  [ -d "$folder" ] || { echo "docs/design.md: there is no src/$folder"; bad=1; }
done
for room in */; do
  room=${room%/}
  [ -n "${allowed[$room]:-}" ] || { echo "docs/design.md: src/$room has no row"; bad=1; continue; }
  grep -q "^src/$room/ " ../docs/design.md || { echo "docs/design.md: src/$room is not in the list of rooms"; bad=1; }
  while IFS=: read -r file line text; do
    used=${text#*\"} used=${used%%/*} row=$(row_of "${file%/*}")
    used_by["$row $used"]=1
    case " ${allowed[$row]} " in
      *" $used "*) ;;
      *) echo "src/$file:$line: ${file%/*} may not include $used"; bad=1 ;;
    esac
  done < <(grep -rnE '^#include "' "$room")
done
for row in "${!allowed[@]}"; do
  for used in ${allowed[$row]}; do
    [ "$used" = "${row%%/*}" ] || [ -n "${used_by["$row $used"]:-}" ] ||
      { echo "docs/design.md: src/$row does not include $used"; bad=1; }
  done
done
# Two rooms know LLVM.
if grep -rnE '^#include <llvm/' --exclude-dir=bitcode --exclude-dir=static_analysis .; then
  echo "only src/bitcode and src/static_analysis may include LLVM"; bad=1
fi

# What is linked into the program, or loaded by the compiler, from the bottom to the top. The name of
# an include says its folder; one without a folder is of the same.
below="recording"
declare -A parts=([recording]="recording" [pass]="$below pass")
for folder in platform record watch threads schedule intercept; do
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
