// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/library.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "symbolic/executor/thread_handles.h"

namespace foretell::symbolic {

using program::Operation;

const Library::Row Library::kRows[] = {
    {"abort", &Library::ends},
    {"__assert_fail", &Library::ends},
    {"exit", &Library::exits},
    {"_exit", &Library::exits},
    {"malloc", &Library::allocate},
    {"calloc", &Library::allocate_zeroed},
    {"realloc", &Library::reallocate},
    {"free", &Library::release},
    {"memcpy", &Library::copy_memory},
    {"memmove", &Library::copy_memory},
    {"memset", &Library::set_memory},
    {"memcmp", &Library::compare_memory},
    {"strlen", &Library::string_length},
    {"strcmp", &Library::compare_strings},
    {"strncmp", &Library::compare_strings},
    {"strcpy", &Library::copy_string},
    {"atoi", &Library::number_of_text},
    {"atol", &Library::long_of_text},
    {"atoll", &Library::long_of_text},
    {"strtol", &Library::long_of_text},
    {"strtoll", &Library::long_of_text},
    {"printf", &Library::print},
    {"fprintf", &Library::print_to_file},
    {"puts", &Library::put_string},
    {"putchar", &Library::put_character},
    {"fflush", &Library::nothing},
    {"fopen", &Library::find_memory},
    {"fdopen", &Library::find_memory},
    {"getenv", &Library::find_memory},
    {"fscanf", &Library::scan},
    {"__isoc99_fscanf", &Library::scan},
    {"__isoc99_scanf", &Library::scan},
    {"scanf", &Library::scan},
    {"sscanf", &Library::scan},
    {"__isoc99_sscanf", &Library::scan},
    {"getopt", &Library::get_option},
    {"pthread_setcancelstate", &Library::no_error},
    {"pthread_setcanceltype", &Library::no_error},
    {"pthread_mutexattr_init", &Library::no_error},
    {"pthread_mutexattr_destroy", &Library::no_error},
    {"pthread_condattr_init", &Library::no_error},
    {"pthread_condattr_destroy", &Library::no_error},
    {"pthread_barrierattr_init", &Library::no_error},
    {"pthread_barrierattr_destroy", &Library::no_error},
    {"pthread_setconcurrency", &Library::no_error},
    {"pthread_detach", &Library::no_error},
    {"pthread_attr_setaffinity_np", &Library::no_error},
    {"valloc", &Library::allocate_aligned},
    {"memalign", &Library::allocate_aligned},
    {"aligned_alloc", &Library::allocate_aligned},
    {"posix_memalign", &Library::allocate_at},
    {"_Znwm", &Library::allocate},
    {"_Znam", &Library::allocate},
    {"_ZdlPv", &Library::release},
    {"_ZdaPv", &Library::release},
    {"_ZdlPvm", &Library::release},
    {"_ZdaPvm", &Library::release},
    {"strdup", &Library::duplicate_string},
    {"sqrt", &Library::mathematics},
    {"sin", &Library::mathematics},
    {"cos", &Library::mathematics},
    {"tan", &Library::mathematics},
    {"atan", &Library::mathematics},
    {"exp", &Library::mathematics},
    {"log", &Library::mathematics},
    {"fabs", &Library::mathematics},
    {"floor", &Library::mathematics},
    {"ceil", &Library::mathematics},
    {"pow", &Library::mathematics},
    {"sqrtf", &Library::mathematics},
    {"sinf", &Library::mathematics},
    {"cosf", &Library::mathematics},
    {"expf", &Library::mathematics},
    {"logf", &Library::mathematics},
    {"fabsf", &Library::mathematics},
    {"fmuladd", &Library::mathematics},
    {"pthread_self", &Library::own_thread},
    {"abs", &Library::absolute},
    {"usleep", &Library::nothing},
    {"sleep", &Library::nothing},
    {"sched_yield", &Library::nothing},
    {"pthread_attr_init", &Library::nothing},
    {"pthread_attr_destroy", &Library::nothing},
    {"pthread_attr_setdetachstate", &Library::nothing},
    {"pthread_attr_setstacksize", &Library::nothing},
    {"pthread_attr_setscope", &Library::nothing},
};

namespace {

constexpr uint64_t kNaturalAlignment = 16;  // of malloc

// llvm.memcpy.p0.p0.i64 is memcpy.
std::string plain_name(const std::string& name) {
  if (!name.starts_with("llvm.")) return name;
  const size_t end = name.find('.', 5);
  return name.substr(5, end == std::string::npos ? end : end - 5);
}

}  // namespace

Library::Flow Library::call(const program::CodeFunction& function) {
  name_ = plain_name(function.name);
  const auto row = std::ranges::find(kRows, std::string_view(name_), &Row::name);
  const bool is_modeled = row != std::end(kRows);
  if (!is_modeled && !function.external.is_known)
    return run_.refuse(call_, fmt::format("{}() is not modeled", name_));
  for (size_t i = 0; i < argument_count(); i++) {
    const Value given = argument(i);
    if (!given.is_unknown_address() && !(given.is_address() && run_.is_wild(given, 1))) continue;
    if (name_.ends_with("printf") || !is_modeled) continue;
    detail_.opaque = "an address is not known when the epoch begins";
    detail_.origin = given.origin;
    detail_.is_weak = true;
    return done(run_.unknown_of(call_));
  }
  return is_modeled ? (this->*row->model)() : unmodeled(function);
}

Library::Flow Library::done(std::optional<Value> result) {
  const uint32_t detail = run_.add_detail(std::move(detail_));
  run_.record(call_, run_.top(thread_).serial).detail = detail;
  if (result) run_.set(run_.top(thread_), call_, std::move(*result));
  return Flow::goes_on;
}

Library::Flow Library::nothing() {
  return done(Value::integer(call_.width, 0));
}

Library::Flow Library::ends() {
  return run_.fail(call_, name_ == "abort" ? "abort()" : "an assertion fails", {});
}

Library::Flow Library::exits() {
  run_.threads_[thread_].exit_status = static_cast<int>(argument(0).bits & 0xff);
  return run_.request(thread_, call_, SyncKind::process_exit);
}

// --- Memory --------------------------------------------------------------------------------------

Library::Flow Library::allocate() {
  return done(new_block(known(argument(0)), kNaturalAlignment));
}

Library::Flow Library::allocate_zeroed() {
  return done(new_block(known(argument(0)) * known(argument(1)), kNaturalAlignment));
}

Library::Flow Library::reallocate() {
  const Value old = argument(0);
  const uint64_t size = known(argument(1));
  const Value result = new_block(size, kNaturalAlignment);
  const ObjectNumber block = result.object;
  if (!old.is_null()) {
    if (!reach(old, 0)) return Flow::stops;
    const uint64_t kept = std::min(size, run_.memory_[old.object].size);
    detail_.reads.push_back({old.object, 0, kept});
    detail_.writes.push_back({block, 0, kept});
    run_.memory_.copy(block, 0, old.object, 0, kept);
    run_.memory_[old.object].is_freed = true;
  }
  return done(result);
}

Library::Flow Library::release() {
  const Value block = argument(0);
  if (block.is_null()) return done();
  if (!reach(block, 0)) return Flow::stops;
  run_.memory_[block.object].is_freed = true;
  return done();
}

bool Library::reach(const Value& address, uint64_t bytes) {
  if (!run_.resolve(call_, address, bytes, detail_)) return false;
  run_.pin(address, detail_, "an address");
  return true;
}

Value Library::byte_at(const Value& address, uint64_t offset) {
  Value at = address;
  at.bits += offset;
  at.term.reset();
  return run_.load_anywhere(at, 1, detail_);
}

Library::Flow Library::copy_memory() {
  const Value to = argument(0), from = argument(1);
  const uint64_t bytes = known(argument(2));
  if (bytes == 0) return done(to);
  if (!reach(to, bytes) || !reach(from, bytes)) return Flow::stops;
  if (run_.memory_[from.object].argument)
    return refuse("of the program's arguments is not modeled");
  detail_.reads.push_back({from.object, from.bits, from.bits + bytes});
  detail_.writes.push_back({to.object, to.bits, to.bits + bytes});
  run_.memory_.copy(to.object, to.bits, from.object, from.bits, bytes);
  return done(to);
}

Library::Flow Library::set_memory() {
  const Value to = argument(0);
  const Value byte = run_.arithmetic_.resize(Operation::truncate, argument(1), 8);
  const uint64_t bytes = known(argument(2));
  if (bytes == 0) return done(to);
  if (!reach(to, bytes)) return Flow::stops;
  detail_.writes.push_back({to.object, to.bits, to.bits + bytes});
  for (uint64_t i = 0; i < bytes; i++) run_.memory_.store(to.object, to.bits + i, 1, byte);
  return done(to);
}

Library::Flow Library::compare_memory() {
  const Value a = argument(0), b = argument(1);
  const uint64_t bytes = known(argument(2));
  if (bytes > 0 && (!reach(a, bytes) || !reach(b, bytes))) return Flow::stops;
  Value result = Value::integer(32, 0);
  for (uint64_t i = bytes; i-- > 0;) {
    const Value x = run_.arithmetic_.resize(Operation::zero_extend, byte_at(a, i), 32);
    const Value y = run_.arithmetic_.resize(Operation::zero_extend, byte_at(b, i), 32);
    const Value difference = run_.arithmetic_.binary(Operation::subtract, x, y);
    result = run_.arithmetic_.choose(run_.arithmetic_.compare(Operation::equal, x, y), result,
                                     difference);
  }
  return done(result);
}

// --- Strings -------------------------------------------------------------------------------------

// The length in this run; each byte before the end is a condition if it depends on inputs.
std::optional<uint64_t> Library::length_at(const Value& address) {
  if (!reach(address, 1)) return {};
  for (uint64_t i = 0;; i++) {
    Value at = address;
    at.bits += i;
    if (!run_.resolve(call_, at, 1, detail_)) return {};
    const Value byte = byte_at(address, i);
    if (byte.term) {
      const smt::Expr holds = run_.arithmetic_.condition_of(byte);
      detail_.conditions.push_back(byte.bits != 0 ? holds : run_.context_.logical_not(holds));
    }
    if (byte.opaque) detail_.opaque = "the length of a string";
    if (byte.bits == 0) return i;
  }
}

std::optional<std::string> Library::text_at(const Value& address) {
  if (address.kind != Value::Kind::pointer || address.object == kNullObject) return {};
  const Object& object = run_.memory_[address.object];
  if (object.is_absent || object.is_freed) return {};
  std::string text;
  for (uint64_t at = address.bits; at < object.size; at++) {
    const Value byte = run_.memory_.load(address.object, at, 1);
    if (byte.bits == 0) break;
    text += static_cast<char>(byte.bits);
  }
  return text;
}

Library::Flow Library::string_length() {
  const auto length = length_at(argument(0));
  return length ? done(Value::integer(64, *length)) : Flow::stops;
}

Library::Flow Library::compare_strings() {
  const Value a = argument(0), b = argument(1);
  const uint64_t most = name_ == "strncmp" ? known(argument(2)) : ~uint64_t{0};
  if (!reach(a, 1) || !reach(b, 1)) return Flow::stops;
  // Up to the first byte at which this run ends or differs; its predecessors are conditions.
  for (uint64_t i = 0; i < most; i++) {
    Value at_a = a, at_b = b;
    at_a.bits += i;
    at_b.bits += i;
    if (!run_.resolve(call_, at_a, 1, detail_) || !run_.resolve(call_, at_b, 1, detail_))
      return Flow::stops;
    const Value x = run_.arithmetic_.resize(Operation::zero_extend, byte_at(a, i), 32);
    const Value y = run_.arithmetic_.resize(Operation::zero_extend, byte_at(b, i), 32);
    if (x.bits != y.bits || x.bits == 0)
      return done(run_.arithmetic_.binary(Operation::subtract, x, y));
    for (const Value& equal :
         {run_.arithmetic_.compare(Operation::equal, x, y),
          run_.arithmetic_.compare(Operation::not_equal, x, Value::integer(32, 0))})
      if (equal.term) detail_.conditions.push_back(run_.arithmetic_.condition_of(equal));
  }
  return done(Value::integer(32, 0));
}

Library::Flow Library::copy_string() {
  const Value to = argument(0), from = argument(1);
  const auto length = length_at(from);
  if (!length) return Flow::stops;
  if (!reach(to, *length + 1)) return Flow::stops;
  detail_.writes.push_back({to.object, to.bits, to.bits + *length + 1});
  for (uint64_t i = 0; i <= *length; i++)
    run_.memory_.store(to.object, to.bits + i, 1, byte_at(from, i));
  return done(to);
}

// --- Numbers -------------------------------------------------------------------------------------

Value Library::input_or_number(const Value& text, InputKind kind, uint8_t width) {
  const Object& object = run_.memory_[text.object];
  if (object.argument && !text.term) {
    const smt::Expr input =
        run_.inputs_.find(kind, *object.argument, static_cast<uint32_t>(text.bits));
    Value value = Value::integer(width, run_.values_.value_of(input).low());
    value.term = input;
    return value;
  }
  const std::string known = text_at(text).value_or("");
  if (holds_opaque(text, known.size() + 1)) {
    detail_.reads.push_back({text.object, text.bits, run_.memory_[text.object].size});
    return opaque_value(width);
  }
  detail_.reads.push_back({text.object, text.bits, text.bits + known.size() + 1});
  return Value::integer(
      width, static_cast<uint64_t>(std::strtoll(known.c_str(), nullptr, 10)) & mask_of(width));
}

Library::Flow Library::number_of_text() {
  const Value text = argument(0);
  if (!reach(text, 1)) return Flow::stops;
  return done(input_or_number(text, InputKind::argument_number, 32));
}

Library::Flow Library::long_of_text() {
  const Value text = argument(0);
  if (!reach(text, 1)) return Flow::stops;
  if (argument_count() > 1) {
    if (!argument(1).is_null()) return refuse("the end of the number is asked for");
    if (known(argument(2)) != 10) return refuse("a base other than 10");
  }
  return done(input_or_number(text, InputKind::argument_long, 64));
}

Library::Flow Library::absolute() {
  const Value a = argument(0);
  const Value is_negative = run_.arithmetic_.compare(Operation::slt, a, Value::integer(a.width, 0));
  return done(run_.arithmetic_.choose(
      is_negative, run_.arithmetic_.binary(Operation::subtract, Value::integer(a.width, 0), a), a));
}

Library::Flow Library::own_thread() {
  return done(Value::integer(64, handle_of(thread_)));
}

// --- Output --------------------------------------------------------------------------------------

// What printf would write in this run. Nothing if a directive is not known.
std::optional<std::string> Library::format(size_t first) {
  const auto pattern = text_at(argument(first));
  if (!pattern) return {};
  std::string text;
  size_t next = first + 1;
  for (size_t i = 0; i < pattern->size(); i++) {
    if ((*pattern)[i] != '%') {
      text += (*pattern)[i];
      continue;
    }
    const size_t end = pattern->find_first_of("diuxXcspfgeoX%", i + 1);
    if (end == std::string::npos) return {};
    const std::string directive = pattern->substr(i, end - i + 1);
    i = end;
    if (directive == "%%") {
      text += '%';
      continue;
    }
    if (next >= argument_count() || directive.find('*') != std::string::npos) return {};
    const Value value = argument(next++);
    char buffer[512];
    if (directive.back() == 's') {
      const auto word = text_at(value);
      if (!word) return {};
      std::snprintf(buffer, sizeof buffer, directive.c_str(), word->c_str());
    } else if (value.kind == Value::Kind::real) {
      double real = 0;
      std::memcpy(&real, &value.bits, sizeof real);
      std::snprintf(buffer, sizeof buffer, directive.c_str(), real);
    } else if (directive.find('l') != std::string::npos || directive.back() == 'p') {
      std::snprintf(buffer, sizeof buffer, directive.c_str(), value.bits);
    } else {
      std::snprintf(buffer, sizeof buffer, directive.c_str(), static_cast<int>(value.bits));
    }
    text += buffer;
  }
  return text;
}

Library::Flow Library::print() {
  if (const auto text = format(0)) run_.path_.output += *text;
  return done(Value::integer(32, 1));
}

Library::Flow Library::print_to_file() {
  return done(Value::integer(32, 1));
}

Library::Flow Library::put_string() {
  if (const auto text = text_at(argument(0))) run_.path_.output += *text + "\n";
  return done(Value::integer(32, 1));
}

Library::Flow Library::put_character() {
  run_.path_.output += static_cast<char>(argument(0).bits);
  return done(argument(0));
}

}  // namespace foretell::symbolic
