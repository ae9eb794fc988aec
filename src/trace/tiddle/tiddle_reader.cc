// SPDX-License-Identifier: Apache-2.0

#include "trace/tiddle/tiddle_reader.h"

#include <algorithm>
#include <optional>

#include "trace/contained_statements.h"
#include "trace/text.h"
#include "trace/tiddle/tiddle_words.h"
#include "trace/waiting.h"

namespace foretell::trace {
namespace {

using tiddle::Lexer;
using tiddle::Token;

struct Operation {
  EventKind kind;
  std::optional<MemoryOrder> order;  // set for the volatile spellings
};

std::optional<Operation> parse_operation(std::string_view word) {
  static const auto* const kWords = [] {
    auto* words = new absl::flat_hash_map<std::string_view, Operation>;
    for (uint8_t i = 0; i < kEventKindCount; ++i)
      (*words)[word_of(EventKind{i})] = {EventKind{i}, {}};
    (*words)["vrd"] = {EventKind::AtomicRead, MemoryOrder::seq_cst};
    (*words)["vwr"] = {EventKind::AtomicWrite, MemoryOrder::seq_cst};
    return words;
  }();
  auto it = kWords->find(word);
  if (it == kWords->end()) return {};
  return it->second;
}

class TiddleReader final : public TraceReader {
 public:
  explicit TiddleReader(InputFile file) : file_(std::move(file)), words_(text(), tables_) {}

  Result<size_t> read(std::span<Event> out) override {
    lines_.clear();
    first_of_batch_ = next_index_;
    size_t count = 0;
    while (count < out.size()) {
      FORETELL_TRY(token, in_file(words_.peek()));
      if (token.end) break;
      if (!token.quoted && token.text == "statement") {
        auto done = in_file(statement());
        if (!done) return std::unexpected(std::move(done).error());
        continue;
      }
      auto event = in_file(operation());
      if (!event) return std::unexpected(std::move(event).error());
      out[count++] = *event;
    }
    file_.release_before(words_.offset());
    return count;
  }

  void rewind() override {
    words_ = TiddleWords(text(), tables_);
    next_index_ = 0;
    tables_.facts.statements.clear();
    contained_.clear();
    set_contained_statements(contained_, tables_.facts);
  }

  std::string position(EventIndex index) const override {
    const size_t i = to_index(index) - first_of_batch_;
    if (to_index(index) < first_of_batch_ || i >= lines_.size()) {
      return fmt::format("{}: event {}", file_.name(), to_index(index));
    }
    return fmt::format("{}:{}", file_.name(), lines_[i]);
  }

  double progress() const override { return fraction(words_.offset(), file_.bytes().size()); }

 private:
  std::string_view text() const { return skip_byte_order_mark(file_.bytes()); }

  // Inside, a diagnostic's `where` is the bare line number; here the file name is put before it.
  template <class T>
  Result<T> in_file(Result<T> result) const {
    if (!result) result.error().where = fmt::format("{}:{}", file_.name(), result.error().where);
    return result;
  }

  Result<void> set_value(Event& e) {
    FORETELL_TRY(value, words_.optional_value());
    if (value) {
      e.value = *value;
      e.flags |= Event::kHasValue;
    }
    return {};
  }

  Result<Event> operation() {
    FORETELL_TRY(word, words_.peek());
    const auto operation = word.quoted ? std::nullopt : parse_operation(word.text);
    if (!operation) {
      return words_.fail_on(word, "unknown operation '{}'", excerpt(word.text));
    }
    words_.begin(word);
    Event e{.kind = operation->kind, .index = EventIndex{next_index_}};
    FORETELL_TRY(thread, words_.name(tables_.threads, "a thread"));
    e.thread = ThreadId{thread};
    if (auto done = operands(e, *operation); !done) return std::unexpected(std::move(done).error());
    if (auto done = limited(e); !done) return std::unexpected(std::move(done).error());
    FORETELL_TRY(site, words_.optional_site());
    e.site = site;
    lines_.push_back(word.line);
    ++next_index_;
    return e;
  }

  Result<void> limited(Event& e) {
    FORETELL_TRY(token, words_.peek());
    const bool is_word = !token.end && !token.quoted && words_.on_same_line();
    if (!may_wait(e.kind) || !is_word || token.text != "limited") return {};
    words_.take(token);
    e.flags |= kLimited;
    return {};
  }

  template <class Id>
  Result<void> set_object(Event& e, Interner<Id>& table, std::string_view what) {
    FORETELL_TRY(id, words_.name(table, what));
    e.object = id;
    return {};
  }

