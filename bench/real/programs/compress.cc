// SPDX-License-Identifier: Apache-2.0
// A block compressor: a reader hands out blocks through a bounded queue, two workers find repeats with a
// hash table (LZ77), and the writer puts the results back into order.
//
// usage: compress KILOBYTES
// test: 1
// x1: 1500
// x10: 15000
// x100: 150000
// races: none
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

struct Block {
  size_t number;
  Bytes bytes;
};

class BlockQueue {
 public:
  void push(Block block) {
    std::unique_lock hold(mutex_);
    not_full_.wait(hold, [this] { return blocks_.size() < kMost; });
    blocks_.push(std::move(block));
    not_empty_.notify_one();
  }
  void close() {
    const std::lock_guard hold(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }
  std::optional<Block> pop() {
    std::unique_lock hold(mutex_);
    not_empty_.wait(hold, [this] { return closed_ || !blocks_.empty(); });
    if (blocks_.empty()) return {};
    Block block = std::move(blocks_.front());
    blocks_.pop();
    not_full_.notify_one();
    return block;
  }

 private:
  static constexpr size_t kMost = 4;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::queue<Block> blocks_;
  bool closed_ = false;
};

BlockQueue input;
std::mutex done_mutex;
std::map<size_t, Bytes> done;

Bytes compressed(const Bytes& in) {
  constexpr size_t kTable = 4096;
  std::vector<uint32_t> last(in.size() < kTable ? 64 : kTable, 0);
  Bytes out;
  for (size_t i = 0; i < in.size();) {
    size_t length = 0, from = 0;
    if (i + 4 <= in.size()) {
      const uint32_t word =
          in[i] | in[i + 1] << 8 | in[i + 2] << 16 | static_cast<uint32_t>(in[i + 3]) << 24;
      uint32_t& slot = last[(word * 2654435761u >> 16) % last.size()];
      from = slot;
      if (from < i) {
        while (length < 250 && i + length < in.size() && in[from + length] == in[i + length])
          length++;
      }
      slot = static_cast<uint32_t>(i);
    }
    if (length >= 4) {
      out.insert(out.end(), {static_cast<uint8_t>(length), static_cast<uint8_t>(i - from),
                             static_cast<uint8_t>((i - from) >> 8)});
      i += length;
    } else {
      out.push_back(0);
      out.push_back(in[i++]);
    }
  }
  return out;
}

void work() {
  while (std::optional<Block> block = input.pop()) {
    Bytes out = compressed(block->bytes);
    const std::lock_guard hold(done_mutex);
    done.emplace(block->number, std::move(out));
  }
}

Bytes text(size_t size, uint32_t& state) {
  static const char* const kWords[] = {"the ",   "lock ", "of ",    "thread ",
                                       "waits ", "a ",    "write ", "race "};
  Bytes bytes;
  while (bytes.size() < size) {
    state = state * 1664525 + 1013904223;
    for (const char* c = kWords[state >> 29]; *c != 0; c++)
      bytes.push_back(static_cast<uint8_t>(*c));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t total = (argc > 1 ? strtoul(argv[1], nullptr, 10) : 1) << 10;
  const size_t size = total < 100000 ? 128 : 65536;
  std::thread workers[2] = {std::thread(work), std::thread(work)};
  uint32_t state = 9;
  for (size_t i = 0; i * size < total; i++) input.push({i, text(size, state)});
  input.close();
  for (std::thread& worker : workers) worker.join();
  uint64_t hash = 0;
  size_t bytes = 0;
  for (const auto& [number, out] : done) {
    bytes += out.size();
    for (const uint8_t byte : out) hash = hash * 31 + byte;
  }
  std::printf("%zu %llx\n", bytes, static_cast<unsigned long long>(hash));
}
