// SPDX-License-Identifier: Apache-2.0

// Encoded chunks: nothing is lost, and damage is noticed.
#include <random>

#include "recording/decoder.h"
#include "recording/encoder.h"
#include "unit/trace/recording_testing.h"

namespace foretell::trace {
namespace {

using namespace recording;

struct Freed {
  template <class T>
  void operator()(T* object) const {
    std::free(object);
  }
};
template <class T>
std::unique_ptr<T, Freed> zeroed() {
  return std::unique_ptr<T, Freed>(static_cast<T*>(std::calloc(1, sizeof(T))));
}

// Sites 1 ... kSites; each has the op its number says.
constexpr uint32_t kSites = 300;
constexpr Op kOps[] = {Op::Read1,  Op::Read2,  Op::Read4,         Op::Read8,  Op::Write1,
                       Op::Write2, Op::Write8, Op::FunctionEnter, Op::Read16, Op::Branch};
Op op_of(uint32_t site) {
  return kOps[site % std::size(kOps)];
}

class Codec : public testing::Test {
 protected:
  Codec() : sizes_(kFullMark + 1), ops_(kSites + 1, 0xff) {
    for (uint32_t site = 1; site <= kSites; ++site) {
      ops_[site] = static_cast<uint8_t>(op_of(site));
      sizes_[site] = static_cast<uint8_t>(kCompactSize[ops_[site]] + 1);
    }
  }

  static void word(std::string& to, uint64_t bits, size_t size = 8) {
    to.append(reinterpret_cast<const char*>(&bits), size);
  }
  static void compact(std::string& to, uint32_t site, uint64_t address, uint64_t value) {
    word(to, header_of(address, site));
    word(to, value, kCompactSize[static_cast<size_t>(op_of(site))]);
  }
  static void full(std::string& to, Op op, uint32_t site, uint64_t address, uint64_t value,
                   uint64_t extension) {
    word(to, header_of(address, kFullMark));
    word(to, site | static_cast<uint64_t>(op) << 32);
    word(to, value);
    for (int i = 0; i < kExtensions[static_cast<size_t>(op)]; ++i) word(to, extension + i);
  }

  std::string encode(std::string records) {
    const size_t size = records.size();
    records.resize(size + kMaxRecord, '\x55');
    const size_t encoded = encoder_->encode(records.data(), size, sizes_.data());
    EXPECT_EQ(encoded % 8, 0u);
    return {encoder_->payload(), encoded};
  }
  // "" if it is damaged.
  std::string decode(const std::string& payload, size_t size) {
    std::string out(size + Decoder::kSlack, '\0');
    const size_t got = decoder_->decode(payload.data(), payload.size(), ops_.data(), ops_.size(),
                                        out.data(), size);
    return got == size ? out.substr(0, size) : "";
  }
  void expect_same(const std::string& records) {
    EXPECT_TRUE(decode(encode(records), records.size()) == records);
  }

  std::vector<uint8_t> sizes_;
  std::vector<uint8_t> ops_;
  std::unique_ptr<Encoder, Freed> encoder_ = zeroed<Encoder>();
  std::unique_ptr<Decoder, Freed> decoder_ = zeroed<Decoder>();
};

// A run of a program: `noise` in 256 records are not what the model expects.
std::string program(std::mt19937_64& random, uint64_t noise, size_t size,
                    void (*compact)(std::string&, uint32_t, uint64_t, uint64_t),
                    void (*full)(std::string&, Op, uint32_t, uint64_t, uint64_t, uint64_t)) {
  std::string records;
  for (uint64_t i = 0; records.size() + kMaxRecord < size; ++i) {
    auto site = static_cast<uint32_t>(1 + i % 7);
    uint64_t address = 0x7f0000000000 + 8 * i;
    uint64_t value = i / 100;
    if (random() % 256 < noise) {
      site = static_cast<uint32_t>(1 + random() % kSites);
      address = random() >> (random() % 64);
      value = random() >> (random() % 64);
    }
    if (random() % 256 < noise / 8) {
      full(records, static_cast<Op>(random() % kOpCount), site, address, value, random());
    } else {
      compact(records, site, address, value);
    }
  }
  return records;
}

TEST_F(Codec, GivesBackWhatItGot) {
  std::mt19937_64 random(1);
  for (uint64_t noise : {0, 1, 8, 64, 256, 256, 2, 0, 0, 128}) {
    for (size_t size : {size_t{100}, size_t{4000}, size_t{kSlotSize} - 64}) {
      expect_same(program(random, noise, size, compact, full));
    }
  }
}

TEST_F(Codec, ExtremesOfAddressesAndValues) {
  std::string records;
  const uint64_t extremes[] = {0, 1, kAddressMask, kAddressMask - 7, kExitBit, kExitBit - 1};
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t site = 1; site <= kSites; site += 7) {
      for (uint64_t address : extremes) {
        compact(records, site, address, round == 1 ? ~uint64_t{0} : 0);
      }
    }
    for (uint64_t address : extremes) {
      full(records, Op::AtomicRmw, kMaxSite, address, ~uint64_t{0}, ~uint64_t{0});
    }
  }
  expect_same(records);
  expect_same(records);
}

