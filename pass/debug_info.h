// Debug info as names and places: what a scope, a function or a global is called, where an
// instruction stands in the user's source, and which member of a type lies at an offset.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <cstdint>
#include <string>

namespace foretell::pass {

// A place as a report shows it. `scope` and `inlined_at` are the frame of the inline stack it was
// taken from: variables of that frame are the ones its reader knows.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string function;
  bool library = false;
  const llvm::DISubprogram* scope = nullptr;
  const llvm::DILocation* inlined_at = nullptr;
};

// Where `instruction` stands. Code of a system header that was inlined into the user's code stands
// where the user called it; `library` says that there is no such frame.
Position position_of(const llvm::Instruction& instruction);
Position position_of(const llvm::Function& function);

bool is_system_path(llvm::StringRef path);

// "Queue::push", "ns::counter"; no parameters, no anonymous namespaces.
std::string function_name(const llvm::DISubprogram& subprogram);
std::string function_name(const llvm::Function& function);
std::string variable_name(const llvm::DIGlobalVariable& variable);
std::string symbol_name(llvm::StringRef symbol);

// A name that the language reserves for its implementation: it is not in the source.
bool is_reserved(llvm::StringRef name);

// The type below typedefs, const, volatile, atomic.
const llvm::DIType* strip(const llvm::DIType* type);
uint64_t size_of(const llvm::DIType* type);  // bytes; 0 if unknown
// What a pointer or reference points at; nullptr if it is neither, or points at void.
const llvm::DIType* pointee(const llvm::DIType* type);
bool is_pointer(const llvm::DIType* type);
bool is_reference(const llvm::DIType* type);

// The member or base class of `type` that holds all of [offset, offset + size); nullptr if none
// does, or more than one (unions aside, where the best fit wins). A base class has no name.
const llvm::DIDerivedType* member_at(const llvm::DIType* type, uint64_t offset, uint64_t size);

// "0=lock;40=head.next", at most 64 of them; empty for what is not a structure.
std::string flatten_fields(const llvm::DIType* type);

}  // namespace foretell::pass
