# cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/Foretell/ForetellToolchain.cmake: builds a whole
# project, as it is, with foretell cc and foretell c++.
cmake_path(SET _foretell_bin NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
set(CMAKE_C_COMPILER "${_foretell_bin}/foretell-clang")
set(CMAKE_CXX_COMPILER "${_foretell_bin}/foretell-clang++")
unset(_foretell_bin)
