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

  std::string logic() const {
    bool has_arrays = false, has_bits = false, has_places = false;
    for (Expr e : parts_) {
      has_arrays |= e.is_array();
      has_bits |= e.is_bits();
      has_places |= e.sort().kind == SortKind::place;
    }
    if (has_places) return has_bits || has_arrays ? "ALL" : "QF_IDL";
    return has_arrays ? "QF_ABV" : "QF_BV";
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
    switch (e.kind()) {
      case ExprKind::variable:
        return quoted(e.name());
      case ExprKind::constant:
        if (e.is_boolean()) return e.is_true() ? "true" : "false";
        return to_smtlib(e.value());
      case ExprKind::extract:
        return with_operands(e, fmt::format("(_ extract {} {})", e.low() + e.width() - 1, e.low()));
      case ExprKind::zero_extend:
      case ExprKind::sign_extend:
        return with_operands(
            e, fmt::format("(_ {} {})", name_of(e.kind()), e.width() - e.operand(0).width()));
      case ExprKind::constant_array:
        return with_operands(e, fmt::format("(as const {})", sort_text(e.sort())));
      default:
        return with_operands(e, smtlib_operator(e.kind()));
    }
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
    std::vector<Piece> pieces;
    auto text = [&](std::string s) { pieces.push_back({std::nullopt, std::move(s)}); };
    auto expr = [&](Expr operand) { pieces.push_back({operand, {}}); };
    switch (e.kind()) {
      case ExprKind::variable:
        text(std::string(e.name()));
        break;
      case ExprKind::constant:
        text(e.is_boolean() ? (e.is_true() ? "true" : "false") : to_text(e.value()));
        break;
      case ExprKind::extract:
        expr(e.operand(0));
        text(fmt::format("[{}:{}]", e.low() + e.width() - 1, e.low()));
        break;
      case ExprKind::zero_extend:
      case ExprKind::sign_extend:
        text(e.kind() == ExprKind::zero_extend ? "zext" : "sext");
        text(fmt::format("{}(", e.width()));
        expr(e.operand(0));
        text(")");
        break;
      case ExprKind::ite:
        text("(");
        expr(e.operand(0));
        text(" ? ");
        expr(e.operand(1));
        text(" : ");
        expr(e.operand(2));
        text(")");
        break;
      case ExprKind::constant_array:
        text("[else: ");
        expr(e.operand(0));
        text("]");
        break;
      case ExprKind::select:
        expr(e.operand(0));
        text("[");
        expr(e.operand(1));
        text("]");
        break;
      case ExprKind::store:
        expr(e.operand(0));
        text("{");
        expr(e.operand(1));
        text(" := ");
        expr(e.operand(2));
        text("}");
        break;
      default:
        write_operator(e, text, expr);
        break;
    }
    std::ranges::move(pieces | std::views::reverse, std::back_inserter(open_));
  }

  // !(b < a) is what a <= b was made into, and !(a == b) a != b.
  static void write_operator(Expr e, auto text, auto expr) {
    const bool is_negated = e.kind() == ExprKind::logical_not;
    const ExprKind inner = is_negated ? e.operand(0).kind() : e.kind();
    if (is_negated && inner == ExprKind::equal) {
      write_list(e.operand(0).operands(), "!=", text, expr);
    } else if (is_negated && (inner == ExprKind::ult || inner == ExprKind::slt)) {
      const Expr swapped[] = {e.operand(0).operand(1), e.operand(0).operand(0)};
      write_list(swapped, inner == ExprKind::ult ? "<=u" : "<=s", text, expr);
    } else if (e.operands().size() == 1) {
      text(std::string(text_operator(e.kind())));
      expr(e.operand(0));
    } else {
      write_list(e.operands(), text_operator(e.kind()), text, expr);
    }
  }

  static void write_list(std::span<const Expr> operands, std::string_view op, auto text,
                         auto expr) {
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
  return fmt::format("(set-logic {})\n(set-info :source {})\n{}(check-sat)\n", writer.logic(),
                     quoted(query.purpose), writer.script(query.constraints));
}

std::string to_text(Expr e, size_t most) {
  return TextWriter(most).text_of(e);
}

}  // namespace foretell::smt
