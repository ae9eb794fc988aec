// Expressions as Z3's, and Z3's models as ours. Private to the room.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <z3++.h>

#include <span>

#include "smt/model.h"

namespace foretell::smt {

class Z3Translation {
 public:
  explicit Z3Translation(z3::context& context) : context_(context) {}

  z3::expr translate(Expr e);
  // Values of all variables of the constraints, which must have been translated. An array gets
  // elements where the constraints look at it and zeros elsewhere, which is enough as long as
  // arrays are not compared.
  Model model_of(const z3::model& model, std::span<const Expr> constraints);

 private:
  z3::expr translate_node(Expr e);
  z3::expr variable(Expr e);
  z3::expr constant(Expr e);
  z3::sort sort_of(Sort sort);
  Bits bits_of(const z3::model& model, const z3::expr& e, Sort sort);

  z3::context& context_;
  absl::flat_hash_map<Expr, z3::expr> done_;
};

}  // namespace foretell::smt
