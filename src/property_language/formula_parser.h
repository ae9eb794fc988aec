// SPDX-License-Identifier: Apache-2.0

// The formulas of a property: expressions, temporal logic, grammars.
#pragma once

#include <string>
#include <vector>

#include "property_language/expression.h"
#include "property_language/formula.h"
#include "property_language/monitor.h"
#include "property_language/token_stream.h"

namespace foretell::property_language {

// Words that have a meaning in formulas, so that no event can be called by them.
bool is_reserved(std::string_view word);

class FormulaParser {
 public:
  FormulaParser(TokenStream& in, const std::vector<std::string>& events)
      : in_(in), events_(events) {}

  // a | b & !c (d e)* . empty none
  Expression expression(ExpressionPool& pool);
  // !a && b || (c -> d) <-> [] e until f since g
  Formula formula();
  // { S -> open S close S | empty; ... }
  Grammar grammar();
  // The name of an event, as a set of one.
  EventSet event();

 private:
  Expression intersection(ExpressionPool& pool);
  Expression sequence(ExpressionPool& pool);
  Expression repetition(ExpressionPool& pool);
  bool begins_expression() const;
  Expression simple_expression(ExpressionPool& pool);

  Formula implication();
  Formula disjunction();
  Formula conjunction();
  Formula binary_temporal();
  Formula unary();
  int find_event(std::string_view name) const;

  TokenStream& in_;
  const std::vector<std::string>& events_;
};

}  // namespace foretell::property_language
