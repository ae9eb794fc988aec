#!/usr/bin/env bash
# A program with more rights than its user ignores FORETELL_OPTIONS: the user could have it write files.
. "$(dirname "$0")/common.inc"
status=0 out= err=
if [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
  echo "only root can try this" && exit 0
fi
echo 'int x; int main(void) { return x++; }' >prog.c
"$FORETELL" cc -O1 prog.c -o prog
# A library that others may not read is not loaded either.
setpriv --reuid=65534 --clear-groups test -r "$(dirname "$FORETELL")/../lib/foretell/libforetell_rt.so" ||
  { echo "another user cannot read the runtime" && exit 0; }
chmod 777 . && chmod 4755 prog
run env FORETELL_OPTIONS="record=$PWD/own" ./prog
expect_status 0
[ -s own ] || fail "the program records if it has no foreign rights"
run setpriv --reuid=65534 --clear-groups env FORETELL_OPTIONS="record=$PWD/foreign" ./prog
expect_status 0
[ ! -e foreign ] || fail "a program with foreign rights obeyed FORETELL_OPTIONS"
