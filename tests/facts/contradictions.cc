// contradictions FACTS RECORDING: holds facts about a program against what a run of it did.
//
// Facts are promises about all runs. Checked on each recorded step:
// - memory that is not shared is touched by one thread during its life, and memory of the initial
//   thread by no other
// - an access touches only globals and allocations of its set, at the bytes the set names
// - a function is run only by the threads that may run it
// Prints what it has checked and every contradiction; exit code 1 if there is one.

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "base/input_file.h"
#include "program/fact_words.h"
#include "program/facts_file.h"
#include "trace/recording/chunk_streams.h"
#include "trace/recording/modules.h"
#include "trace/recording/record_cursor.h"

namespace foretell::program {
namespace {

using recording::Op;

// How many bytes a record touches.
uint64_t touched_bytes(const recording::Record& record) {
  switch (record.op()) {
    case Op::Read1:
    case Op::Write1:
      return 1;
    case Op::Read2:
    case Op::Write2:
      return 2;
    case Op::Read4:
    case Op::Write4:
      return 4;
    case Op::Read8:
    case Op::Write8:
      return 8;
    case Op::Read16:
    case Op::Write16:
      return 16;
    case Op::Read32:
    case Op::Write32:
      return 32;
    case Op::ReadRange:
    case Op::WriteRange:
      return record.value();
    case Op::AtomicRead:
    case Op::AtomicWrite:
    case Op::AtomicRmw:
      return record.value() >> 8;
    default:
      return 0;
  }
}

// One life of an object in the run.
struct Life {
  uint64_t address = 0;
  uint64_t size = 0;
  // One of these: calls of a wrapper allocate at one site.
  std::vector<const Object*> objects;
  std::set<uint64_t> threads;

  const Object& any() const { return *objects.front(); }
  // What holds for all of them.
  Sharing sharing() const {
    Sharing weakest = Sharing::initial_thread;
    for (const Object* object : objects) {
      if (object->sharing == Sharing::shared) return Sharing::shared;
      if (object->sharing == Sharing::confined) weakest = Sharing::confined;
    }
    return weakest;
  }
};

struct Byte {
  std::set<uint64_t> threads;
  const Access* promised = nullptr;  // an access that says the byte is not shared
};

class Check {
 public:
  Check(const Facts& facts, const recording::ChunkStreams& streams,
        const recording::Modules& modules)
      : facts_(facts), streams_(streams), modules_(modules) {
    for (const Access& access : facts_.accesses) accesses_[place(access.site)].push_back(&access);
    for (const Object& object : facts_.objects) {
      if (object.kind == ObjectKind::heap && object.site)
        heap_[place(*object.site)].push_back(&object);
      if (object.global) globals_[{place(object.global->module), object.global->row}] = &object;
    }
    for (const Function& function : facts_.functions)
      if (function.site) functions_[place(*function.site)].push_back(&function);
  }

  Result<int> run() {
    for (uint64_t offset : streams_.modules()) {
      FORETELL_TRY(payload, streams_.payload(offset));
      add_module(payload);
    }
    for (const recording::ChunkStream& stream : streams_.events()) {
      recording::RecordCursor cursor(streams_, stream, modules_.site_ops());
      recording::Record record;
      uint64_t extensions[2];
      for (;;) {
        const auto next = cursor.next(record, extensions);
        if (next == recording::RecordCursor::Next::failed) return std::unexpected(cursor.error());
        if (next == recording::RecordCursor::Next::end) break;
        step(record);
      }
    }
    fmt::print(
        "{} accesses, {} of memory that is not shared, {} in known objects, {} entries; {} "
        "contradictions\n",
        accesses_seen_, unshared_seen_, objects_seen_, entries_seen_, contradictions_);
    return contradictions_ > 0 ? 1 : 0;
  }

 private:
  void add_module(std::string_view payload);
  void step(const recording::Record& record);
  void access(const recording::Record& record, uint64_t size);
  void enter(const recording::Record& record);
  void begin_life(uint64_t address, uint64_t size, std::vector<const Object*> objects);
  bool may_touch(const Access& access, const Life& life, uint64_t address) const;
  Life* life_at(uint64_t address);
  void touch(Life& life, uint64_t address, const char* how);

