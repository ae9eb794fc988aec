// SPDX-License-Identifier: Apache-2.0

#include "symbolic/selectors/c_tables.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "symbolic/executor/value.h"
#include "symbolic/selectors/decision_tree.h"

namespace foretell::symbolic {
namespace {

using smt::Expr;
using smt::ExprKind;

constexpr std::string_view kBeginning = R"(#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <schedule_tables.h>
typedef uint64_t word;
static int count;
static char** arguments;
static unsigned now;
static word mask(unsigned width) { return width >= 64 ? ~(word)0 : ((word)1 << width) - 1; }
static int64_t sign(word a, unsigned width) {
  return width >= 64 ? (int64_t)a : (int64_t)(a << (64 - width)) >> (64 - width);
}
/* As SMT-LIB defines them: total. */
static word udiv(word a, word b, unsigned width) { return b ? a / b : mask(width); }
static word urem(word a, word b) { return b ? a % b : a; }
static word sdiv(word a, word b, unsigned width) {
  int64_t x = sign(a, width), y = sign(b, width);
  if (!y) return x < 0 ? 1 : mask(width);
  return (y == -1 ? 0 - a : (word)(x / y)) & mask(width);
}
static word srem(word a, word b, unsigned width) {
  int64_t x = sign(a, width), y = sign(b, width);
  if (!y) return a;
  return (y == -1 ? 0 : (word)(x % y)) & mask(width);
}
static word shl(word a, word b, unsigned width) { return b >= width ? 0 : a << b & mask(width); }
static word lshr(word a, word b, unsigned width) { return b >= width ? 0 : a >> b; }
static word ashr(word a, word b, unsigned width) {
  return (word)(sign(a, width) >> (b >= width ? width - 1 : b)) & mask(width);
}
static word bytes_at(const char* from, unsigned bytes) {
  word value = 0;
  memcpy(&value, from, bytes);
  return value;
}
static const char* argument_at(int i, unsigned byte) {
  return i < count && strlen(arguments[i]) >= byte ? arguments[i] + byte : "0";
}
static word argument_byte(int i, unsigned byte) {
  return i < count && strlen(arguments[i]) >= byte ? (unsigned char)arguments[i][byte] : 0;
}
)";

class Terms {
 public:
  explicit Terms(const Cover& cover) : cover_(cover), reads_(reads_of(cover)) {}

  // The function that gives the term.
  std::string name_of(Expr expression) {
    smt::visit_unknown(
        expression, [&](Expr part) { return known_.contains(part); },
        [&](Expr part) {
          known_[part] = known_.size();
          define(part);
        });
    return call(expression);
  }
  const std::string& text() const { return text_; }

 private:
  std::string call(Expr e) { return fmt::format("t{}()", known_.at(e)); }
  void define(Expr e);
  std::string body(Expr e);
  std::string input(Expr variable);
  std::string state(const Input& input) const;

