// SPDX-License-Identifier: Apache-2.0

// Facts about a program that hold in every run of it, found by looking at its code.
//
// Everything is keyed by sites and functions. A site is a row of the table that `foretell cc` puts
// into each object file; the sites of a program are those of its modules one after the other. A
// recording numbers modules in the order they are loaded, so a site of a recording is found by its
// module's identity and its place in the module (Module::identity).
//
// An access names the memory it may touch: a set of targets, each a byte of an object, or the bytes
// of one residue, as the first field of each element of an array.
//
// This room knows nothing of LLVM; src/bitcode fills it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretell::program {

enum class ModuleIndex : uint32_t {};
enum class SiteIndex : uint32_t {};
enum class FunctionIndex : uint32_t {};
enum class ObjectIndex : uint32_t {};
enum class TargetIndex : uint32_t {};
enum class MemoryIndex : uint32_t {};
enum class BranchIndex : uint32_t {};
enum class ParameterIndex : uint32_t {};

template <class Index>
constexpr size_t place(Index index) {
  return static_cast<size_t>(index);
}

// A place in the source; line 0 if it is unknown.
struct Position {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  bool operator==(const Position&) const = default;
};

// The file the facts are about.
struct Subject {
  std::string path;
  uint64_t size = 0;
  uint64_t hash = 0;  // XXH3 of its contents
  bool operator==(const Subject&) const = default;
};

// One source file of the program.
struct Module {
  std::string source;
  uint64_t identity = 0;  // XXH3 of its site rows and strings, as recordings hold them
  SiteIndex first_site{};
  uint32_t site_count = 0;
  bool operator==(const Module&) const = default;
};

enum class SiteKind : uint8_t { step, call, function };
inline constexpr uint8_t kSiteKindCount = 3;

struct Site {
  Position position;
  std::string function;    // as reports name it
  std::string expression;  // what a person would write: "acc.balance"
  SiteKind kind = SiteKind::step;
  bool in_library = false;  // in a system header
  bool operator==(const Site&) const = default;
};

enum class Body : uint8_t {
  present,  // its code was analyzed
  modeled,  // a library function whose effect is known
  unknown,  // anything may happen
};
inline constexpr uint8_t kBodyCount = 3;

// Which threads may run a function.
enum class RunBy : uint8_t { nobody, initial_thread, any_thread };
inline constexpr uint8_t kRunByCount = 3;

struct Function {
  std::string symbol;
  std::string name;  // as a person would write it
  Position position;
  std::optional<SiteIndex> site;  // if entries and exits are recorded
  Body body = Body::present;
  RunBy run_by = RunBy::nobody;
  bool operator==(const Function&) const = default;
};

struct Call {
  FunctionIndex caller{};
  FunctionIndex callee{};
  std::optional<SiteIndex> site;
  bool is_indirect = false;
  bool operator==(const Call&) const = default;
};

enum class BranchKind : uint8_t {
  choice,  // by a condition
  call,    // that may not return, or may throw
};
inline constexpr uint8_t kBranchKindCount = 2;

// Where there is more than one way to go on.
struct Branch {
  FunctionIndex function{};
  Position position;
  uint32_t ways = 2;
  std::optional<SiteIndex> site;  // if it is recorded
  BranchKind kind = BranchKind::choice;
  bool operator==(const Branch&) const = default;
};

// Whether two threads can touch the memory.
enum class Sharing : uint8_t {
  shared,          // not excluded
  initial_thread,  // only code that no other thread runs touches it
  confined,        // no pointer to it leaves the thread that made it
};
inline constexpr uint8_t kSharingCount = 3;

enum class ObjectKind : uint8_t { global, thread_local_variable, heap, stack };
inline constexpr uint8_t kObjectKindCount = 4;

// The row of a global variable in the table of its module.
struct GlobalRow {
  ModuleIndex module{};
  uint32_t row = 0;
  bool operator==(const GlobalRow&) const = default;
};

