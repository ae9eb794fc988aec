#!/usr/bin/env bash
# What is installed works from where it is installed: the example project, manual pages, completions.
. "$(dirname "$0")/common.inc"
run cmake --install "$(dirname "$FORETELL")/.." --prefix "$scratch/prefix"; expect_status 0
prefix=$scratch/prefix
cp -r "$prefix/share/doc/foretell/examples/cmake_project" project
run cmake -S project -B build -DBANK_FORETELL=ON -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER=clang++-19
expect_status 0
run cmake --build build; expect_status 0
run "$prefix/bin/foretell" test -- ctest --test-dir build -j2; expect_status 66
expect_err "balance_' [race-1, confirmed]"; expect_err "test    deposit_test"
expect_err "2 processes of 2 tests"

mkdir man
run "$prefix/bin/foretell" man --output=man; expect_status 0
for page in foretell foretell-test foretell-run foretell-baseline; do
  [ -s "man/$page.1" ] || fail "no page $page.1"
done
grep -q 'fail\\-on' man/foretell-test.1 || fail "foretell-test.1 lacks an option"
if [ -e "$prefix/share/man" ]; then
  cmp "$prefix/share/man/man1/foretell-test.1" man/foretell-test.1 || fail "the installed page is an old one"
  run bash -c ". '$prefix/share/bash-completion/completions/foretell'
    COMP_WORDS=(foretell test --fail); COMP_CWORD=2; _foretell; echo \"\${COMPREPLY[@]}\""
  expect_out "--fail-on"
fi

# What a package holds does not depend on what was built before: cpack builds it.
tree=$(dirname "$FORETELL")/..
grep -q 'CPACK_PROJECT_CONFIG_FILE.*build_packaged.cmake' "$tree/CPackConfig.cmake" || fail "cpack does not build"
grep -q -- '--target packaged' "$tree/build_packaged.cmake" || fail "cpack builds something else"
for part in manual bin/foretell foretell_bitcode.so foretell_pass.so libforetell_constrained.a libforetell_rt.so; do
  prints "$part" ninja -C "$tree" -t query packaged || fail "the package can lack $part"
done
