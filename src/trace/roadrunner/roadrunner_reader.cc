// SPDX-License-Identifier: Apache-2.0

#include "trace/roadrunner/roadrunner_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "trace/text.h"

namespace foretell::trace {
namespace {

struct NamedKind {
  std::string_view name;  // lower case
  EventKind kind;
};

constexpr std::array kKindOfWord = std::to_array<NamedKind>({
    {"rd", EventKind::Read},           {"read", EventKind::Read},
    {"ard", EventKind::Read},          {"wr", EventKind::Write},
    {"write", EventKind::Write},       {"awr", EventKind::Write},
    {"vrd", EventKind::AtomicRead},    {"volatilerd", EventKind::AtomicRead},
    {"vwr", EventKind::AtomicWrite},   {"volatilewr", EventKind::AtomicWrite},
    {"acquire", EventKind::Acquire},   {"release", EventKind::Release},
    {"fork", EventKind::Fork},         {"start", EventKind::Fork},
    {"join", EventKind::Join},         {"enter", EventKind::FunctionEnter},
    {"exit", EventKind::FunctionExit}, {"wait", EventKind::WaitBegin},
    {"prewait", EventKind::WaitBegin}, {"postwait", EventKind::WaitEnd},
    {"notify", EventKind::NotifyOne},  {"notifyall", EventKind::NotifyAll},
    {"begin", EventKind::BlockBegin},  {"end", EventKind::BlockEnd},
});

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<EventKind> kind_of(std::string_view name) {
  for (const NamedKind& row : kKindOfWord) {
    if (std::ranges::equal(row.name, name, {}, {}, lower)) return row.kind;
  }
  return std::nullopt;
}

// `@ NAME(`, and what follows the parenthesis.
struct Head {
  std::string_view name, rest;
};

std::optional<Head> split_head(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('@')) return std::nullopt;
  line = trim(line.substr(1));
  size_t end = 0;
  while (end < line.size() && lower(line[end]) >= 'a' && lower(line[end]) <= 'z') ++end;
  const std::string_view name = line.substr(0, end);
  const std::string_view rest = trim(line.substr(end));
  if (name.empty() || !rest.starts_with('(')) return std::nullopt;
  return Head{name, rest.substr(1)};
}

// Where the parenthesis opened before `text` closes.
size_t end_of_arguments(std::string_view text) {
  size_t depth = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Takes `:NUMBER` off the end of `text`; 0 if there is none.
uint32_t take_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return 0;
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || stop != end || number == 0) return 0;
  text = text.substr(0, colon);
  return number;
}

class RoadRunnerReader final : public TraceReader {
 public:
  explicit RoadRunnerReader(InputFile file) : file_(std::move(file)), lines_(file_.bytes()) {}

  Result<size_t> read(std::span<Event> out) override {
    first_of_batch_ = next_index_;
    line_of_.clear();
    size_t count = 0;
    while (count < out.size() && !lines_.at_end()) {
      const std::string_view line = trim(lines_.next());
      if (lines_.too_long()) {
        return fail_here(line, "the line is longer than {} bytes", LineScanner::kLongestLine);
      }
      if (line.empty()) continue;
      FORETELL_TRY(event, parse(line));
      if (!event) continue;
      out[count++] = *event;
      line_of_.push_back(lines_.line());
    }
    file_.release_before(lines_.offset());
    if (lines_.at_end()) warn_of_skipped();
    return count;
  }

