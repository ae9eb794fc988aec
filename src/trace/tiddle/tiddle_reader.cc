// SPDX-License-Identifier: Apache-2.0

#include "trace/tiddle/tiddle_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "trace/text.h"
#include "trace/tiddle/tiddle_lexer.h"
#include "trace/waiting.h"

namespace foretell::trace {
namespace {

using tiddle::Lexer;
using tiddle::Token;

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// Values are 64 bits wide; a minus sign means two's complement.
std::optional<uint64_t> parse_value(std::string_view text) {
  if (!text.starts_with('-')) return parse_unsigned(text);
  auto magnitude = parse_unsigned(text.substr(1));
  if (!magnitude || *magnitude > uint64_t{1} << 63) return {};
  return -*magnitude;
}

std::optional<MemoryOrder> parse_order(std::string_view text) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(MemoryOrder::seq_cst); ++i) {
    if (word_of(MemoryOrder{i}) == text) return MemoryOrder{i};
  }
  return {};
}

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

// Splits `"quoted part"rest` or `plain part<separator>rest` after the name.
struct NameAndRest {
  std::string name;
  std::string_view rest;
};
NameAndRest split_name(const Token& token, std::string_view text, char separator) {
  if (token.quoted) return {tiddle::unescape(text), {}};
  if (text.starts_with('"')) {
    for (size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        return {tiddle::unescape(text.substr(1, i - 1)), text.substr(i + 1)};
    }
  }
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), text.substr(at)};
}

class TiddleReader final : public TraceReader {
 public:
  explicit TiddleReader(InputFile file) : file_(std::move(file)), lexer_(text()) {}

  Result<size_t> read(std::span<Event> out) override {
    lines_.clear();
    first_of_batch_ = next_index_;
    size_t count = 0;
    while (count < out.size()) {
      FORETELL_TRY(token, in_file(lexer_.peek()));
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
    file_.release_before(lexer_.offset());
    return count;
  }

  void rewind() override {
    lexer_ = Lexer(text());
    next_index_ = 0;
    tables_.facts.statements.clear();
  }

  std::string position(EventIndex index) const override {
    const size_t i = to_index(index) - first_of_batch_;
    if (to_index(index) < first_of_batch_ || i >= lines_.size()) {
      return fmt::format("{}: event {}", file_.name(), to_index(index));
    }
    return fmt::format("{}:{}", file_.name(), lines_[i]);
  }

  double progress() const override { return fraction(lexer_.offset(), file_.bytes().size()); }

 private:
  std::string_view text() const { return skip_byte_order_mark(file_.bytes()); }

  // Inside, a diagnostic's `where` is the bare line number; here the file name is put before it.
  template <class T>
  Result<T> in_file(Result<T> result) const {
    if (!result) result.error().where = fmt::format("{}:{}", file_.name(), result.error().where);
    return result;
  }

  template <class... Args>
  std::unexpected<Diagnostic> fail_on(const Token& token, fmt::format_string<Args...> format,
                                      Args&&... args) {
    return fail_at(std::to_string(token.line), format, std::forward<Args>(args)...);
  }

  Result<Token> operand(std::string_view what) {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end) {
      return fail_on(last_, "the text ends where '{}' needs {}", excerpt(operation_), what);
    }
    if (!token.quoted && (token.text.starts_with('@') || token.text.starts_with('#'))) {
      return fail_on(token, "'{}' needs {} before '{}'", excerpt(operation_), what,
                     excerpt(token.text));
    }
    lexer_.take();
    last_ = token;
    return token;
  }

  template <class Table>
  Result<uint32_t> name(Table& table, std::string_view what) {
    FORETELL_TRY(token, operand(what));
    if (token.quoted) return static_cast<uint32_t>(table.intern(tiddle::unescape(token.text)));
    return static_cast<uint32_t>(table.intern(token.text));
  }