  const Cover& cover_;
  const Reads reads_;
  absl::flat_hash_map<Expr, size_t> known_;
  std::string text_;
};

void Terms::define(Expr e) {
  const size_t number_of = known_.at(e);
  if (e.is_constant()) {
    text_ += fmt::format("static word t{}(void) {{ return {}u; }}\n", number_of, e.value().low());
    return;
  }
  text_ += fmt::format(
      "static word t{}(void) {{\n  static unsigned known;\n  static word value;\n"
      "  if (known != now) value = {}, known = now;\n  return value;\n}}\n",
      number_of, body(e));
}

std::string Terms::input(Expr variable) {
  for (const Input& input : cover_.inputs) {
    if (input.variable != variable) continue;
    switch (input.kind) {
      case InputKind::argument_count:
        return "(word)(uint32_t)count";
      case InputKind::argument_number:
        return fmt::format("(word)(uint32_t)atoi(argument_at({}, {}))", input.index, input.byte);
      case InputKind::argument_long:
        return fmt::format("(word)atol(argument_at({}, {}))", input.index, input.byte);
      case InputKind::argument_byte:
        return fmt::format("argument_byte({}, {})", input.index, input.byte);
      case InputKind::state:
        return state(input);
    }
  }
  CHECK(false && "a variable that is no input");
  return "";
}

// What a place holds at the beginning of the epoch. Without a way to it the set is not complete.
std::string Terms::state(const Input& input) const {
  const uint32_t width = input.variable.width();
  if (!input.access) return "0";
  const Access& access = *input.access;
  std::string at = fmt::format("foretell_global_{}", access.global);
  if (access.is_register) {
    const auto slot = std::ranges::find(reads_.registers, std::pair(access.site, access.reg));
    at = fmt::format("foretell_shadows[{} * foretell_shadow_width + {}]", access.thread,
                     slot - reads_.registers.begin());
    if (access.offsets.empty()) return fmt::format("{} & mask({})", at, width);
    at = "(char*)" + at;
  }
  for (size_t i = 0; i + 1 < access.offsets.size(); i++)
    at = fmt::format("*(char**)({} + {})", at, access.offsets[i]);
  return fmt::format("bytes_at({} + {}, {})", at, access.offsets.back(), width / 8);
}

std::string Terms::body(Expr e) {
  const auto o = [&](size_t i) { return call(e.operand(i)); };
  const auto masked = [&](const std::string& text) {
    return fmt::format("({}) & mask({})", text, e.width());
  };
  const auto infix = [&](std::string_view sign) {
    return masked(fmt::format("{} {} {}", o(0), sign, o(1)));
  };
  const auto function = [&](std::string_view name) {
    return fmt::format("{}({}, {}, {})", name, o(0), o(1), e.width());
  };
  const auto signed_operand = [&](size_t i) {
    return fmt::format("sign({}, {})", o(i), e.operand(i).width());
  };
  const auto several = [&](std::string_view sign) {
    std::string text;
    for (size_t i = 0; i < e.operands().size(); i++)
      text += fmt::format("{}{}", i > 0 ? fmt::format(" {} ", sign) : "", o(i));
    return text;
  };
  switch (e.kind()) {
    case ExprKind::variable:
      return input(e);
    case ExprKind::negation:
      return masked("0 - " + o(0));
    case ExprKind::complement:
      return masked("~" + o(0));
    case ExprKind::add:
      return infix("+");
    case ExprKind::subtract:
      return infix("-");
    case ExprKind::multiply:
      return infix("*");
    case ExprKind::udiv:
      return function("udiv");
    case ExprKind::urem:
      return fmt::format("urem({}, {})", o(0), o(1));
    case ExprKind::sdiv:
      return function("sdiv");
    case ExprKind::srem:
      return function("srem");
    case ExprKind::bit_and:
      return infix("&");
    case ExprKind::bit_or:
      return infix("|");
    case ExprKind::bit_xor:
      return infix("^");
    case ExprKind::shl:
      return function("shl");
    case ExprKind::lshr:
      return function("lshr");
    case ExprKind::ashr:
      return function("ashr");
    case ExprKind::concat:
      return masked(fmt::format("{} << {} | {}", o(0), e.operand(1).width(), o(1)));
    case ExprKind::extract:
      return masked(fmt::format("{} >> {}", o(0), e.low()));
    case ExprKind::zero_extend:
      return o(0);
    case ExprKind::sign_extend:
      return masked("(word)" + signed_operand(0));
    case ExprKind::ult:
      return fmt::format("{} < {}", o(0), o(1));
    case ExprKind::slt:
      return fmt::format("{} < {}", signed_operand(0), signed_operand(1));
    case ExprKind::equal:
      return fmt::format("{} == {}", o(0), o(1));
    case ExprKind::logical_not:
      return fmt::format("!{}", o(0));
    case ExprKind::logical_and:
      return several("&&");
    case ExprKind::logical_or:
      return several("||");
    case ExprKind::ite:
      return fmt::format("{} ? {} : {}", o(0), o(1), o(2));
    case ExprKind::constant:
    case ExprKind::before:
    case ExprKind::constant_array:
    case ExprKind::select:
    case ExprKind::store:
      break;
  }
  CHECK(false && "a kind of term that the executor does not make");
  return "";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

// The number among all epochs of the first schedule of one.
size_t first_of(const Cover& cover, size_t epoch) {
  size_t first = 0;
  for (size_t e = 0; e < epoch; e++) first += cover.epochs[e].schedules.size();
  return first;
}

// Of the epoch with number `e`; rows for the list of all are added to `rows`.
std::string schedule_tables(const Cover& cover, size_t e, std::string& rows) {
  const EpochCover& epoch = cover.epochs[e];
  std::string text;
  for (size_t i = 0; i < epoch.schedules.size(); i++) {
    const Schedule& schedule = epoch.schedules[i].schedule;
    const size_t s = first_of(cover, e) + i;
    std::string edges, threads;
    size_t edge_count = 0;
    for (size_t t = 0; t < schedule.threads.size(); t++) {
      std::string nodes;
      for (const Node& node : schedule.threads[t]) {
        nodes +=
            fmt::format("  {{{}, {}, {}, {}, {}}},\n", node.instruction,
                        static_cast<int>(node.kind), node.result, edge_count, node.after.size());
        for (const NodePlace& before : node.after)
          edges += fmt::format("{{{}, {}}}, ", before.thread, before.index);
        edge_count += node.after.size();
      }
      text += fmt::format("static const struct ForetellNode n{}_{}[] = {{\n{}  {{0}}}};\n", s, t,
                          nodes);
      threads += fmt::format("{{n{}_{}, {}}}, ", s, t, schedule.threads[t].size());
    }
    text += fmt::format("static const struct ForetellEdge e{}[] = {{{}{{0, 0}}}};\n", s, edges);
    text += fmt::format("static const struct ForetellThread r{}[] = {{{}}};\n", s, threads);
    rows += fmt::format("  {{r{}, e{}, {}, {}, {}, {}u, {}, {}, {}, {}}},\n", s, s,
                        schedule.threads.size(), static_cast<int>(schedule.end),
                        quoted(schedule.end_text), schedule.end_epoch, schedule.participants, i + 1,
                        epoch.schedules.size(), e);
  }
  return text;
}

std::string all_tables(const Cover& cover) {
  std::string text, rows;
  for (size_t e = 0; e < cover.epochs.size(); e++) text += schedule_tables(cover, e, rows);
  const size_t width = std::max<size_t>(1, reads_of(cover).registers.size());
  return text + fmt::format(
                    "const struct ForetellSchedule foretell_schedules[] = {{\n{}}};\n"
                    "const uint32_t foretell_schedule_count = {};\n"
                    "const uint32_t foretell_shadow_width = {};\n"
                    "uint64_t foretell_shadows[4096 * {}];\n",
                    rows, first_of(cover, cover.epochs.size()), width, width);
}

std::string selector(const Cover& cover, size_t epoch, Terms& terms) {
  const DecisionTree tree = decision_tree(cover.epochs[epoch]);
  const auto leaf = [&](int32_t schedule) {
    return schedule == DecisionTree::kMiss
               ? schedule
               : schedule + static_cast<int32_t>(first_of(cover, epoch));
  };
  const auto next = [&](int32_t to) {
    return to >= 0 ? fmt::format("goto q{};", to)
                   : fmt::format("return {};", leaf(tree.leaves[static_cast<size_t>(~to)]));
  };
  std::string questions;
  for (size_t i = 0; i < tree.questions.size(); i++) {
    const DecisionTree::Question& question = tree.questions[i];
    questions +=
        fmt::format("{}  if ({}) {{ {} }} else {{ {} }}\n", i == 0 ? "" : fmt::format("q{}:\n", i),
                    terms.name_of(question.condition), next(question.yes), next(question.no));
  }
  if (tree.questions.empty()) questions = "  " + next(tree.root) + "\n";
  return fmt::format("static int select_{}(void) {{\n{}}}\n", epoch, questions);
}

std::string selectors(const Cover& cover) {
  Terms terms(cover);
  std::string functions, cases, globals;
  for (size_t e = 0; e < cover.epochs.size(); e++) {
    functions += selector(cover, e, terms);
    cases += fmt::format("    case {}: return select_{}();\n", e, e);
  }
  for (uint32_t global : reads_of(cover).globals)
    globals += fmt::format("extern char foretell_global_{}[];\n", global);
  return globals + terms.text() + functions +
         fmt::format(
             "int foretell_select_in(uint32_t epoch) {{\n  now++;\n  switch (epoch) {{\n{}  }}\n"
             "  return -1;\n}}\n"
             "int foretell_select(int argc, char** argv) {{\n  count = argc;\n  arguments = argv;\n"
             "  (void)argument_at; (void)argument_byte; (void)sdiv; (void)srem; (void)udiv; "
             "(void)urem;\n"
             "  (void)shl; (void)lshr; (void)ashr; (void)bytes_at;\n"
             "  return foretell_select_in(0);\n}}\n",
             cases);
}

std::string refusal(const Cover& cover) {
  std::string text = "const char* foretell_refuse(int argc, char** argv) {\n  (void)argv;\n";
  if (cover.arguments_are_fixed) {
    text += fmt::format("  if (argc != {}) return \"its schedules are for other arguments\";\n",
                        cover.fixed_arguments.size() + 1);
    for (size_t i = 0; i < cover.fixed_arguments.size(); i++)
      text += fmt::format(
          "  if (strcmp(argv[{}], {})) return \"its schedules are for other arguments\";\n", i + 1,
          quoted(cover.fixed_arguments[i]));
  } else if (!cover.known.empty()) {
    text += fmt::format(
        "  if (argc < 1 || argc > {}) return \"its schedules are for at most {} arguments "
        "(--max-arguments)\";\n",
        cover.most_arguments + 1, cover.most_arguments);
    bool reads_bytes = false;
    for (const Input& input : cover.inputs) reads_bytes |= input.kind == InputKind::argument_byte;
    if (reads_bytes)
      text += fmt::format(
          "  for (int i = 1; i < argc; i++)\n    if (strlen(argv[i]) >= {0}) return \"its "
          "schedules "
          "are for arguments of less than {0} bytes\";\n",
          cover.most_argument_bytes);
  } else {
    text += "  (void)argc;\n";
  }
  return text + "  return 0;\n}\n";
}

std::string places(const Cover& cover) {
  std::string text =
      "const char* foretell_place(uint32_t instruction) {\n  switch (instruction) {\n";
  for (const auto& [instruction, place] : cover.places)
    text += fmt::format("    case {}: return {};\n", instruction, quoted(place));
  return text + "  }\n  return \"a place that no schedule has\";\n}\n";
}

}  // namespace

Reads reads_of(const Cover& cover) {
  Reads reads;
  absl::flat_hash_map<Expr, bool> seen;
  const auto visit = [&](Expr part) {
    seen[part] = true;
    if (part.kind() != ExprKind::variable) return;
    for (const Input& input : cover.inputs) {
      if (input.variable != part || !input.access) continue;
      const Access& access = *input.access;
      const std::pair place{access.site, access.reg};
      if (access.is_register && std::ranges::find(reads.registers, place) == reads.registers.end())
        reads.registers.push_back(place);
      if (!access.is_register &&
          std::ranges::find(reads.globals, access.global) == reads.globals.end())
        reads.globals.push_back(access.global);
    }
  };
  for (const EpochCover& epoch : cover.epochs)
    for (const CoveredSchedule& covered : epoch.schedules)
      for (const Alternative& alternative : covered.alternatives)
        for (Expr condition : alternative.conditions)
          smt::visit_unknown(condition, [&](Expr part) { return seen.contains(part); }, visit);
  return reads;
}

std::string c_tables(const Cover& cover) {
  return std::string(kBeginning) + all_tables(cover) + selectors(cover) + refusal(cover) +
         places(cover);
}

}  // namespace foretell::symbolic