  Result<void> operands(Event& e, const Operation& operation) {
    switch (operands_of(e.kind)) {
      case Operands::None:
        return {};
      case Operands::Access: {
        FORETELL_TRY(id, words_.location());
        e.object = id;
        return set_value(e);
      }
      case Operands::Atomic: {
        FORETELL_TRY(id, words_.location());
        e.object = id;
        if (!operation.order) {
          FORETELL_TRY(order, words_.optional_order());
          e.order = order;
        }
        return set_value(e);
      }
      case Operands::AtomicRmw:
        return rmw_operands(e);
      case Operands::Order: {
        FORETELL_TRY(order, words_.optional_order());
        e.order = order;
        return {};
      }
      case Operands::Lock:
        return set_object(e, tables_.locks, "a lock");
      case Operands::Thread:
        return set_object(e, tables_.threads, "another thread");
      case Operands::Label:
        return set_object(e, tables_.labels, "a label");
      case Operands::Function:
        return set_object(e, tables_.functions, "a function");
      case Operands::Wait:
      case Operands::Wake: {
        if (auto done = set_object(e, tables_.conditions, "a condition"); !done) return done;
        FORETELL_TRY(lock, words_.name(tables_.locks, "a lock"));
        e.extra = lock;
        if (e.kind == EventKind::WaitBegin) return {};
        FORETELL_TRY(ticket, words_.optional_ticket("spurious"));
        e.value = ticket;
        return {};
      }
      case Operands::Notify: {
        if (auto done = set_object(e, tables_.conditions, "a condition"); !done) return done;
        FORETELL_TRY(ticket, words_.optional_ticket());
        e.value = ticket;
        return {};
      }
      case Operands::Barrier: {
        if (auto done = set_object(e, tables_.barriers, "a barrier"); !done) return done;
        FORETELL_TRY(generation, words_.optional_ticket());
        e.value = generation;
        return {};
      }
      case Operands::Post:
      case Operands::Down: {
        if (auto done = set_object(e, tables_.semaphores, "a semaphore"); !done) return done;
        FORETELL_TRY(ticket,
                     words_.optional_ticket(e.kind == EventKind::SemaphoreWait ? "initial" : ""));
        e.value = ticket;
        return {};
      }
      case Operands::Branch:
        return set_value(e);
      case Operands::Alloc: {
        FORETELL_TRY(id, words_.location());
        e.object = id;
        return set_value(e);
      }
      case Operands::Free: {
        FORETELL_TRY(id, words_.location());
        e.object = id;
        return {};
      }
      case Operands::User:
        return user_operands(e);
    }
    return {};
  }

  Result<void> rmw_operands(Event& e) {
    FORETELL_TRY(id, words_.location());
    e.object = id;
    FORETELL_TRY(order, words_.optional_order());
    e.order = order;
    FORETELL_TRY(read, words_.optional_value());
    if (!read) return {};
    FORETELL_TRY(written, words_.optional_value());
    if (!written)
      return words_.fail_on(words_.last(),
                            "'rmw' needs the value read and the value written, or none");
    e.extra = *read;
    e.value = *written;
    e.flags |= Event::kHasReadValue | Event::kHasValue;
    return {};
  }

  Result<void> user_operands(Event& e) {
    if (auto done = set_object(e, tables_.user_events, "a name"); !done) return done;
    std::string arguments;
    while (words_.on_same_line()) {
      FORETELL_TRY(token, words_.peek());
      if (!token.quoted && token.text.starts_with('@')) break;
      if (!arguments.empty()) arguments += ' ';
      arguments += token.quoted ? tiddle::unescape(token.text) : std::string(token.text);
      if (arguments.size() > Lexer::kLongestWord) {
        return words_.fail_on(token, "the arguments of 'user' are longer than {} bytes",
                              Lexer::kLongestWord);
      }
      words_.take(token);
    }
    e.extra = static_cast<uint64_t>(tables_.strings.intern(arguments));
    return {};
  }

  // statement @SITE [scope @SITE...] [uses @SITE...] [changes LOCATION...] [contained], on one
  // line. No event: it says what is known of the code.
  Result<void> statement() {
    FORETELL_TRY(word, words_.peek());
    words_.begin(word);
    StatementFacts facts;
    FORETELL_TRY(id, this_site("a site"));
    facts.statement = id;
    auto same = [&](const StatementFacts& other) { return other.statement == id; };
    if (std::ranges::any_of(tables_.facts.statements, same)) {
      return words_.fail_on(words_.last(), "there are two 'statement' lines about '{}'",
                            tables_.site_name(id));
    }
    std::string_view part;
    while (words_.on_same_line()) {
      FORETELL_TRY(token, words_.peek());
      const bool is_part = !token.quoted && (token.text == "scope" || token.text == "uses" ||
                                             token.text == "changes");
      if (is_part) {
        part = token.text;
        words_.take(token);
      } else if (!token.quoted && token.text == "contained") {
        contained_.push_back(id);
        words_.take(token);
      } else if (part == "changes") {
        FORETELL_TRY(range, words_.location());
        facts.changes.push_back(tables_.locations[LocationId{range}]);
      } else if (part.empty()) {
        return words_.fail_on(token,
                              "'statement' needs scope, uses, changes or contained before '{}'",
                              excerpt(token.text));
      } else {
        FORETELL_TRY(site, this_site("sites like @file:line:column"));
        (part == "scope" ? facts.scope : facts.uses).push_back(site);
      }
    }
    tables_.facts.statements.push_back(std::move(facts));
    set_contained_statements(contained_, tables_.facts);
    return {};
  }

  Result<SiteId> this_site(std::string_view what) {
    SiteId id = kNoSite;
    if (words_.on_same_line()) {
      FORETELL_TRY(site, words_.optional_site());
      id = site;
    }
    if (id == kNoSite) return words_.fail_on(words_.last(), "'statement' needs {}", what);
    return id;
  }

  InputFile file_;
  TiddleWords words_;
  uint64_t next_index_ = 0;
  uint64_t first_of_batch_ = 0;
  std::vector<uint32_t> lines_;  // of the events of the last batch
  std::vector<SiteId> contained_;
};

}  // namespace

std::unique_ptr<TraceReader> make_tiddle_reader(InputFile file) {
  return std::make_unique<TiddleReader>(std::move(file));
}

Result<Trace> parse_tiddle(std::string_view text, std::string name) {
  TiddleReader reader(InputFile::from_memory(text, std::move(name)));
  return read_all(reader);
}

}  // namespace foretell::trace
