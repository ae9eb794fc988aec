// SPDX-License-Identifier: Apache-2.0

#include "tiddle/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::tiddle {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Keywords of both languages, common macros, and what the generated code itself is made of.
constexpr std::string_view kReserved[] = {
    "abstract",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "atomic_cancel",
    "atomic_commit",
    "atomic_noexcept",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extends",
    "extern",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "implements",
    "import",
    "inline",
    "instanceof",
    "int",
    "interface",
    "long",
    "mutable",
    "namespace",
    "native",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "null",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "package",
    "private",
    "protected",
    "public",
    "record",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "sealed",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "strictfp",
    "struct",
    "super",
    "switch",
    "synchronized",
    "template",
    "this",
    "thread_local",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "var",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "yield",
    // macros
    "BUFSIZ",
    "EOF",
    "NULL",
    "RAND_MAX",
    "errno",
    "linux",
    "offsetof",
    "setjmp",
    "stderr",
    "stdin",
    "stdout",
    "unix",
    "NAN",
    "INFINITY",
    "INT_MAX",
    "INT_MIN",
    "LONG_MAX",
    "SIG_DFL",
    "CLOCK_REALTIME",
    "EAGAIN",
    "EBUSY",
    "EINTR",
    "EINVAL",
    "ENOMEM",
    "EDEADLK",
    "INT64_C",
    "UINT64_C",
    // generated code
    "main",
    "std",
    "run",
    "bytes",
    "call",
    "waiter",
    "pthread_create",
    "pthread_join",
    "await",
    "skip",
    "log",
    "expect",
    "blocked",
    "resume",
    "begin",
    "step",
    "blocking",
    "cb",
    "cc",
    "numThreads",
    "beginning",
    "ending",
    "args",
    "e",
    "noise",
    "Test",
    "System",
    "Thread",
    "String",
    "Object",
    "Math",
    "CyclicBarrier",
    "BrokenBarrierException",
    "InterruptedException",
    "ReentrantLock",
    "ReentrantReadWriteLock",
    "Condition",
    "Semaphore",
    "Phaser",
    "VarHandle",
    "MethodHandles",
    "TimeUnit",
    "Override",
    "Integer",
    "Long",
    "Exception",
    "Runnable",
    "failures",
    "wait",
    "notify",
    "notifyAll",
    "getClass",
    "hashCode",
    "equals",
    "toString",
    "clone",
    "finalize",
    "java",
    "javax",
    "start",
    "join",
    "interrupt",
    "sleep",
    "stop",
    "getState",
    "Class",
    "ExceptionInInitializerError",
    "ReflectiveOperationException",
    "Runtime",
    "Waiter",
    "awaitStart",
    "fail",
    "handle",
    "out",
    "trace",
};

// Of what the generated code is made of, and of macros in the headers that it includes.
constexpr std::string_view kReservedPrefixes[] = {"foretell", "FORETELL", "Foretell", "FUTEX_",
                                                  "SYS_"};

}  // namespace

Names::Names() {
  for (std::string_view word : kReserved) taken_.emplace(word);
}

std::string Names::add(std::string_view wanted, std::string_view prefix) {
  std::string name;
  for (char c : wanted) {
    if (is_letter(c) || is_digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';  // two in a row are reserved in C++
    }
  }
  while (name.size() > 1 && name.back() == '_' && !wanted.ends_with('_')) name.pop_back();
  auto begins_name = [&](std::string_view start) { return name.starts_with(start); };
  if (name.empty() || is_digit(name[0]) || std::ranges::any_of(kReservedPrefixes, begins_name)) {
    name = std::string(prefix) + name;
  }
  if (taken_.insert(name).second) return name;
  const std::string stem = name.ends_with('_') ? name : name + '_';
  for (size_t n = 2;; ++n) {
    name = fmt::format("{}{}", stem, n);
    if (taken_.insert(name).second) return name;
  }
}

std::string as_comment(std::string_view text) {
  // Line ends would end the comment, a last backslash continue it, and Java reads \u escapes.
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += '/';
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string as_literal(std::string_view text) {
  // Octal escapes of three digits mean the same in both languages.
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\' || c == '?' || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace foretell::tiddle
