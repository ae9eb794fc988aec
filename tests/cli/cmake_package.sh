#!/usr/bin/env bash
# An installed Foretell serves projects outside the tree: foretell_instrument(), the toolchain file,
# and gcc as the second front end.
. "$(dirname "$0")/common.inc"
build=$(cd "$(dirname "$FORETELL")/.." && pwd)
run cmake --install "$build" --prefix "$scratch/prefix"; expect_status 0
prefix=$scratch/moved
mv "$scratch/prefix" "$prefix"  # an installed tree can be moved
for part in bin/foretell bin/foretell-clang bin/foretell-clang++ lib/foretell/libforetell_rt.so \
  lib/foretell/foretell_pass.so lib/cmake/Foretell/ForetellConfig.cmake \
  lib/cmake/Foretell/ForetellToolchain.cmake; do
  [ -e "$prefix/$part" ] || fail "not installed: $part"
done
[ ! -e "$ROOT/include/foretell/foretell.h" ] || [ -e "$prefix/include/foretell/foretell.h" ] || fail "no foretell.h"

mkdir project
cat >project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(Outside LANGUAGES C CXX)
option(INSTRUMENT "" ON)
find_package(Threads REQUIRED)
add_library(part STATIC part.c)
add_library(plug SHARED plug.cc)
add_executable(prog main.cc)
add_executable(plain plain.c)
target_link_libraries(prog part plug Threads::Threads)  # the plain signature
if(INSTRUMENT)
  find_package(Foretell 0.2 REQUIRED)
  foretell_instrument(part plug prog)
endif()
C
printf 'int part_value;\nint part(int n) { return part_value += n; }\n' >project/part.c
printf 'int x;\nint main(void) { return x = 0; }\n' >project/plain.c
printf 'int plug_value;\nint plug(int n) { return plug_value += n; }\n' >project/plug.cc
cat >project/main.cc <<'C'
#include <cstdio>
#include <thread>
extern "C" int part(int);
int plug(int);
int shared;
int main() { std::thread t([] { shared = part(1) + plug(2); }); t.join(); std::printf("sum %d\n", shared); }
C
instrumented() { prints " U $2" nm -D "$1" || fail "$1 is not instrumented"; }
try() {  # folder, cmake options
  local folder=$1
  shift
  run cmake -S project -B "$folder" "$@"; expect_status 0
  run cmake --build "$folder"; expect_status 0
  run "$folder/prog"; expect_status 0; expect_out "sum 3"
}
try clang -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19
instrumented clang/prog __foretell_check; instrumented clang/libplug.so __foretell_check
! prints libforetell_rt readelf -d clang/plain || fail "a target was instrumented unasked"
try toolchain -DINSTRUMENT=OFF -DCMAKE_TOOLCHAIN_FILE="$prefix/lib/cmake/Foretell/ForetellToolchain.cmake" -DCMAKE_BUILD_TYPE=Release
instrumented toolchain/prog __foretell_check; instrumented toolchain/libplug.so __foretell_check
if prints __tsan_init nm -D "$prefix/lib/foretell/libforetell_rt.so"; then
  try gcc -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
  instrumented gcc/prog __tsan_; instrumented gcc/libplug.so __tsan_
  ! prints libtsan readelf -d gcc/prog || fail "gcc's own runtime is linked"
fi

# Mistakes.
printf 'cmake_minimum_required(VERSION 3.25)\nproject(X C)\nfind_package(Foretell REQUIRED)\nforetell_instrument(nothing)\n' >bad-CMakeLists
mkdir bad && mv bad-CMakeLists bad/CMakeLists.txt
run cmake -S bad -B bad/build -DCMAKE_PREFIX_PATH="$prefix"; expect_status 1; expect_err "there is no target 'nothing'"
