// SPDX-License-Identifier: Apache-2.0

// The file format of facts.
//
//   FileHeader
//   sections, to the end of the file: SectionHeader, then `size` bytes
//
// A section is a count of rows and the rows; numbers are LEB128, strings are places in the section
// of strings, which comes first; the section END. comes last. Sections a reader does not know are
// skipped, so a later version can add some; a changed row bumps kFactsVersion. Every section has a
// checksum (XXH3, with tag and reserved bytes as its seed), and every index in a row is checked:
// damage is a Diagnostic.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "program/facts.h"

namespace foretell::program {

inline constexpr char kFactsMagic[8] = {'F', 'T', 'F', 'A', 'C', 'T', 'S', '\x1a'};
inline constexpr uint32_t kFactsVersion = 2;

bool is_facts_file(std::string_view bytes);

std::string encode_facts(const Facts& facts);
// `name` is what messages call the file.
Result<Facts> decode_facts(std::string_view bytes, const std::string& name);

}  // namespace foretell::program
