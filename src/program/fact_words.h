// SPDX-License-Identifier: Apache-2.0

// What the enumerators of facts are called in text and JSON.
#pragma once

#include <string_view>

#include "program/facts.h"

namespace foretell::program {

std::string_view word_of(SiteKind kind);
std::string_view word_of(Body body);
std::string_view word_of(RunBy run_by);
std::string_view word_of(Sharing sharing);
std::string_view word_of(ObjectKind kind);
std::string_view word_of(AccessKind kind);
std::string_view word_of(BranchKind kind);
std::string_view word_of(UseRole role);
std::string_view word_of(UnknownKind kind);

}  // namespace foretell::program
