#!/usr/bin/env bash
# The pre-commit hook, installed as CONTRIBUTING.md says, refuses what is staged and not formatted, and nothing else.
. "$(dirname "$0")/common.inc"
install=$(grep -m 1 -o 'git config core.hooksPath [^ `]*' "$ROOT/CONTRIBUTING.md")
git init -q .
git config user.name "A Person"; git config user.email person@example.com
mkdir scripts
cp -r "$ROOT/.githooks" "$ROOT/.clang-format" .
cp "$ROOT/scripts/lint" scripts/
$install
echo 'int f();' >good.h
git add good.h
run git commit -m "A formatted header"; expect_status 0

echo 'int  g( );' >'bad one.cc'
git add 'bad one.cc'
run git commit -m "A source that is not formatted"; expect_status 1
expect_err "bad one.cc is not formatted: clang-format-19 -i 'bad one.cc'"
clang-format-19 -i 'bad one.cc'
run git commit -m "Formatted, but not staged"; expect_status 1
git add 'bad one.cc'
# What is not staged does not count.
echo 'int  h( );' >>good.h
run git commit -m "A formatted source"; expect_status 0
[ "$(git rev-list --count HEAD)" = 2 ] || fail "expected two commits"
