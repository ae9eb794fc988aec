// SPDX-License-Identifier: Apache-2.0

#include "bitcode/kept_modules.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>

#include "recording/kept_bitcode.h"

namespace foretell::bitcode {
namespace {

// A record as the pass writes it, without compression.
std::string kept(const std::string& bitcode) {
  const recording::SiteRow row{.file = 1, .line = 7};
  const std::string strings("\0a.c\0", 5);
  const std::string table = std::string(reinterpret_cast<const char*>(&row), sizeof row) + strings;
  const std::string stored = table + bitcode;
  recording::KeptHeader header{.version = recording::kKeptVersion,
                               .compression = recording::KeptCompression::none,
                               .stored_size = stored.size(),
                               .size = stored.size(),
                               .checksum = XXH3_64bits(stored.data(), stored.size()),
                               .identity = XXH3_64bits(table.data(), table.size()),
                               .strings_size = strings.size(),
                               .site_count = 1,
                               .name = 1};
  std::memcpy(header.magic, recording::kKeptMagic, sizeof header.magic);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + stored;
}

TEST(KeptModules, ASectionHoldsThemOneAfterTheOther) {
  const auto modules = read_kept_modules(kept("one") + kept("second"), "prog");
  ASSERT_TRUE(modules) << modules.error().to_text();
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ((*modules)[0].bitcode, "one");
  EXPECT_EQ((*modules)[1].bitcode, "second");
  EXPECT_EQ((*modules)[1].source(), "a.c");
  ASSERT_EQ((*modules)[1].rows.size(), 1u);
  EXPECT_EQ((*modules)[1].rows[0].line, 7u);
}

TEST(KeptModules, EveryFlippedBitIsFound) {
  const std::string good = kept("bitcode");
  // Where the name of the source file is does not count: any place in the strings is one.
  const size_t name = offsetof(recording::KeptHeader, name);
  for (size_t i = 0; i < good.size() * 8; i++) {
    if (i / 8 >= name && i / 8 < name + 4) continue;
    std::string damaged = good;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    EXPECT_FALSE(read_kept_modules(damaged, "prog")) << "bit " << i;
  }
}

TEST(KeptModules, EveryTruncationIsFound) {
  const std::string good = kept("bitcode");
  for (size_t size = 1; size < good.size(); size++)
    EXPECT_FALSE(read_kept_modules(std::string_view(good).substr(0, size), "prog")) << size;
}

}  // namespace
}  // namespace foretell::bitcode
