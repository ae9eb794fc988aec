#include "smt/smtlib.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>

#include "base/check.h"

namespace foretell::smt {
namespace {

std::string sort_text(Sort sort) {
  switch (sort.kind) {
    case SortKind::boolean:
      return "Bool";
    case SortKind::bits:
      return fmt::format("(_ BitVec {})", sort.width);
    case SortKind::array:
      return fmt::format("(Array (_ BitVec {}) (_ BitVec {}))", sort.index_width, sort.width);
    case SortKind::place:
      return "Int";
  }
  CHECK(false);
  return "";
}

// A quoted symbol may hold anything but | and \. Those, and % itself, are written as %7c, %5c, %25,
// so that different names stay different.
std::string quoted(std::string_view name) {
  std::string text = "|";
  for (char c : name) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '|' && c != '\\' && c != '%';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return text + "|";
}

class SmtlibWriter {
 public:
  explicit SmtlibWriter(std::span<const Expr> roots) : parts_(post_order(roots)) {
    for (Expr e : parts_) {
      for (Expr operand : e.operands()) ++uses_[operand];
    }
    for (Expr root : roots) ++uses_[root];
  }

  std::string script(std::span<const Expr> roots) {
    std::string text;
    for (Expr e : parts_) {
      if (e.kind() == ExprKind::variable) {
        text += fmt::format("(declare-const {} {})\n", quoted(e.name()), sort_text(e.sort()));
      }
    }
    // Anything else is written where it stands, which is not deep: a definition every few levels.
    for (Expr e : parts_) {
      std::string form = written(e);
      if (e.operands().empty() || (uses_[e] == 1 && form.size() < kMostInline)) {
        text_[e] = std::move(form);
        continue;
      }
      const std::string name = fmt::format("|e%{}|", definitions_++);
      text += fmt::format("(define-fun {} () {} {})\n", name, sort_text(e.sort()), form);
      text_[e] = name;
    }
    for (Expr root : roots) text += fmt::format("(assert {})\n", text_[root]);
    return text;
  }

 private:
  static constexpr size_t kMostInline = 200;

  std::string written(Expr e) const {
    const ExprKind kind = e.kind();
    if (kind == ExprKind::variable) return quoted(e.name());
    if (kind == ExprKind::constant) {
      if (e.is_boolean()) return e.is_true() ? "true" : "false";
      return to_smtlib(e.value());
    }
    if (kind == ExprKind::extract) {
      return with_operands(e, fmt::format("(_ extract {} {})", e.low() + e.width() - 1, e.low()));
    }
    if (kind == ExprKind::zero_extend || kind == ExprKind::sign_extend) {
      return with_operands(
          e, fmt::format("(_ {} {})", name_of(kind), e.width() - e.operand(0).width()));
    }
    if (kind == ExprKind::constant_array) {
      return with_operands(e, fmt::format("(as const {})", sort_text(e.sort())));
    }
    return with_operands(e, smtlib_operator(kind));
  }

  std::string with_operands(Expr e, std::string_view head) const {
    std::string text = fmt::format("({}", head);
    for (Expr operand : e.operands()) text += " " + text_.at(operand);
    return text + ")";
  }

  std::vector<Expr> parts_;
  absl::flat_hash_map<Expr, uint32_t> uses_;
  absl::flat_hash_map<Expr, std::string> text_;
  size_t definitions_ = 0;
};

// Puts pieces of text and expressions on a stack, so that deep expressions do no harm.
class TextWriter {
 public:
  explicit TextWriter(size_t most) : most_(most) {}

  std::string text_of(Expr e) {
    open_.push_back({e, {}});
    while (!open_.empty()) {
      if (text_.size() > most_) return text_.substr(0, most_) + "...";
      const Piece piece = std::move(open_.back());
      open_.pop_back();
      if (piece.expr) {
        write(*piece.expr);
      } else {
        text_ += piece.text;
      }
    }
    return std::move(text_);
  }

 private:
  struct Piece {
    std::optional<Expr> expr;
    std::string text;
  };

  void write(Expr e) {
    const size_t below = open_.size();
    const ExprKind kind = e.kind();
    if (kind == ExprKind::variable) {
      text(std::string(e.name()));
    } else if (kind == ExprKind::constant) {
      text(e.is_boolean() ? (e.is_true() ? "true" : "false") : to_text(e.value()));
    } else if (kind == ExprKind::extract) {
      pattern(e, {"", fmt::format("[{}:{}]", e.low() + e.width() - 1, e.low())});
    } else if (kind == ExprKind::zero_extend) {
      pattern(e, {fmt::format("zext{}(", e.width()), ")"});
    } else if (kind == ExprKind::sign_extend) {
      pattern(e, {fmt::format("sext{}(", e.width()), ")"});
    } else if (kind == ExprKind::ite) {
      pattern(e, {"(", " ? ", " : ", ")"});
    } else if (kind == ExprKind::constant_array) {
      pattern(e, {"[else: ", "]"});
    } else if (kind == ExprKind::select) {
      pattern(e, {"", "[", "]"});
    } else if (kind == ExprKind::store) {
      pattern(e, {"", "{", " := ", "}"});
    } else {
      write_operator(e);
    }
    std::ranges::reverse(open_ | std::views::drop(below));
  }

  void text(std::string piece) { open_.push_back({std::nullopt, std::move(piece)}); }
  void expr(Expr piece) { open_.push_back({piece, {}}); }
  // The operands with the texts around them.
  void pattern(Expr e, std::vector<std::string> around) {
    for (size_t i = 0; i < e.operands().size(); ++i) {
      text(std::move(around[i]));
      expr(e.operand(i));
    }
    text(std::move(around.back()));
  }

  // !(b < a) is what a <= b was made into, and !(a == b) a != b.
  void write_operator(Expr e) {
    const bool is_negated = e.kind() == ExprKind::logical_not;
    const ExprKind inner = is_negated ? e.operand(0).kind() : e.kind();
    if (is_negated && inner == ExprKind::equal) {
      write_list(e.operand(0).operands(), "!=");
    } else if (is_negated && (inner == ExprKind::ult || inner == ExprKind::slt)) {
      const Expr swapped[] = {e.operand(0).operand(1), e.operand(0).operand(0)};
      write_list(swapped, inner == ExprKind::ult ? "<=u" : "<=s");
    } else if (e.operands().size() == 1) {
      text(std::string(text_operator(e.kind())));
      expr(e.operand(0));
    } else {
      write_list(e.operands(), text_operator(e.kind()));
    }
  }

  void write_list(std::span<const Expr> operands, std::string_view op) {
    for (size_t i = 0; i < operands.size(); ++i) {
      text(i == 0 ? "(" : fmt::format(" {} ", op));
      expr(operands[i]);
    }
    text(")");
  }

  size_t most_;
  std::string text_;
  std::vector<Piece> open_;
};

}  // namespace

std::string to_smtlib(const Query& query) {
  SmtlibWriter writer(query.constraints);
  return fmt::format("(set-logic {})\n(set-info :source {})\n{}(check-sat)\n",
                     logic_of(sorts_used(query.constraints)), quoted(query.purpose),
                     writer.script(query.constraints));
}

std::string to_text(Expr e, size_t most) {
  return TextWriter(most).text_of(e);
}

}  // namespace foretell::smt
