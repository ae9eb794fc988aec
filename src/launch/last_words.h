// What a program that was ended by its libraries says last: the line in which libc, libstdc++ or a
// sanitizer tells why.
#pragma once

#include <string>
#include <string_view>

namespace foretell {

// "AddressSanitizer: heap-use-after-free", "Assertion `balance >= 0' failed."; empty if there is no
// such line.
std::string last_words_in(std::string_view output);

}  // namespace foretell
