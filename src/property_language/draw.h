// SPDX-License-Identifier: Apache-2.0

// A property for people: its events, its formula, and the automaton that monitors it.
#pragma once

#include <string>

#include "property_language/property.h"

namespace foretell::property_language {

// A table of states and where each event leads.
std::string to_text(const Property& property);
// For Graphviz.
std::string to_dot(const Property& property);
// A page of its own with the drawing in it, for a browser.
std::string to_html(const Property& property);
// The Hanoi omega-automata format, version 1, for other tools. A state that is not violated is
// accepting. Empty for monitors without a finite automaton.
std::string to_hoa(const Property& property);

}  // namespace foretell::property_language
