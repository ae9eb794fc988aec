// SPDX-License-Identifier: Apache-2.0

// What the C library brings into a program from outside: files, standard input, clocks, the environment,
// random numbers, and options of the command line.
//
// The constrained program calls the real function; here its results are opaque: any value is possible. If
// one decides what is synchronized, the search lets an epoch end behind it (epochs/markers.h).

#include <fmt/format.h>

#include <cstring>

#include "symbolic/executor/library.h"

namespace foretell::symbolic {

Value Library::opaque_value(uint8_t width) const {
  Value value = Value::integer(width, 0);
  value.opaque = true;
  return value;
}

// Memory of the library of which nothing is known, or null.
Value Library::library_memory() {
  constexpr uint64_t kModeledBytes = 256;
  const ObjectNumber object = run_.memory_.add(
      {.name = fmt::format("what {}() gives at {}", name_, run_.place_of(call_)),
       .size = kModeledBytes,
       .abstract = call_.objects.empty() ? std::vector<uint32_t>{0} : call_.objects});
  run_.memory_.make_opaque(object, 0, kModeledBytes);
  Value value = Value::pointer(object, 0);
  value.opaque = true;
  return value;
}

// Up to `most` bytes from there.
void Library::write_anything(const Value& address, uint64_t most) {
  if (address.kind != Value::Kind::pointer || address.object == kNullObject) {
    if (address.opaque) detail_.opaque = "what is written here is not known";
    detail_.is_weak = true;
    return;
  }
  const Object& object = run_.memory_[address.object];
  // A terminated argument of the program is written to by nobody but the program.
  if (object.argument || address.bits >= object.size) return;
  const bool somewhere = address.term || address.opaque;
  const uint64_t from = somewhere ? 0 : address.bits;
  const uint64_t to = somewhere || most > object.size - from ? object.size : from + most;
  if (address.opaque) detail_.opaque = "what is written here depends on inputs";
  detail_.writes.push_back({address.object, from, to});
  run_.memory_.make_opaque(address.object, from, to);
}

// A function of which share/externals.spec says what it may write.
Library::Flow Library::unmodeled(const program::CodeFunction& function) {
  detail_.is_weak = true;
  // Of read, fread and fgets the buffer is as long as they are told.
  uint64_t most = ~uint64_t{0};
  const auto count = [&](size_t i) {
    const Value value = argument(i);
    return value.term || value.opaque ? ~uint64_t{0} : value.bits;
  };
  if (name_ == "read") most = count(2);
  if (name_ == "fgets") most = count(1);
  if (name_ == "gettimeofday" || name_ == "clock_gettime") most = 16;
  if (name_ == "time") most = 8;
  for (size_t i = 0; i < argument_count(); i++) {
    const Value given = argument(i);
    const bool writes = i >= 32 ? function.external.writes == ~uint32_t{0}
                                : (function.external.writes >> i & 1) != 0;
    if (given.is_address() && !given.is_null() && writes) write_anything(given, most);
  }
  if (call_.result == program::kNoRegister) return done();
  if (function.returns_pointer) {
    if (function.external.gives_first && !argument(0).is_null()) {
      Value result = argument(0);
      result.opaque = true;
      result.term.reset();
      return done(result);
    }
    return done(library_memory());
  }
  Value result = opaque_value(call_.width);
  if (function.returns_real) result.kind = Value::Kind::real;
  return done(result);
}

Library::Flow Library::find_memory() {
  return done(library_memory());
}

Library::Flow Library::no_error() {
  for (size_t i = 0; i < argument_count(); i++)
    if (name_.starts_with("pthread_setcancel") && i == 1 && argument(i).is_address() &&
        !argument(i).is_null())
      write_anything(argument(i), 4);
  return done(Value::integer(call_.width, 0));
}

// Each directive stores a value as wide as it says, or nothing at the end of the file.
Library::Flow Library::scan() {
  const bool has_source =
      !name_.ends_with("scanf") || name_.ends_with("fscanf") || name_.ends_with("sscanf");
  const size_t first = has_source ? 1 : 0;
  const auto pattern = text_at(argument(first));
  // One number of an argument of the program is that of atoi, but for text that is no number.
  detail_.is_weak = true;
  size_t next = first + 1;
  for (size_t i = 0; pattern && i < pattern->size(); i++) {
    if ((*pattern)[i] != '%') continue;
    const size_t end = pattern->find_first_of("diuxXonscfeEgGapA[%", i + 1);
    if (end == std::string::npos || (*pattern)[end] == '[') return refuse("this format");
    const std::string directive = pattern->substr(i + 1, end - i);
    i = end;
    if (directive == "%" || directive[0] == '*') continue;
    if (next >= argument_count()) return refuse("too few arguments");
    uint64_t most = directive.find('l') != std::string::npos    ? 8
                    : directive.find("hh") != std::string::npos ? 1
                    : directive.find('h') != std::string::npos  ? 2
                                                                : 4;
    const size_t width = static_cast<size_t>(std::strtoull(directive.c_str(), nullptr, 10));
    if (directive.back() == 'c') most = std::max<size_t>(width, 1);
    if (directive.back() == 's') most = width > 0 ? width + 1 : ~uint64_t{0};
    if (directive.back() == 'p') most = 8;
    write_anything(argument(next++), most);
  }
  return done(opaque_value(32));
}

// --- Options -------------------------------------------------------------------------------------

// What the byte is in this run; if it depends on inputs, that it is so is a condition.
std::optional<char> Library::decided_byte(const Value& address, uint64_t offset) {
  Value at = address;
  at.bits += offset;
  if (!run_.resolve(call_, at, 1, detail_)) return {};
  return static_cast<char>(known(byte_at(address, offset)));
}

// POSIX's getopt: options end at the first argument that is none. (glibc's goes on behind it, which moves
// arguments about; a program that has options there is refused.)
Library::Flow Library::get_option() {
  const auto variable = [&](std::string_view name) -> std::optional<ObjectNumber> {
    for (size_t i = 0; i < run_.code_.globals.size(); i++)
      if (run_.code_.globals[i].name == name) return run_.globals_[i];
    return {};
  };
  const auto set_variable = [&](std::string_view name, uint64_t bytes, const Value& value) {
    const auto object = variable(name);
    if (!object) return;
    detail_.writes.push_back({*object, 0, bytes});
    run_.memory_.store(*object, 0, bytes, value);
  };
  if (run_.start_.epoch != 0) return refuse("in a later epoch");
  const auto options = text_at(argument(2));
  if (!options) return refuse("options that are not known");
  Options& state = run_.options_;
  const Value vector = argument(1);
  const auto word = [&](uint32_t i) {
    Value at = vector;
    at.bits += uint64_t{8} * i;
    return run_.resolve(call_, at, 8, detail_) ? run_.memory_.load(at.object, at.bits, 8)
                                               : Value::pointer(kNullObject, 0);
  };
  // Whether there is such an argument, as a condition.
  const auto is_given = [&](uint32_t i) {
    const Value count = argument(0);
    const Value less =
        run_.arithmetic_.compare(program::Operation::slt, Value::integer(32, i), count);
    return known(less) != 0;
  };
  const auto is_option = [&](uint32_t i) -> std::optional<bool> {
    const auto dash = decided_byte(word(i), 0);
    if (!dash) return {};
    if (*dash != '-') return false;
    const auto letter = decided_byte(word(i), 1);
    if (!letter) return {};
    return *letter != 0;
  };
  const auto ends = [&]() -> Flow {
    for (uint32_t i = state.argument; is_given(i); i++) {
      const auto later = is_option(i);
      if (!later) return Flow::stops;
      if (*later) return refuse("options behind other arguments");
    }
    set_variable("optind", 4, Value::integer(32, state.argument));
    set_variable("optarg", 8, Value::pointer(kNullObject, 0));
    return done(Value::integer(32, ~uint64_t{0} & mask_of(32)));
  };
  if (state.byte == 0) {
    if (!is_given(state.argument)) return ends();
    const auto begins = is_option(state.argument);
    if (!begins) return Flow::stops;
    if (!*begins) return ends();
    state.byte = 1;
  }
  const Value text = word(state.argument);
  const auto letter = decided_byte(text, state.byte);
  if (!letter) return Flow::stops;
  if (state.byte == 1 && *letter == '-') return refuse("an argument that begins with --");
  const size_t at = *letter == ':' ? std::string::npos : options->find(*letter);
  const auto next = decided_byte(text, state.byte + 1);
  if (!next) return Flow::stops;
  const bool takes =
      at != std::string::npos && at + 1 < options->size() && (*options)[at + 1] == ':';
  Value value = Value::pointer(kNullObject, 0);
  bool is_missing = false;
  if (takes && *next != 0) {
    value = text;
    value.bits += state.byte + 1;
    state = {state.argument + 1, 0};
  } else if (takes) {
    is_missing = !is_given(state.argument + 1);
    if (!is_missing) value = word(state.argument + 1);
    state = {state.argument + (is_missing ? 1 : 2), 0};
  } else if (*next != 0) {
    state.byte++;
  } else {
    state = {state.argument + 1, 0};
  }
  set_variable("optind", 4, Value::integer(32, state.argument));
  set_variable("optarg", 8, value);
  const bool is_wrong = at == std::string::npos || is_missing;
  if (is_wrong) set_variable("optopt", 4, Value::integer(32, static_cast<unsigned char>(*letter)));
  return done(Value::integer(32, is_wrong ? (is_missing && options->starts_with(":") ? ':' : '?')
                                          : static_cast<unsigned char>(*letter)));
}

}  // namespace foretell::symbolic