struct Object {
  ObjectKind kind = ObjectKind::global;
  std::string name;  // of a variable; of heap memory, the function that allocates
  Position position;
  std::optional<FunctionIndex> function;  // in which it is made
  std::optional<SiteIndex> site;          // of the call that allocates
  std::optional<GlobalRow> global;
  Sharing sharing = Sharing::shared;
  bool reaches_unknown = false;  // unknown code may hold a pointer to it
  bool operator==(const Object&) const = default;
};

// The bytes offset + k * stride of an object; stride 0 is one byte, stride 1 is any.
struct Target {
  ObjectIndex object{};
  uint32_t offset = 0;
  uint32_t stride = 0;
  bool operator==(const Target&) const = default;
};

// What a pointer may point to.
struct Memory {
  std::vector<TargetIndex> targets;  // sorted
  bool reaches_unknown = false;      // and anything that unknown code can reach
  Sharing sharing = Sharing::shared;
  bool operator==(const Memory&) const = default;
};

enum class AccessKind : uint8_t { read, write, update };
inline constexpr uint8_t kAccessKindCount = 3;

struct Access {
  SiteIndex site{};
  FunctionIndex function{};
  AccessKind kind = AccessKind::read;
  MemoryIndex memory{};
  bool operator==(const Access&) const = default;
};

// What depends on which way a branch goes (SLICED 2.1): the sites about which its ways disagree, in
// the same function. What these control in turn is not listed again, but counts for what may happen.
struct Scope {
  BranchIndex branch{};
  std::vector<SiteIndex> sites;  // sorted
  // On any way, until all of them have met again, with all that is called:
  MemoryIndex writes{};
  bool synchronizes = false;  // locks, threads, atomics, fences, volatile accesses
  bool calls_unknown = false;
  bool allocates = false;  // or frees
  bool has_state = false;  // files, errno, the time
  bool may_trap = false;
  bool may_stop = false;  // exits, throws, or never ends
  bool operator==(const Scope&) const = default;
};

// What a value is used for.
enum class UseRole : uint8_t {
  value,      // it is stored
  address,    // of a load, a store or a copy
  size,       // of a copy
  condition,  // of a branch
  argument,   // of a call
  callee,     // of a call
  result,     // of its function
};
inline constexpr uint8_t kUseRoleCount = 7;

// What a value is computed from, within its function and through registers. A use without a row is
// of a constant.
struct Dependence {
  FunctionIndex function{};
  UseRole role = UseRole::value;
  std::optional<SiteIndex> site;  // of the access, the copy or the call
  std::optional<BranchIndex> branch;
  uint32_t argument = 0;
  std::vector<SiteIndex> loads;            // sorted, as all of these
  std::vector<ParameterIndex> parameters;  // of the function
  std::vector<SiteIndex> results;          // of calls
  std::vector<BranchIndex> branches;       // that chose among values
  bool has_untracked = false;              // and from something that leaves no record
  bool operator==(const Dependence&) const = default;
};

// What the analysis could not look into. It assumes the worst, and says so.
enum class UnknownKind : uint8_t {
  external_function,  // called, with neither code nor model
  assembly,           // inline, or at the level of a file
  foreign_code,       // linked in without bitcode
  no_symbol_table,    // so foreign code cannot be excluded
  exported_symbol,    // a shared library may use it
  wrapped_symbol,     // ld --wrap gives the calls to somebody else
};
inline constexpr uint8_t kUnknownKindCount = 6;

struct Unknown {
  UnknownKind kind = UnknownKind::external_function;
  std::string name;
  uint64_t uses = 0;
  bool operator==(const Unknown&) const = default;
};

struct Facts {
  Subject subject;
  std::vector<Module> modules;
  std::vector<Site> sites;
  std::vector<Function> functions;
  std::vector<Call> calls;
  std::vector<Branch> branches;
  std::vector<Object> objects;
  std::vector<Target> targets;
  std::vector<Memory> memory;
  std::vector<Access> accesses;
  std::vector<Scope> scopes;
  std::vector<Dependence> dependences;
  std::vector<Unknown> unknowns;

  bool operator==(const Facts&) const = default;

  const Memory& memory_of(const Access& access) const { return memory[place(access.memory)]; }
};

}  // namespace foretell::program
