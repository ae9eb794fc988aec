// SPDX-License-Identifier: Apache-2.0

// Expressions as JSON: a list of nodes, operands before what they belong to, so that what is shared is
// written once.
//
//   [kind, width, operands...]      and at the end of a constant its value, of a variable its name, of
//                                   an extract its lowest bit; width 0 is a boolean
#pragma once

#include <absl/container/flat_hash_map.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "smt/expr_context.h"

namespace foretell::symbolic {

class ExprWriter {
 public:
  // The number of the expression among nodes().
  size_t add(smt::Expr expression);
  const nlohmann::json& nodes() const { return nodes_; }

 private:
  nlohmann::json nodes_ = nlohmann::json::array();
  absl::flat_hash_map<smt::Expr, size_t> known_;
};

// Nothing if the list is not one that ExprWriter writes.
std::optional<std::vector<smt::Expr>> read_expressions(const nlohmann::json& nodes,
                                                       smt::ExprContext& context);

}  // namespace foretell::symbolic
