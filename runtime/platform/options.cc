// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/options.h"

#include "runtime/platform/os.h"

namespace foretell::rt {

Options options;

namespace {

struct Piece {
  const char* at;
  size_t size;
};

bool is(Piece piece, const char* word) {
  return os::length(word) == piece.size && os::equal(piece.at, word, piece.size);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

const char* unescaped(Piece piece) {
  auto* text = static_cast<char*>(os::allocate_small(piece.size + 1));
  if (!text) return "";
  size_t used = 0;
  for (size_t i = 0; i < piece.size; i++) {
    if (piece.at[i] == '%' && i + 2 < piece.size && hex_digit(piece.at[i + 1]) >= 0 &&
        hex_digit(piece.at[i + 2]) >= 0) {
      text[used++] =
          static_cast<char>(hex_digit(piece.at[i + 1]) * 16 + hex_digit(piece.at[i + 2]));
      i += 2;
    } else {
      text[used++] = piece.at[i];
    }
  }
  text[used] = 0;
  return text;
}

[[noreturn]] void reject(const char* what, Piece piece) {
  os::complain(what, unescaped(piece), "' in FORETELL_OPTIONS; help=1 lists what there is");
  os::exit_process(ExitStatus::usage);
}

uint64_t number(Piece value) {
  uint64_t result = 0;
  if (value.size == 0 || value.size > 20) reject("not a number: '", value);
  for (size_t i = 0; i < value.size; i++) {
    if (value.at[i] < '0' || value.at[i] > '9') reject("not a number: '", value);
    result = result * 10 + static_cast<uint64_t>(value.at[i] - '0');
  }
  return result;
}

template <class Type, size_t kCount>
Type choice(Piece value, const char* const (&words)[kCount]) {
  for (uint32_t place = 0; place < kCount; place++) {
    if (is(value, words[place])) return static_cast<Type>(place);
  }
  reject("unknown value '", value);
}

void set(Piece key, Piece value) {
#define FORETELL_OPTION_TEXT(name, fallback, text) \
  if (is(key, #name)) {                            \
    options.name = unescaped(value);               \
    return;                                        \
  }
#define FORETELL_OPTION_NUMBER(name, fallback, text) \
  if (is(key, #name)) {                              \
    options.name = number(value);                    \
    return;                                          \
  }
#define FORETELL_OPTION_CHOICE(name, type, fallback, text)                    \
  if (is(key, #name)) {                                                       \
    options.name = choice<recording::type>(value, recording::k##type##Words); \
    return;                                                                   \
  }
#include "recording/options.def"
  reject("unknown key '", key);
}

// "name=WORD|WORD|WORD  text"
template <size_t kCount>
void list_choice(const char* name, const char* const (&words)[kCount], const char* text) {
  char joined[128];
  char* at = joined;
  for (const char* word : words) {
    if (at != joined) *at++ = '|';
    const size_t size = os::length(word);
    os::copy(at, word, size);
    at += size;
  }
  *at = 0;
  os::complain(name, joined, text);
}

[[noreturn]] void list_options() {
#define FORETELL_OPTION_TEXT(name, fallback, text) os::complain(#name "=TEXT  ", text);
#define FORETELL_OPTION_NUMBER(name, fallback, text) os::complain(#name "=N  ", text);
#define FORETELL_OPTION_CHOICE(name, type, fallback, text) \
  list_choice(#name "=", recording::k##type##Words, "  " text);
#include "recording/options.def"
  os::exit_process(ExitStatus::done);
}

}  // namespace

void parse_options(const char* text) {
  while (*text) {
    Piece key{text, 0};
    while (key.at[key.size] && key.at[key.size] != '=' && key.at[key.size] != ':') key.size++;
    text += key.size;
    Piece value{text, 0};
    if (*text == '=') {
      value.at = ++text;
      while (value.at[value.size] && value.at[value.size] != ':') value.size++;
      text += value.size;
    }
    if (key.size > 0) set(key, value);
    if (*text == ':') text++;
  }
  if (options.help) list_options();
}

}  // namespace foretell::rt
