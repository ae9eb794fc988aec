// SPDX-License-Identifier: Apache-2.0

#include "program/fact_words.h"

#include <iterator>

namespace foretell::program {
namespace {

// In the order of the enumerators.
constexpr std::string_view kSiteKinds[] = {"step", "call", "function"};
constexpr std::string_view kBodies[] = {"present", "modeled", "unknown"};
constexpr std::string_view kRunners[] = {"nobody", "initial thread", "any thread"};
constexpr std::string_view kSharings[] = {"shared", "initial thread", "confined"};
constexpr std::string_view kObjectKinds[] = {"global", "thread-local", "heap", "stack"};
constexpr std::string_view kAccessKinds[] = {"read", "write", "update"};
constexpr std::string_view kBranchKinds[] = {"choice", "call"};
constexpr std::string_view kUseRoles[] = {"value",    "address", "size",  "condition",
                                          "argument", "callee",  "result"};
constexpr std::string_view kUnknownKinds[] = {"external function",    "assembly",
                                              "code without bitcode", "no symbol table",
                                              "exported symbol",      "wrapped symbol"};
static_assert(std::size(kSiteKinds) == kSiteKindCount && std::size(kBodies) == kBodyCount &&
              std::size(kRunners) == kRunByCount && std::size(kSharings) == kSharingCount &&
              std::size(kObjectKinds) == kObjectKindCount &&
              std::size(kAccessKinds) == kAccessKindCount &&
              std::size(kBranchKinds) == kBranchKindCount &&
              std::size(kUseRoles) == kUseRoleCount &&
              std::size(kUnknownKinds) == kUnknownKindCount);

}  // namespace

std::string_view word_of(SiteKind kind) {
  return kSiteKinds[static_cast<size_t>(kind)];
}
std::string_view word_of(Body body) {
  return kBodies[static_cast<size_t>(body)];
}
std::string_view word_of(RunBy run_by) {
  return kRunners[static_cast<size_t>(run_by)];
}
std::string_view word_of(Sharing sharing) {
  return kSharings[static_cast<size_t>(sharing)];
}
std::string_view word_of(ObjectKind kind) {
  return kObjectKinds[static_cast<size_t>(kind)];
}
std::string_view word_of(AccessKind kind) {
  return kAccessKinds[static_cast<size_t>(kind)];
}
std::string_view word_of(BranchKind kind) {
  return kBranchKinds[static_cast<size_t>(kind)];
}
std::string_view word_of(UseRole role) {
  return kUseRoles[static_cast<size_t>(role)];
}
std::string_view word_of(UnknownKind kind) {
  return kUnknownKinds[static_cast<size_t>(kind)];
}

}  // namespace foretell::program