TEST_F(Codec, ALoopOverKnownMemoryCostsABitForEightRecords) {
  std::string pass;
  for (uint64_t i = 0; i < 4000; ++i) {
    compact(pass, 3, 0x7f0000001000 + 8 * i, i);
    compact(pass, 6, 0x7f0000100000 + 8 * i, ~i);
  }
  for (int round = 0; round < 2; ++round) expect_same(pass);
  const std::string again = encode(pass);
  EXPECT_LT(again.size(), 200u);
  EXPECT_TRUE(decode(again, pass.size()) == pass);
}

TEST_F(Codec, WhatIsNoRecordStaysAsItIs) {
  std::string records;
  compact(records, 3, 0x1000, 5);
  const size_t good = records.size();
  word(records, header_of(0x1234, kSites + 5));
  records += "odd";
  expect_same(records);
  records.resize(good);
  word(records, header_of(2, kFullMark));
  word(records, 1 | uint64_t{250} << 32);  // no op
  word(records, 3);
  expect_same(records);
  expect_same("");
}

TEST_F(Codec, CutPayloadsAreDamaged) {
  std::mt19937_64 random(2);
  const std::string records = program(random, 40, 600, compact, full);
  const std::string payload = encode(records);
  for (size_t end = 0; end < payload.size(); ++end) {
    decoder_ = zeroed<Decoder>();
    EXPECT_EQ(decode(payload.substr(0, end), records.size()), "") << end;
  }
}

TEST_F(Codec, FlippedBitsDoNoHarm) {
  std::mt19937_64 random(3);
  const std::string records = program(random, 60, 400, compact, full);
  const std::string payload = encode(records);
  size_t noticed = 0;
  for (size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    std::string forged = payload;
    forged[bit / 8] = static_cast<char>(forged[bit / 8] ^ 1 << bit % 8);
    decoder_ = zeroed<Decoder>();
    noticed += decode(forged, records.size()) != records;
  }
  // All but padding: the last bytes of the operands and of the control bytes.
  EXPECT_GT(noticed, 8 * payload.size() * 9 / 10);
}

RecordingBuilder loops() {
  RecordingBuilder b;
  const uint32_t reads = b.site("a.c", 3, "f", "a[i]", site_flags(0, Op::Read8));
  const uint32_t writes = b.site("a.c", 4, "f", "b[i]", site_flags(0, Op::Write4));
  for (uint64_t i = 0; i < 3000; ++i) {
    if (i % 500 == 0) b.on(i / 500 % 2);
    b.compact(reads, 0x7f0000000000 + i % 64 * 8, i % 64, 8);
    b.compact(writes, 0x7f0000010000 + i % 10 * 4, i, 4);
    if (i % 100 == 7) b.record(Op::Acquire, reads, 0x5000);
    if (i % 100 == 9) b.record(Op::Release, reads, 0x5000);
  }
  return b;
}

TEST(EncodedRecording, ReadsLikeThatOfItsRecords) {
  RecordingBuilder b = loops();
  const std::string raw = b.bytes();
  const std::string text = Recorded(raw).text();
  b.encoded = true;
  EXPECT_LT(b.bytes().size(), raw.size() / 2);
  EXPECT_EQ(Recorded(b).text(), text);
  b.leave_open = true;
  EXPECT_EQ(Recorded(b).text(), text);
}

// The first chunk of records in `bytes`, which is behind the modules.
size_t first_chunk(const std::string& bytes) {
  size_t offset = kHeaderSize;
  for (;;) {
    ChunkHeader chunk;
    std::memcpy(&chunk, bytes.data() + offset, sizeof chunk);
    if (chunk.kind == StreamKind::events) return offset;
    offset += sizeof chunk + (chunk.used + 7) / 8 * 8;
  }
}

TEST(EncodedRecording, DamageIsNamed) {
  RecordingBuilder b = loops();
  b.encoded = true;
  const std::string bytes = b.bytes();
  const size_t offset = first_chunk(bytes);
  ChunkHeader chunk;
  std::memcpy(&chunk, bytes.data() + offset, sizeof chunk);

  // Fewer records than there are, under a checksum that matches.
  std::string forged = bytes;
  forged[offset + sizeof chunk] ^= 1;
  std::vector<uint64_t> payload(chunk.used / 8);
  std::memcpy(payload.data(), forged.data() + offset + sizeof chunk, chunk.used);
  ChunkHeader summed = chunk;
  summed.checksum = checksum(payload.data(), chunk.used);
  std::memcpy(forged.data() + offset, &summed, sizeof summed);
  EXPECT_EQ(Recorded(forged).text(),
            fmt::format("run.rec: error: the chunk at offset {} is damaged: its records cannot be "
                        "decoded\n",
                        offset));

  ChunkHeader large = chunk;
  large.decoded = 1 << 30;
  forged = bytes;
  std::memcpy(forged.data() + offset, &large, sizeof large);
  EXPECT_EQ(Recorded(forged).text(),
            fmt::format("run.rec: error: the chunk at offset {} is damaged: 1073741824 bytes of "
                        "records do not fit a slot\n",
                        offset));
}

}  // namespace
}  // namespace foretell::trace
