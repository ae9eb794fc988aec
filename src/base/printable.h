// SPDX-License-Identifier: Apache-2.0

// printable: text that a terminal shows and does not obey.
//
// Names of threads, functions and files, and source lines, are chosen by whoever wrote the program
// under test. Control characters in them would be commands to the terminal, and characters that
// change the direction of text would make a line read as another one (Boucher and Anderson, "Trojan
// Source", 2021). They are replaced by their numbers: \x1b, \u202e.
#pragma once

#include <string>
#include <string_view>

namespace foretell {

// One line of text, or a name.
std::string printable(std::string_view text);

// The same with ends of lines and tabs as they are.
std::string printable_lines(std::string_view text);

// How many bytes at the beginning of `text` are a character that is replaced; 0: none.
size_t unprintable_at(std::string_view text);

}  // namespace foretell