  void rewind() override {
    lines_ = LineScanner(file_.bytes());
    next_index_ = 0;
    other_lines_ = 0;
    unknown_events_ = 0;
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
  template <class... Args>
  std::unexpected<Diagnostic> fail_here(std::string_view line, fmt::format_string<Args...> format,
                                        Args&&... args) const {
    return fail_at(fmt::format("{}:{}", file_.name(), lines_.line()), "{} in '{}'",
                   fmt::format(format, std::forward<Args>(args)...), excerpt(line));
  }

  // No event for a line that is to be skipped.
  Result<std::optional<Event>> parse(std::string_view line) {
    const auto head = split_head(line);
    if (!head) {
      ++other_lines_;
      return std::nullopt;
    }
    const auto kind = kind_of(head->name);
    if (!kind) {
      if (unknown_events_++ == 0) first_unknown_ = head->name;
      return std::nullopt;
    }
    const size_t close = end_of_arguments(head->rest);
    if (close == std::string_view::npos) return fail_here(line, "no ')' after the arguments");
    const std::string_view arguments = head->rest.substr(0, close);
    const size_t comma = arguments.find(',');
    const std::string_view thread = trim(arguments.substr(0, comma));
    const std::string_view object =
        comma == std::string_view::npos ? "" : trim(arguments.substr(comma + 1));
    if (thread.empty()) return fail_here(line, "'{}' needs a thread", head->name);
    if (object.empty() && operands_of(*kind) != Operands::Label) {
      return fail_here(line, "'{}' needs an object after the thread", head->name);
    }

    Event e{.kind = *kind,
            .thread = tables_.threads.intern(thread),
            .index = EventIndex{next_index_++}};
    set_object(e, object);
    e.site = site(trim(head->rest.substr(close + 1)));
    return e;
  }

  void set_object(Event& e, std::string_view name) {
    auto set = [&](auto id) { e.object = static_cast<uint32_t>(id); };
    switch (operands_of(e.kind)) {
      case Operands::Access:
      case Operands::Atomic:
        return set(tables_.intern_variable(name));
      case Operands::Lock:
        return set(tables_.locks.intern(name));
      case Operands::Thread:
        return set(tables_.threads.intern(name));
      case Operands::Function:
        return set(tables_.functions.intern(name));
      case Operands::Label:
        return set(tables_.labels.intern(name.empty() ? "block" : name));
      case Operands::Wait:
      case Operands::Wake:
        e.extra = static_cast<uint64_t>(tables_.locks.intern(name));
        return set(tables_.conditions.intern(name));
      case Operands::Notify:
        return set(tables_.conditions.intern(name));
      case Operands::None:
      case Operands::AtomicRmw:
      case Operands::Order:
      case Operands::Barrier:
      case Operands::Post:
      case Operands::Down:
      case Operands::Branch:
      case Operands::Alloc:
      case Operands::Free:
      case Operands::User:
        break;
    }
    const bool operands_of_a_listed_name = false;
    CHECK(operands_of_a_listed_name);
  }

  SiteId site(std::string_view text) {
    if (text.empty()) return kNoSite;
    std::string_view file = text;
    const uint32_t last = take_number(file);
    if (last == 0) return tables_.intern_site(text);
    const uint32_t line = take_number(file);
    return line == 0 ? tables_.intern_site(file, last) : tables_.intern_site(file, line, last);
  }

  void warn_of_skipped() {
    if (warned_) return;
    warned_ = true;
    if (other_lines_ > 0) {
      warnings_.push_back({fmt::format("skipped {} line{} without an event", other_lines_,
                                       other_lines_ == 1 ? "" : "s"),
                           file_.name()});
    }
    if (unknown_events_ > 0) {
      warnings_.push_back(
          {fmt::format("skipped {} event{} of unknown kind, the first is '{}'", unknown_events_,
                       unknown_events_ == 1 ? "" : "s", excerpt(first_unknown_)),
           file_.name()});
    }
  }

  InputFile file_;
  LineScanner lines_;
  uint64_t next_index_ = 0;
  uint64_t first_of_batch_ = 0;
  std::vector<uint64_t> line_of_;  // the events of the last batch
  uint64_t other_lines_ = 0;
  uint64_t unknown_events_ = 0;
  std::string_view first_unknown_;
  bool warned_ = false;  // a second pass says nothing new
};

}  // namespace

std::unique_ptr<TraceReader> make_roadrunner_reader(InputFile file) {
  return std::make_unique<RoadRunnerReader>(std::move(file));
}

bool is_roadrunner_event(std::string_view line) {
  const auto head = split_head(line);
  return head && kind_of(head->name);
}

}  // namespace foretell::trace
