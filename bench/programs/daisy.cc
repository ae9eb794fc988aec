// daisy: a file system in memory, with a lock for each inode, each block and each of the two
// allocation maps, and threads that create, write, read and delete files. After Daisy, the file
// system that tools for concurrency were tried on at CAV 2004.
//
// usage: daisy [ROUNDS [THREADS]]
// test: 2 2
// determinism: 6 2
//
// Self-check: every thread reads back what it wrote, and in the end everything is free again.
//
// BUG(last_inode) result: which thread has deleted the last file is read when all are done. It is
//   locked, and it depends on the schedule.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr int kInodes = 8;
constexpr int kBlocks = 16;
constexpr int kBlockSize = 4;
constexpr int kFileBlocks = 2;

struct Block {
  std::mutex lock;
  std::array<char, kBlockSize> bytes{};
};

// lock  everything in it
struct Inode {
  std::mutex lock;
  bool used = false;
  int size = 0;
  std::array<int, kFileBlocks> blocks{};
};

// Which of `Size` things are used; under its lock.
template <int Size>
class AllocationMap {
 public:
  int allocate() {
    std::lock_guard guard(lock_);
    for (int i = 0; i < Size; i++) {
      if (used_[static_cast<size_t>(i)]) continue;
      used_[static_cast<size_t>(i)] = true;
      return i;
    }
    return -1;
  }

  void release(int which) {
    std::lock_guard guard(lock_);
    used_[static_cast<size_t>(which)] = false;
    last_ = which;
  }

  int used() {
    std::lock_guard guard(lock_);
    int sum = 0;
    for (bool one : used_) sum += one;
    return sum;
  }

  int last() {
    std::lock_guard guard(lock_);
    return last_;
  }

 private:
  std::mutex lock_;
  std::array<bool, Size> used_{};
  int last_ = -1;
};

class Disk {
 public:
  // An empty file; -1 if there is no room.
  int create() {
    const int number = inode_map_.allocate();
    if (number < 0) return -1;
    Inode& inode = at(number);
    std::lock_guard guard(inode.lock);
    inode.used = true;
    inode.size = 0;
    return number;
  }

  // Locks the inode, then one block after the other.
  bool write(int number, const std::string& text) {
    Inode& inode = at(number);
    std::lock_guard guard(inode.lock);
    for (char c : text) {
      const int place = inode.size % kBlockSize;
      int& block = inode.blocks[static_cast<size_t>(inode.size / kBlockSize)];
      if (place == 0) block = block_map_.allocate();
      if (block < 0) return false;
      Block& target = blocks_[static_cast<size_t>(block)];
      std::lock_guard block_guard(target.lock);
      target.bytes[static_cast<size_t>(place)] = c;
      inode.size++;
    }
    return true;
  }

  std::string read(int number) {
    Inode& inode = at(number);
    std::lock_guard guard(inode.lock);
    std::string text;
    for (int i = 0; i < inode.size; i++) {
      Block& block =
          blocks_[static_cast<size_t>(inode.blocks[static_cast<size_t>(i / kBlockSize)])];
      std::lock_guard block_guard(block.lock);
      text += block.bytes[static_cast<size_t>(i % kBlockSize)];
    }
    return text;
  }

  void remove(int number, int thread) {
    {
      Inode& inode = at(number);
      std::lock_guard guard(inode.lock);
      for (int i = 0; i < inode.size; i += kBlockSize) {
        block_map_.release(inode.blocks[static_cast<size_t>(i / kBlockSize)]);
      }
      inode.used = false;
    }
    inode_map_.release(number);
    std::lock_guard guard(lock_);
    last_thread_ = thread;  // BUG(last_inode)
  }

  bool is_empty() { return inode_map_.used() == 0 && block_map_.used() == 0; }

  int last_thread() {
    std::lock_guard guard(lock_);
    return last_thread_;  // BUG(last_inode)
  }

 private:
  Inode& at(int number) { return inodes_[static_cast<size_t>(number)]; }

  std::array<Inode, kInodes> inodes_;
  std::array<Block, kBlocks> blocks_;
  AllocationMap<kInodes> inode_map_;
  AllocationMap<kBlocks> block_map_;
  std::mutex lock_;
  int last_thread_ = -1;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int rounds = argument(argc, argv, 1, 20);
  const int count = argument(argc, argv, 2, 3);

  Disk disk;
  std::vector<int> right(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int me = 0; me < count; me++) {
    threads.emplace_back([&, me] {
      for (int i = 0; i < rounds; i++) {
        const int file = disk.create();
        if (file < 0) continue;
        const std::string text = "file " + std::to_string((me * 7 + i) % 10);
        right[static_cast<size_t>(me)] += disk.write(file, text) && disk.read(file) == text;
        disk.remove(file, me);
      }
    });
  }
  int read_back = 0;
  for (std::thread& thread : threads) thread.join();
  for (int one : right) read_back += one;
  const int last = disk.last_thread();
  std::printf("daisy: %d files read back\n", read_back);
  return read_back == rounds * count && disk.is_empty() && last >= 0 && last < count ? 0 : 1;
}
