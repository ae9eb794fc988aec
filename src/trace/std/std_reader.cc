// SPDX-License-Identifier: Apache-2.0

// STD text to events, fast: one memchr per line, no allocation, and names looked up in
// direct-mapped caches before the tables.
#include "trace/std/std_reader.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "trace/name_cache.h"
#include "trace/text.h"

namespace foretell::trace {
namespace {

constexpr std::string_view kBlockLabel = "block";

struct Line {
  std::string_view thread, operation, operand, site;
};

class StdReader final : public TraceReader {
 public:
  explicit StdReader(InputFile file) : file_(std::move(file)), lines_(file_.bytes()) {}

  Result<size_t> read(std::span<Event> out) override {
    first_of_batch_ = next_index_;
    line_of_.resize(out.size());
    size_t count = 0;
    while (count < out.size() && !lines_.at_end()) {
      const std::string_view line = trim(lines_.next());
      if (lines_.too_long()) {
        reject(line, "the line is longer than {} bytes", LineScanner::kLongestLine);
        return std::unexpected(std::move(error_));
      }
      if (line.empty() || line.front() == '#') continue;
      if (!parse(line, out[count])) return std::unexpected(std::move(error_));
      line_of_[count++] = lines_.line();
    }
    line_of_.resize(count);
    file_.release_before(lines_.offset());
    return count;
  }

  void rewind() override {
    lines_ = LineScanner(file_.bytes());
    next_index_ = 0;
    threads_.clear();
    locks_.clear();
    variables_.clear();
    sites_.clear();
  }

  bool locations_known() const override { return true; }

  std::string position(EventIndex index) const override {
    const uint64_t i = to_index(index) - first_of_batch_;
    if (to_index(index) < first_of_batch_ || i >= line_of_.size()) {
      return fmt::format("{}: event {}", file_.name(), to_index(index));
    }
    return fmt::format("{}:{}", file_.name(), line_of_[i]);
  }

  double progress() const override { return fraction(lines_.offset(), file_.bytes().size()); }

 private:
  // At most one entry for every line of sixteen bytes: a small file needs no large cache.
  unsigned cache_bits(unsigned most) const {
    return std::clamp(static_cast<unsigned>(std::bit_width(file_.bytes().size() / 16)), 4u, most);
  }

  // Parsing answers with a bool, since a Result per line costs a tenth of the time.
  template <class... Args>
  bool reject(std::string_view line, fmt::format_string<Args...> format, Args&&... args) {
    error_ = {
        fmt::format("{} in '{}'", fmt::format(format, std::forward<Args>(args)...), excerpt(line)),
        fmt::format("{}:{}", file_.name(), lines_.line())};
    return false;
  }

  bool parse(std::string_view line, Event& e) {
    Line fields;
    if (!split(line, fields)) return false;
    const auto kind = kind_of(fields.operation);
    if (!kind) return reject(line, "unknown operation '{}'", excerpt(fields.operation));
    const bool block = *kind == EventKind::BlockBegin || *kind == EventKind::BlockEnd;
    if (!block && fields.operand.empty()) {
      return reject(line, "'{}' needs a name in parentheses", fields.operation);
    }
    e = Event{.kind = *kind, .thread = thread(fields.thread), .index = EventIndex{next_index_++}};
    e.object = object(*kind, fields.operand);
    if (!fields.site.empty()) e.site = site(fields.site);
    return true;
  }

  bool split(std::string_view line, Line& fields) {
    const size_t bar = line.find('|');
    if (bar == std::string_view::npos) return reject(line, "no '|' after the thread");
    fields.thread = trim(line.substr(0, bar));
    if (fields.thread.empty()) return reject(line, "no thread before the first '|'");

    const std::string_view rest = line.substr(bar + 1);
    size_t end = 0;
    while (end < rest.size() && rest[end] != '(' && rest[end] != '|') ++end;
    fields.operation = trim(rest.substr(0, end));
    std::string_view tail = rest.substr(end);
    if (tail.starts_with('(')) {
      const size_t close = end_of_operand(tail);
      if (close == std::string_view::npos) return reject(line, "no ')' after the operand");
      fields.operand = tail.substr(1, close - 1);
      tail = trim(tail.substr(close + 1));
    }
    if (!tail.empty()) fields.site = trim(tail.substr(1));
    return true;
  }

  // The first ')' with nothing but blanks between it and a '|' or the end.
  static size_t end_of_operand(std::string_view text) {
    size_t close = text.find(')');
    while (close != std::string_view::npos) {
      size_t after = close + 1;
      while (after < text.size() && is_line_blank(text[after])) ++after;
      if (after == text.size() || text[after] == '|') return close;
      close = text.find(')', after);
    }
    return close;
  }

  static std::optional<EventKind> kind_of(std::string_view word) {
    if (word.size() == 1) {
      if (word[0] == 'r') return EventKind::Read;
      if (word[0] == 'w') return EventKind::Write;
    }
    if (word == "acq") return EventKind::Acquire;
    if (word == "rel") return EventKind::Release;
    if (word == "req") return EventKind::Request;
    if (word == "fork") return EventKind::Fork;
    if (word == "join") return EventKind::Join;
    if (word == "begin") return EventKind::BlockBegin;
    if (word == "end") return EventKind::BlockEnd;
    return std::nullopt;
  }

  uint32_t object(EventKind kind, std::string_view name) {
    switch (kind) {
      case EventKind::Read:
      case EventKind::Write:
        return static_cast<uint32_t>(variable(name));
      case EventKind::Acquire:
      case EventKind::Release:
      case EventKind::Request:
        return static_cast<uint32_t>(locks_.find(name, [&](std::string_view text) {
          const LockId id = tables_.locks.intern(text);
          return std::pair(id, tables_.locks[id]);
        }));
      case EventKind::Fork:
      case EventKind::Join:
        return static_cast<uint32_t>(thread(trim(name)));
      default:
        return static_cast<uint32_t>(tables_.labels.intern(name.empty() ? kBlockLabel : name));
    }
  }

  ThreadId thread(std::string_view name) {
    return threads_.find(name, [&](std::string_view text) {
      const ThreadId id = tables_.threads.intern(text);
      return std::pair(id, tables_.threads[id]);
    });
  }

  LocationId variable(std::string_view name) {
    return variables_.find(name, [&](std::string_view text) {
      const LocationId id = tables_.intern_variable(text);
      return std::pair(id, tables_.strings[tables_.locations[id].space]);
    });
  }

  SiteId site(std::string_view name) {
    return sites_.find(name, [&](std::string_view text) {
      const SiteId id = tables_.intern_site(text);
      return std::pair(id, tables_.strings[tables_.sites[id].file]);
    });
  }

  InputFile file_;
  LineScanner lines_;
  Diagnostic error_;  // why the last line was rejected
  uint64_t next_index_ = 0;
  uint64_t first_of_batch_ = 0;
  std::vector<uint64_t> line_of_;  // the events of the last batch
  NameCache<ThreadId> threads_{cache_bits(8)};
  NameCache<LockId> locks_{cache_bits(12)};
  NameCache<LocationId> variables_{cache_bits(16)};
  NameCache<SiteId> sites_{cache_bits(14)};
};

}  // namespace

std::unique_ptr<TraceReader> make_std_reader(InputFile file) {
  return std::make_unique<StdReader>(std::move(file));
}

}  // namespace foretell::trace