  // The site of the facts; nothing if the code has none (libraries).
  std::optional<size_t> site_of(uint32_t number) const {
    auto at = first_sites_.upper_bound(number);
    if (at == first_sites_.begin()) return {};
    --at;
    if (number - at->first >= at->second->site_count) return {};
    return place(at->second->first_site) + number - at->first;
  }
  template <class... Args>
  void contradict(fmt::format_string<Args...> format, Args&&... args) {
    if (++contradictions_ <= 20)
      fmt::print("contradiction: {}\n", fmt::format(format, std::forward<Args>(args)...));
  }
  std::string name_of(size_t site) const {
    const Site& row = facts_.sites[site];
    return fmt::format("{}:{}:{} {}", row.position.file, row.position.line, row.position.column,
                       row.expression);
  }

  const Facts& facts_;
  const recording::ChunkStreams& streams_;
  const recording::Modules& modules_;
  std::unordered_map<size_t, std::vector<const Access*>> accesses_;
  std::unordered_map<size_t, std::vector<const Object*>> heap_;
  std::unordered_map<size_t, std::vector<const Function*>> functions_;
  std::map<std::pair<size_t, uint32_t>, const Object*> globals_;
  std::map<uint32_t, const Module*> first_sites_;
  std::map<uint64_t, Life> lives_;
  std::unordered_map<uint64_t, Byte> bytes_;
  uint64_t thread_ = 0;
  std::optional<uint64_t> initial_;
  uint64_t accesses_seen_ = 0, unshared_seen_ = 0, objects_seen_ = 0, entries_seen_ = 0;
  int contradictions_ = 0;
};

void Check::add_module(std::string_view payload) {
  recording::ModuleBlob blob{};
  std::memcpy(&blob, payload.data(), sizeof blob);
  if (blob.is_binary) return;
  const uint64_t rows = blob.site_count * sizeof(recording::SiteRow);
  const uint64_t globals = blob.global_count * sizeof(recording::GlobalRow);
  const std::string table =
      std::string(payload.substr(sizeof blob, rows)) +
      std::string(payload.substr(sizeof blob + rows + globals, blob.strings_size));
  const uint64_t identity = XXH3_64bits(table.data(), table.size());
  for (size_t i = 0; i < facts_.modules.size(); i++) {
    if (facts_.modules[i].identity != identity) continue;
    if (blob.site_count > 0) first_sites_[blob.first_site] = &facts_.modules[i];
    for (uint32_t k = 0; k < blob.global_count; k++) {
      recording::GlobalRow row{};
      std::memcpy(&row, payload.data() + sizeof blob + rows + k * sizeof row, sizeof row);
      const auto known = globals_.find({i, k});
      if (known != globals_.end())
        lives_[row.address] = {
            row.address, row.size & ~recording::kGlobalZeroed, {known->second}, {}};
    }
    return;
  }
}

void Check::begin_life(uint64_t address, uint64_t size, std::vector<const Object*> objects) {
  for (auto at = lives_.lower_bound(address); at != lives_.end() && at->first < address + size;)
    at = lives_.erase(at);
  if (!objects.empty())
    touch(lives_[address] = {address, size, std::move(objects), {}}, address, "made");
  // Stacks are large and little of them is used.
  std::erase_if(bytes_, [&](const auto& byte) {
    return byte.first >= address && byte.first < address + size;
  });
}

Life* Check::life_at(uint64_t address) {
  auto at = lives_.upper_bound(address);
  if (at == lives_.begin()) return nullptr;
  --at;
  return address - at->first < at->second.size ? &at->second : nullptr;
}

void Check::touch(Life& life, uint64_t address, const char* how) {
  life.threads.insert(thread_);
  const Sharing sharing = life.sharing();
  if (sharing == Sharing::shared) return;
  if (life.threads.size() > 1 || (sharing == Sharing::initial_thread && thread_ != initial_))
    contradict("{} '{}' of {}:{} is {}, but thread {} has {} it at {:#x}", word_of(life.any().kind),
               life.any().name, life.any().position.file, life.any().position.line,
               word_of(sharing), thread_, how, address);
}

bool Check::may_touch(const Access& access, const Life& life, uint64_t address) const {
  const Memory& memory = facts_.memory_of(access);
  const uint64_t offset = address - life.address;
  for (const Object* object : life.objects) {
    if (memory.reaches_unknown && object->reaches_unknown) return true;
    for (TargetIndex index : memory.targets) {
      const Target& target = facts_.targets[place(index)];
      if (&facts_.objects[place(target.object)] != object) continue;
      if (target.stride == 0 ? target.offset == offset
                             : offset % target.stride == target.offset % target.stride)
        return true;
    }
  }
  return false;
}

void Check::access(const recording::Record& record, uint64_t size) {
  accesses_seen_++;
  Life* life = life_at(record.address());
  if (life) {
    objects_seen_++;
    touch(*life, record.address(), "touched");
  }
  const std::optional<size_t> site = site_of(record.site());
  const Access* promise = nullptr;
  if (site) {
    const std::vector<const Access*>& known = accesses_[*site];
    bool is_in_set = known.empty(), is_unshared = !known.empty(), is_initial = true;
    for (const Access* one : known) {
      const Sharing sharing = facts_.memory_of(*one).sharing;
      is_unshared &= sharing != Sharing::shared;
      is_initial &= sharing == Sharing::initial_thread;
      is_in_set |= life && may_touch(*one, *life, record.address());
    }
    if (life && !is_in_set)
      contradict("{} touches {} '{}' of {}:{} at byte {}, which is not in its set", name_of(*site),
                 word_of(life->any().kind), life->any().name, life->any().position.file,
                 life->any().position.line, record.address() - life->address);
    if (is_unshared) {
      unshared_seen_++;
      promise = known.front();
      if (is_initial && thread_ != initial_)
        contradict("{} is of the initial thread, but thread {} ran it", name_of(*site), thread_);
    }
  }
  for (uint64_t i = 0; i < size; i++) {
    Byte& byte = bytes_[record.address() + i];
    byte.threads.insert(thread_);
    if (promise) byte.promised = promise;
    if (byte.promised && byte.threads.size() > 1) {
      contradict("{} is not shared, but two threads touched {:#x}",
                 name_of(place(byte.promised->site)), record.address() + i);
      break;
    }
  }
}

void Check::enter(const recording::Record& record) {
  const std::optional<size_t> site = site_of(record.site());
  if (!site) return;
  entries_seen_++;
  const std::vector<const Function*>& known = functions_[*site];
  bool may_run = known.empty();
  for (const Function* function : known)
    may_run |= function->run_by == RunBy::any_thread ||
               (function->run_by == RunBy::initial_thread && thread_ == initial_);
  if (!may_run)
    contradict("{} is run by {}, but thread {} entered it", known.front()->name,
               word_of(known.front()->run_by), thread_);
}

void Check::step(const recording::Record& record) {
  switch (record.op()) {
    case Op::Switch:
      thread_ = record.address();
      return;
    case Op::ThreadBegin:
      thread_ = record.address();
      if (!initial_) initial_ = thread_;
      return;
    case Op::Stack:
      return begin_life(record.address(), record.value(), {});
    case Op::Alloc: {
      const std::optional<size_t> site = site_of(record.site());
      const auto made = site ? heap_.find(*site) : heap_.end();
      return begin_life(record.address(), record.value(),
                        made != heap_.end() ? made->second : std::vector<const Object*>{});
    }
    case Op::Free:
      if (Life* life = life_at(record.address())) {
        touch(*life, record.address(), "freed");
        begin_life(record.address(), life->size, {});
      }
      return;
    case Op::FunctionEnter:
      return enter(record);
    default:
      break;
  }
  if (const uint64_t size = touched_bytes(record); size > 0) access(record, size);
}

Result<int> check(const std::string& facts_path, const std::string& recording_path) {
  FORETELL_TRY(facts_file, InputFile::open(facts_path));
  FORETELL_TRY(facts, decode_facts(facts_file.bytes(), facts_path));
  FORETELL_TRY(file, InputFile::open(recording_path));
  FORETELL_TRY(streams, recording::ChunkStreams::find(file.bytes()));
  FORETELL_TRY(modules, recording::Modules::load(streams));
  return Check(facts, streams, modules).run();
}

}  // namespace
}  // namespace foretell::program

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const auto done = foretell::program::check(argv[1], argv[2]);
  if (done) return *done;
  fmt::print(stderr, "{}", done.error().to_text());
  return 65;
}
