// SPDX-License-Identifier: Apache-2.0

// The events of a property, and the conditions on them.
#pragma once

#include <string>
#include <vector>

#include "property_language/events.h"
#include "property_language/token_stream.h"

namespace foretell::property_language {

class EventParser {
 public:
  explicit EventParser(TokenStream& in) : in_(in) {}

  // NAME = SOURCE [OBJECT] [(ARGUMENTS)] [-> RESULT] [by THREAD] [where CONDITION];
  EventPattern event();

 private:
  void operands(EventPattern& e);
  void check_condition(const EventPattern& e);
  Value literal();
  std::string object_name();
  std::vector<Argument> arguments();
  Argument argument();
  Condition condition();
  Condition conjunction();
  Condition simple_condition();
  Condition::Operand operand();

  TokenStream& in_;
};

}  // namespace foretell::property_language
