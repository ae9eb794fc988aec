// Shows a recording record by record, for the tests of the runtime. It trusts nothing the library
// would check, so that the tests do not depend on it.
//
//   show_recording FILE [--stable]
//
// Lines are "thread op site address value extensions". With --stable, addresses are numbered in
// order of appearance and values that are addresses too, so that two runs can be compared.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../../runtime/recording.h"

using namespace foretell::recording;

namespace {

const char* const kNames[] = {
#define FORETELL_RECORD(op, step, extensions, text) #op,
#include "../../runtime/record.def"
};

struct Chunk {
  const ChunkHeader* header;
  const Record* begin;
  const Record* end;
};

class Show {
 public:
  Show(const std::string& bytes, bool stable) : bytes_(bytes), stable_(stable) {}

  int run() {
    if (bytes_.size() < kHeaderSize) return fail("no header");
    const auto* header = reinterpret_cast<const FileHeader*>(bytes_.data());
    if (std::memcmp(header->magic, kMagic, sizeof kMagic) != 0) return fail("no recording");
    std::printf("# mode=%u state=%u status=%u uncontrolled=%u watchdog=%u forks=%u values=%d\n",
                static_cast<unsigned>(header->mode), static_cast<unsigned>(header->state),
                header->status, header->uncontrolled, header->watchdog_count, header->forks,
                !header->without_values);
    if (header->dropped_records) std::printf("# dropped=%" PRIu64 "\n", header->dropped_records);
    if (header->error[0]) std::printf("# error=%s\n", header->error);
    std::map<uint64_t, std::map<uint64_t, Chunk>> streams;
    size_t at = kHeaderSize;
    for (; at + kChunkSize <= bytes_.size(); at += kChunkSize) {
      const auto* chunk = reinterpret_cast<const ChunkHeader*>(bytes_.data() + at);
      if (chunk->marker != kChunkMarker || chunk->kind != StreamKind::events) continue;
      const auto* begin = reinterpret_cast<const Record*>(chunk + 1);
      const Record* end = begin + kChunkPayload / sizeof(Record);
      if (chunk->used) {
        if (checksum(begin, chunk->used) != chunk->checksum) return fail("a checksum is wrong");
        end = begin + chunk->used / sizeof(Record);
      }
      streams[chunk->thread][chunk->ordinal] = {chunk, begin, end};
    }
    for (const auto& [thread, chunks] : streams) {
      thread_ = thread;
      uint64_t expected = 0;
      for (const auto& [ordinal, chunk] : chunks) {
        if (ordinal != expected++) return fail("a chunk is missing");
        if (const int bad = show(chunk)) return bad;
      }
    }
    return 0;
  }

 private:
  static int fail(const char* why) {
    std::fprintf(stderr, "show_recording: %s\n", why);
    return 1;
  }

  int show(const Chunk& chunk) {
    for (const Record* r = chunk.begin; r != chunk.end && r->word1 != 0; r++) {
      const auto op = static_cast<size_t>(r->op());
      if (op >= kOpCount) return fail("an op is not known");
      if (r->op() == Op::Switch) {
        thread_ = r->address();
        continue;
      }
      if (r->op() == Op::Extension) return fail("an extension belongs to nothing");
      // Where memory lies is the allocator's affair: each life of an address is a new place.
      if (r->op() == Op::Alloc) seen_.erase(r->address());
      std::printf("%" PRIu64 " %s %u %s %s", thread_, kNames[op], r->site(),
                  number(r->address()).c_str(), number(r->value()).c_str());
      for (int i = 0; i < kExtensions[op]; i++) {
        r++;
        if (r == chunk.end || r->op() != Op::Extension) {
          std::printf("\n");
          return chunk.header->used ? fail("an extension is missing") : 0;
        }
        std::printf(" %s", number(r->word0).c_str());
      }
      std::printf("\n");
    }
    return 0;
  }

  std::string number(uint64_t value) {
    constexpr uint64_t kSmallestAddress = uint64_t{1} << 32;
    constexpr uint64_t kLargestAddress = uint64_t{1} << 47;
    if (!stable_ || value < kSmallestAddress || value >= kLargestAddress) {
      return std::to_string(static_cast<int64_t>(value));
    }
    const auto [it, fresh] = seen_.try_emplace(value, places_);
    places_ += fresh;
    return "a" + std::to_string(it->second);
  }

  const std::string& bytes_;
  bool stable_;
  uint64_t thread_ = 0;
  std::map<uint64_t, size_t> seen_;
  size_t places_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: show_recording FILE [--stable]\n");
    return 64;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return Show(bytes, argc > 2 && std::strcmp(argv[2], "--stable") == 0).run();
}