  Result<uint32_t> location() {
    FORETELL_TRY(token, operand("a location"));
    const bool address = !token.quoted && token.text.starts_with("0x") &&
                         token.text.find(':') != std::string_view::npos &&
                         token.text.find('+') == std::string_view::npos;
    auto [name, rest] = split_name(token, token.text, address ? ':' : '+');
    if (rest.empty()) return static_cast<uint32_t>(tables_.intern_variable(name));

    Location range;
    std::string_view offset = name, size = rest;
    if (!address) {
      const size_t colon = rest.starts_with('+') ? rest.find(':') : 0;
      offset = colon == 0 ? std::string_view{} : rest.substr(1, colon - 1);
      size = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon);
    }
    const auto from = parse_unsigned(offset);
    const auto length = size.empty() ? std::nullopt : parse_unsigned(size.substr(1));
    if (!from || !length || *length == 0 || *from + *length < *from) {
      return fail_on(token,
                     "'{}' is not a range of bytes: write name+OFFSET:SIZE or 0xADDRESS:SIZE",
                     excerpt(token.text));
    }
    if (!address) range.space = tables_.strings.intern(name);
    range.offset = *from;
    range.size = *length;
    return static_cast<uint32_t>(tables_.locations.intern(range));
  }

  // The next word if it is a value (no operation begins with a digit).
  Result<std::optional<uint64_t>> optional_value() {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end || token.quoted) return std::nullopt;
    const char first = token.text.front();
    if (first != '-' && (first < '0' || first > '9')) return std::nullopt;
    auto value = parse_value(token.text);
    if (!value) return fail_on(token, "'{}' is not a 64-bit integer", excerpt(token.text));
    lexer_.take();
    last_ = token;
    return value;
  }

  // `#TICKET`, or `word` for "no partner".
  Result<uint64_t> optional_ticket(std::string_view word = "") {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end || token.quoted) return Event::kUnknown;
    if (!word.empty() && token.text == word) {
      lexer_.take();
      last_ = token;
      return Event::kNoPartner;
    }
    if (!token.text.starts_with('#')) return Event::kUnknown;
    auto ticket = parse_unsigned(token.text.substr(1));
    if (!ticket || *ticket >= Event::kNoPartner - 1) {
      return fail_on(token, "'{}' is not a ticket: write # and a number", excerpt(token.text));
    }
    lexer_.take();
    last_ = token;
    return *ticket + 1;  // 0 means unknown inside
  }

  // On the same line only: on the next one `acq` and `rel` are operations.
  Result<MemoryOrder> optional_order() {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end || token.quoted || !lexer_.on_same_line(last_)) return MemoryOrder::seq_cst;
    auto order = parse_order(token.text);
    if (!order) return MemoryOrder::seq_cst;
    lexer_.take();
    last_ = token;
    return *order;
  }

  Result<void> set_value(Event& e) {
    FORETELL_TRY(value, optional_value());
    if (value) {
      e.value = *value;
      e.flags |= Event::kHasValue;
    }
    return {};
  }

  Result<Event> operation() {
    FORETELL_TRY(word, lexer_.peek());
    operation_ = word.text;
    last_ = word;
    const auto operation = word.quoted ? std::nullopt : parse_operation(word.text);
    if (!operation) {
      return fail_on(word, "unknown operation '{}'", excerpt(word.text));
    }
    lexer_.take();
    Event e{.kind = operation->kind, .index = EventIndex{next_index_}};
    FORETELL_TRY(thread, name(tables_.threads, "a thread"));
    e.thread = ThreadId{thread};
    if (auto done = operands(e, *operation); !done) return std::unexpected(std::move(done).error());
    if (auto done = limited(e); !done) return std::unexpected(std::move(done).error());
    if (auto done = site(e); !done) return std::unexpected(std::move(done).error());
    lines_.push_back(word.line);
    ++next_index_;
    return e;
  }

  Result<void> limited(Event& e) {
    FORETELL_TRY(token, lexer_.peek());
    const bool is_word = !token.end && !token.quoted && lexer_.on_same_line(last_);
    if (!may_wait(e.kind) || !is_word || token.text != "limited") return {};
    lexer_.take();
    last_ = token;
    e.flags |= kLimited;
    return {};
  }

  template <class Id>
  Result<void> set_object(Event& e, Interner<Id>& table, std::string_view what) {
    FORETELL_TRY(id, name(table, what));
    e.object = id;
    return {};
  }

  Result<void> operands(Event& e, const Operation& operation) {
    switch (operands_of(e.kind)) {
      case Operands::None:
        return {};
      case Operands::Access: {
        FORETELL_TRY(id, location());
        e.object = id;
        return set_value(e);
      }
      case Operands::Atomic: {
        FORETELL_TRY(id, location());
        e.object = id;
        if (!operation.order) {
          FORETELL_TRY(order, optional_order());
          e.order = order;
        }
        return set_value(e);
      }
      case Operands::AtomicRmw:
        return rmw_operands(e);
      case Operands::Order: {
        FORETELL_TRY(order, optional_order());
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
        FORETELL_TRY(lock, name(tables_.locks, "a lock"));
        e.extra = lock;
        if (e.kind == EventKind::WaitBegin) return {};
        FORETELL_TRY(ticket, optional_ticket("spurious"));
        e.value = ticket;
        return {};
      }
      case Operands::Notify: {
        if (auto done = set_object(e, tables_.conditions, "a condition"); !done) return done;
        FORETELL_TRY(ticket, optional_ticket());
        e.value = ticket;
        return {};
      }
      case Operands::Barrier: {
        if (auto done = set_object(e, tables_.barriers, "a barrier"); !done) return done;
        FORETELL_TRY(generation, optional_ticket());
        e.value = generation;
        return {};
      }
      case Operands::Post:
      case Operands::Down: {
        if (auto done = set_object(e, tables_.semaphores, "a semaphore"); !done) return done;
        FORETELL_TRY(ticket, optional_ticket(e.kind == EventKind::SemaphoreWait ? "initial" : ""));
        e.value = ticket;
        return {};
      }
      case Operands::Branch:
        return set_value(e);
      case Operands::Alloc: {
        FORETELL_TRY(id, location());
        e.object = id;
        return set_value(e);
      }
      case Operands::Free: {
        FORETELL_TRY(id, location());
        e.object = id;
        return {};
      }
      case Operands::User:
        return user_operands(e);
    }
    return {};
  }

  Result<void> rmw_operands(Event& e) {
    FORETELL_TRY(id, location());
    e.object = id;
    FORETELL_TRY(order, optional_order());
    e.order = order;
    FORETELL_TRY(read, optional_value());
    if (!read) return {};
    FORETELL_TRY(written, optional_value());
    if (!written)
      return fail_on(last_, "'rmw' needs the value read and the value written, or none");
    e.extra = *read;
    e.value = *written;
    e.flags |= Event::kHasReadValue | Event::kHasValue;
    return {};
  }

  Result<void> user_operands(Event& e) {
    if (auto done = set_object(e, tables_.user_events, "a name"); !done) return done;
    std::string arguments;
    while (lexer_.on_same_line(last_)) {
      FORETELL_TRY(token, lexer_.peek());
      if (!token.quoted && token.text.starts_with('@')) break;
      if (!arguments.empty()) arguments += ' ';
      arguments += token.quoted ? tiddle::unescape(token.text) : std::string(token.text);
      if (arguments.size() > Lexer::kLongestWord) {
        return fail_on(token, "the arguments of 'user' are longer than {} bytes",
                       Lexer::kLongestWord);
      }
      lexer_.take();
      last_ = token;
    }
    e.extra = static_cast<uint64_t>(tables_.strings.intern(arguments));
    return {};
  }

  // statement @SITE [scope @SITE...] [uses @SITE...] [changes LOCATION...], on one line. No event:
  // it says what is known of the code.
  Result<void> statement() {
    FORETELL_TRY(word, lexer_.peek());
    operation_ = word.text;
    last_ = word;
    lexer_.take();
    StatementFacts facts;
    FORETELL_TRY(id, this_site("a site"));
    facts.statement = id;
    auto same = [&](const StatementFacts& other) { return other.statement == id; };
    if (std::ranges::any_of(tables_.facts.statements, same)) {
      return fail_on(last_, "there are two 'statement' lines about '{}'", tables_.site_name(id));
    }
    std::string_view part;
    while (lexer_.on_same_line(last_)) {
      FORETELL_TRY(token, lexer_.peek());
      const bool is_part = !token.quoted && (token.text == "scope" || token.text == "uses" ||
                                             token.text == "changes");
      if (is_part) {
        part = token.text;
        lexer_.take();
        last_ = token;
      } else if (part == "changes") {
        FORETELL_TRY(range, location());
        facts.changes.push_back(tables_.locations[LocationId{range}]);
      } else if (part.empty()) {
        return fail_on(token, "'statement' needs scope, uses or changes before '{}'",
                       excerpt(token.text));
      } else {
        FORETELL_TRY(site, this_site("sites like @file:line:column"));
        (part == "scope" ? facts.scope : facts.uses).push_back(site);
      }
    }
    tables_.facts.statements.push_back(std::move(facts));
    return {};
  }

  Result<SiteId> this_site(std::string_view what) {
    Event e;
    if (lexer_.on_same_line(last_)) {
      if (auto done = site(e); !done) return std::unexpected(std::move(done).error());
    }
    if (e.site == kNoSite) return fail_on(last_, "'statement' needs {}", what);
    return e.site;
  }

  // @file:line:column [in=FUNCTION] [as=EXPRESSION], in this order
  Result<void> site(Event& e) {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end || token.quoted || !token.text.starts_with('@')) return {};
    lexer_.take();
    last_ = token;
    Site site;
    std::string_view text = token.text.substr(1);
    std::string file;
    const bool quoted_file = text.starts_with('"');
    if (quoted_file) {
      auto [quoted, rest] = split_name(token, text, ':');
      file = quoted;
      text = rest;
    } else {
      // The last two numeric parts are line and column; the file name may hold colons itself.
      const size_t numbers = begin_of_numbers(text);
      file = std::string(text.substr(0, numbers));
      text = text.substr(numbers);
    }
    uint32_t* fields[] = {&site.line, &site.column};
    for (uint32_t* field : fields) {
      if (text.empty()) break;
      const size_t end = text.find(':', 1);
      auto number = text.front() == ':' ? parse_unsigned(text.substr(1, end - 1)) : std::nullopt;
      if (!number || *number > UINT32_MAX || *number == 0) {
        return fail_on(token, "'{}' is not a site: write @file:line:column", excerpt(token.text));
      }
      *field = static_cast<uint32_t>(*number);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
    }
    if (!text.empty() || (file.empty() && !quoted_file)) {
      return fail_on(token, "'{}' is not a site: write @file:line:column", excerpt(token.text));
    }
    site.file = tables_.strings.intern(file);
    FORETELL_TRY(function, site_part("in="));
    site.function = function;
    FORETELL_TRY(expression, site_part("as="));
    site.expression = expression;
    e.site = tables_.sites.intern(site);
    return {};
  }

  static size_t begin_of_numbers(std::string_view text) {
    size_t begin = text.size();
    for (int parts = 0; parts < 2; ++parts) {
      const size_t colon = text.substr(0, begin).rfind(':');
      if (colon == std::string_view::npos || colon + 1 == begin) break;
      const std::string_view digits = text.substr(colon + 1, begin - colon - 1);
      if (digits.find_first_not_of("0123456789") != std::string_view::npos) break;
      begin = colon;
    }
    return begin;
  }

  Result<StringId> site_part(std::string_view prefix) {
    FORETELL_TRY(token, lexer_.peek());
    if (token.end || token.quoted || !token.text.starts_with(prefix)) return StringId{};
    lexer_.take();
    last_ = token;
    const std::string_view rest = token.text.substr(prefix.size());
    if (!rest.starts_with('"')) return tables_.strings.intern(rest);
    auto [name, tail] = split_name(token, rest, ' ');
    if (!tail.empty()) return fail_on(token, "'{}' has text after its name", excerpt(token.text));
    return tables_.strings.intern(name);
  }

  InputFile file_;
  Lexer lexer_;
  uint64_t next_index_ = 0;
  uint64_t first_of_batch_ = 0;
  std::vector<uint32_t> lines_;  // of the events of the last batch
  std::string_view operation_;   // the one being read, for messages
  Token last_;                   // the last word taken
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
