// SPDX-License-Identifier: Apache-2.0

#include "trace/rapid_binary/rapid_binary_reader.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>

namespace foretell::trace {
namespace {

constexpr size_t kHeaderSize = 18;
constexpr size_t kEventSize = 8;

constexpr std::array kOperations = {EventKind::Acquire,    EventKind::Release,  EventKind::Read,
                                    EventKind::Write,      EventKind::Fork,     EventKind::Join,
                                    EventKind::BlockBegin, EventKind::BlockEnd, EventKind::Request};

uint64_t big_endian(std::string_view bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(bytes[offset + i]);
  return value;
}

struct Header {
  uint64_t threads, locks, variables, events;
};

Header parse_header(std::string_view bytes) {
  return {big_endian(bytes, 0, 2), big_endian(bytes, 2, 4), big_endian(bytes, 6, 4),
          big_endian(bytes, 10, 8)};
}

constexpr uint64_t bits(uint64_t word, unsigned first, unsigned last) {
  return (word >> first) & ((uint64_t{1} << (last - first + 1)) - 1);
}

class RapidBinaryReader final : public TraceReader {
 public:
  explicit RapidBinaryReader(InputFile file) : file_(std::move(file)) {
    if (file_.bytes().size() < kHeaderSize) return;
    header_ = parse_header(file_.bytes());
    const size_t body = file_.bytes().size() - kHeaderSize;
    events_ = std::min<uint64_t>(header_.events, body / kEventSize);
    if (events_ < header_.events) {
      warnings_.push_back(
          {.message = fmt::format("the file ends after {} of the {} events its header promises",
                                  events_, header_.events),
           .where = file_.name(),
           .exit_code = ExitCode::cut_short});
    } else if (body > events_ * kEventSize) {
      warnings_.push_back({fmt::format("{} bytes after the {} events of the header are ignored",
                                       body - events_ * kEventSize, events_),
                           file_.name()});
    }
  }

  Result<size_t> read(std::span<Event> out) override {
    if (file_.bytes().size() < kHeaderSize) {
      return fail_at(file_.name(), "{} bytes are too few for the {}-byte header of a binary trace",
                     file_.bytes().size(), kHeaderSize);
    }
    size_t count = 0;
    for (; count < out.size() && next_ < events_; ++count) {
      auto done = parse(out[count]);
      if (!done) return std::unexpected(std::move(done).error());
      ++next_;
    }
    file_.release_before(offset());
    return count;
  }

  void rewind() override { next_ = 0; }

  bool locations_known() const override { return true; }

  std::string position(EventIndex index) const override {
    return fmt::format("{}: event {}", file_.name(), to_index(index));
  }

  double progress() const override { return fraction(next_, events_); }

 private:
  // Number in the file -> id in the tables.
  using Numbers = absl::flat_hash_map<uint64_t, uint32_t>;

  size_t offset() const { return kHeaderSize + next_ * kEventSize; }

  template <class... Args>
  std::unexpected<Diagnostic> fail_here(fmt::format_string<Args...> format, Args&&... args) const {
    return fail_at(fmt::format("{}: event {} at offset {}", file_.name(), next_, offset()), format,
                   std::forward<Args>(args)...);
  }

  template <class Intern>
  Result<uint32_t> id(uint64_t number, uint64_t count, std::string_view what, Numbers& known,
                      Intern intern) {
    if (number >= count) {
      return fail_here("{} {} is out of range: the header counts {}", what, number, count);
    }
    auto [it, fresh] = known.try_emplace(number, 0);
    if (fresh) it->second = static_cast<uint32_t>(intern(number));
    return it->second;
  }

  Result<uint32_t> thread(uint64_t number) {
    return id(number, header_.threads, "thread", threads_,
              [&](uint64_t n) { return tables_.threads.intern(fmt::format("T{}", n)); });
  }

  Result<uint32_t> object(EventKind kind, uint64_t number) {
    switch (operands_of(kind)) {
      case Operands::Access:
        return id(number, header_.variables, "variable", variables_,
                  [&](uint64_t n) { return tables_.intern_variable(fmt::format("V{}", n)); });
      case Operands::Lock:
        return id(number, header_.locks, "lock", locks_,
                  [&](uint64_t n) { return tables_.locks.intern(fmt::format("L{}", n)); });
      case Operands::Thread:
        return thread(number);
      default:
        return static_cast<uint32_t>(tables_.labels.intern(fmt::format("B{}", number)));
    }
  }

  Result<void> parse(Event& e) {
    const uint64_t word = big_endian(file_.bytes(), offset(), kEventSize);
    const uint64_t operation = bits(word, 10, 13);
    if (operation >= kOperations.size()) {
      return fail_here("operation {} is out of range: the last is {}", operation,
                       kOperations.size() - 1);
    }
    e = Event{.kind = kOperations[operation], .index = EventIndex{next_}};
    FORETELL_TRY(actor, thread(bits(word, 0, 9)));
    e.thread = ThreadId{actor};
    FORETELL_TRY(operand, object(e.kind, bits(word, 14, 47)));
    e.object = operand;
    e.site = site(bits(word, 48, 62));
    return {};
  }

  SiteId site(uint64_t number) {
    auto [it, fresh] = sites_.try_emplace(number, 0);
    if (fresh) it->second = static_cast<uint32_t>(tables_.intern_site(std::to_string(number)));
    return SiteId{it->second};
  }

  InputFile file_;
  Header header_{};
  uint64_t events_ = 0;  // readable: promised by the header and present
  uint64_t next_ = 0;
  Numbers threads_, locks_, variables_, sites_;
};

}  // namespace

std::unique_ptr<TraceReader> make_rapid_binary_reader(InputFile file) {
  return std::make_unique<RapidBinaryReader>(std::move(file));
}

bool is_whole_rapid_binary(std::string_view bytes) {
  if (bytes.size() < kHeaderSize) return false;
  const size_t body = bytes.size() - kHeaderSize;
  return body % kEventSize == 0 && parse_header(bytes).events == body / kEventSize;
}

}  // namespace foretell::trace
