// SPDX-License-Identifier: Apache-2.0

// Models of functions of the C library that a program calls without having their code.
//
// Those that read numbers from the program's arguments are inputs: their result is a variable, and the
// constrained program calls the real function. What is in no table is refused by name.
#pragma once

#include <string>
#include <string_view>

#include "symbolic/executor/interpreter.h"

namespace foretell::symbolic {

class Library {
 public:
  using Flow = Interpreter::Flow;

  Library(Interpreter& run, uint32_t thread, const program::CodeInstruction& call)
      : run_(run), thread_(thread), call_(call) {}

  Flow call(const program::CodeFunction& function);

 private:
  using Model = Flow (Library::*)();
  struct Row {
    std::string_view name;
    Model model;
  };
  static const Row kRows[];

  Value argument(size_t i) { return run_.value_of(call_.operands[i + 1], run_.top(thread_)); }
  size_t argument_count() const { return call_.operands.size() - 1; }
  // Leaves the step, with the result.
  Flow done(std::optional<Value> result = {});
  Flow refuse(const std::string& what) { return run_.refuse(call_, name_ + ": " + what); }
  // A number of bytes, an offset: what the model needs to know as a number.
  uint64_t known(const Value& value) { return run_.pin(value, detail_, "an argument"); }
  bool reach(const Value& address, uint64_t bytes);
  Value byte_at(const Value& address, uint64_t offset);
  // The string at an address, if it is known; a note if it depends on inputs.
  std::optional<std::string> text_at(const Value& address);
  std::optional<uint64_t> length_at(const Value& address);

  Flow nothing();  // no effect, gives 0
  Flow ends();     // abort and its like
  Flow exits();
  Flow allocate();
  Flow allocate_zeroed();
  Flow reallocate();
  Flow release();
  Flow copy_memory();
  Flow set_memory();
  Flow compare_memory();
  Flow string_length();
  Flow compare_strings();
  Flow copy_string();
  Flow number_of_text();
  Flow long_of_text();
  Flow print();
  Flow print_to_file();
  Flow put_string();
  Flow put_character();
  Flow own_thread();
  Flow absolute();

  // Of the environment (library_environment.cc): files, clocks, random numbers.
  Flow unmodeled(const program::CodeFunction& function);
  Flow scan();
  Flow get_option();
  Flow no_error();
  Flow find_memory();
  bool holds_opaque(const Value& address, uint64_t bytes);
  void write_anything(const Value& address, uint64_t most);
  std::optional<char> decided_byte(const Value& address, uint64_t offset);
  Value opaque_value(uint8_t width) const;
  Value library_memory();
  // Of numbers (library_numbers.cc).
  Flow mathematics();
  Flow allocate_aligned();
  Flow allocate_at();
  Flow duplicate_string();
  Value new_block(uint64_t size, uint64_t alignment);

  Value input_or_number(const Value& text, InputKind kind, uint8_t width);
  std::optional<std::string> format(size_t first);

  Interpreter& run_;
  const uint32_t thread_;
  const program::CodeInstruction& call_;
  std::string name_;
  Detail detail_;
};

}  // namespace foretell::symbolic
