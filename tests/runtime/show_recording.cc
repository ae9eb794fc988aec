// Shows a recording record by record, for the tests of the runtime. It trusts nothing the library
// would check, so that the tests do not depend on it.
//
//   show_recording FILE [--stable]
//
// Lines are "thread op site address value extensions". With --stable, addresses are numbered in
// order of appearance and values that are addresses too, so that two runs can be compared.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../../recording/decoder.h"
#include "../../recording/file.h"
#include "../../recording/module.h"

using namespace foretell::recording;

namespace {

const char* const kNames[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) #op,
#include "../../recording/record.def"
};

struct Chunk {
  const char* begin;
  const char* end;
  uint32_t decoded = 0;
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
    if (header->dropped_bytes) std::printf("# dropped\n");
    if (header->error[0]) std::printf("# error=%s\n", header->error);
    if (const int bad = find_chunks(*header)) return bad;
    for (const auto& [thread, chunks] : streams_) {
      thread_ = thread;
      uint64_t expected = 0;
      // Mostly untouched: it must come zeroed from the system.
      auto* decoder = static_cast<Decoder*>(std::calloc(1, sizeof(Decoder)));
      for (const auto& [ordinal, chunk] : chunks) {
        if (ordinal != expected++ && !header->error[0]) return fail("a chunk is missing");
        if (chunk.decoded == 0) {
          show(chunk);
          continue;
        }
        std::vector<char> records(chunk.decoded + Decoder::kSlack);
        if (decoder->decode(chunk.begin, static_cast<size_t>(chunk.end - chunk.begin),
                            site_ops_.data(), site_ops_.size(), records.data(),
                            chunk.decoded) != chunk.decoded) {
          return fail("a chunk cannot be decoded");
        }
        show({records.data(), records.data() + chunk.decoded});
      }
      std::free(decoder);
    }
    return 0;
  }

 private:
  static int fail(const char* why) {
    std::fprintf(stderr, "show_recording: %s\n", why);
    return 1;
  }

  int find_chunks(const FileHeader& header) {
    for (uint64_t at = header.body_begin; at < header.body_end;) {
      const auto* chunk = reinterpret_cast<const ChunkHeader*>(bytes_.data() + at);
      const Window* window = nullptr;
      for (const Window& w : header.windows) {
        if (w.slots > 0 && w.offset >= at && w.offset - at < kHeaderSize) window = &w;
      }
      if (window && (window->offset == at || chunk->marker != kChunkMarker)) {
        at = window->offset + window->slots * kSlotSize;
        continue;
      }
      if (chunk->marker != kChunkMarker) {
        if (chunk->marker != 0) return fail("the body is broken");
        at = (at / kHeaderSize + 1) * kHeaderSize;
        continue;
      }
      const auto* begin = reinterpret_cast<const char*>(chunk + 1);
      const uint32_t padded = (chunk->used + 7) & ~7u;
      if (chunk->kind == StreamKind::modules) {
        read_module(begin);
      } else {
        if (checksum(begin, padded) != chunk->checksum) return fail("a checksum is wrong");
        streams_[chunk->thread][chunk->ordinal] = {begin, begin + chunk->used, chunk->decoded};
      }
      at += sizeof *chunk + padded;
    }
    for (const Window& w : header.windows) {
      for (uint64_t i = 0; i < w.slots; i++) {
        const auto* slot =
            reinterpret_cast<const ChunkHeader*>(bytes_.data() + w.offset + i * kSlotSize);
        if (slot->marker != kChunkMarker) continue;
        const auto* begin = reinterpret_cast<const char*>(slot + 1);
        const char* end = begin + (slot->used ? slot->used : kSlotSize - sizeof *slot);
        streams_[slot->thread].try_emplace(slot->ordinal, Chunk{begin, end});
      }
    }
    return 0;
  }

  void read_module(const char* at) {
    const auto* blob = reinterpret_cast<const ModuleBlob*>(at);
    const auto* rows = reinterpret_cast<const SiteRow*>(blob + 1);
    const auto* strings = reinterpret_cast<const char*>(
        reinterpret_cast<const GlobalRow*>(rows + blob->site_count) + blob->global_count);
    if (blob->is_binary) std::printf("# binary %s\n", strings + blob->name);
    if (site_ops_.size() < blob->first_site + blob->site_count) {
      site_ops_.resize(blob->first_site + blob->site_count);
      texts_.resize(site_ops_.size());
    }
    for (uint32_t i = 0; i < blob->site_count; i++) {
      site_ops_[blob->first_site + i] = static_cast<uint8_t>(op_of(rows[i]));
      texts_[blob->first_site + i] = strings + rows[i].expression;
    }
  }

  std::string text_of(uint64_t site) const {
    if (site >= texts_.size() || texts_[site].empty()) return std::to_string(site);
    return "'" + texts_[site] + "'";
  }

  void show(const Chunk& chunk) {
    Record r;
    const char* at = chunk.begin;
    while (size_t size = r.read(at, chunk.end, site_ops_.data(), site_ops_.size())) {
      at += size;
      if (r.op() == Op::Switch) {
        thread_ = r.address();
        continue;
      }
      // Where memory lies is the allocator's affair: each life of an address is a new place.
      if (r.op() == Op::Alloc) seen_.erase(r.address());
      const bool block = r.op() == Op::BlockBegin || r.op() == Op::BlockEnd;
      std::printf("%" PRIu64 " %s %s %s %s", thread_, kNames[static_cast<size_t>(r.op())],
                  text_of(r.site()).c_str(),
                  block ? text_of(r.address()).c_str() : number(r.address()).c_str(),
                  number(r.value()).c_str());
      for (int i = 0; i < kExtensions[static_cast<size_t>(r.op())]; i++) {
        std::printf(" %s", number(r.extensions()[i]).c_str());
      }
      std::printf("\n");
    }
  }

  std::string number(uint64_t value) {
    constexpr uint64_t kSmallestAddress = uint64_t{1} << 32;
    constexpr uint64_t kLargestAddress = uint64_t{1} << kSiteShift;
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
  std::map<uint64_t, std::map<uint64_t, Chunk>> streams_;  // by thread and ordinal
  std::vector<uint8_t> site_ops_;
  std::vector<std::string> texts_;
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
