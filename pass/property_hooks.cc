// SPDX-License-Identifier: Apache-2.0

#include "property_hooks.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <set>
#include <string>

#include "options.h"
#include "recording/property_hooks.h"
#include "selection.h"

namespace foretell::pass {

llvm::cl::opt<std::string> property_events(
    "foretell-events",
    llvm::cl::desc("Functions that get hooks for properties: \"call f;return g\""));

namespace {

using recording::HookSignature;
using recording::ValueType;

enum class Moment { call, ret };

struct Wanted {
  Moment moment;
  llvm::StringRef function;
  llvm::StringRef name;  // of its event: "call f"
};

std::vector<Wanted> wanted_hooks() {
  std::vector<Wanted> all;
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::StringRef(property_events).split(names, ';', -1, false);
  for (llvm::StringRef name : names) {
    const auto [moment, function] = name.split(' ');
    all.push_back({moment == "call" ? Moment::call : Moment::ret, function, name});
  }
  return all;
}

// With or without scopes and parameters, as in analysis/property/matching.cc.
bool is_named(const llvm::Function& function, llvm::StringRef wanted) {
  if (function.getName() == wanted) return true;
  const std::string demangled = llvm::demangle(function.getName().str());
  if (wanted == demangled) return true;
  const llvm::StringRef bare = llvm::StringRef(demangled).split('(').first;
  return bare == wanted ||
         (bare.ends_with(wanted) && bare.drop_back(wanted.size()).ends_with("::"));
}

class HookBuilder {
 public:
  explicit HookBuilder(llvm::Module& module) : module_(module) {
    auto& context = module.getContext();
    const auto pointer = llvm::PointerType::getUnqual(context);
    const auto word = llvm::Type::getInt64Ty(context);
    event_ = module.getOrInsertFunction(
        "__foretell_property_event",
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, word}, true));
    if (auto* function = llvm::dyn_cast<llvm::Function>(event_.getCallee())) {
      function->addFnAttr(llvm::Attribute::NoUnwind);
    }
  }

  void put(llvm::Instruction& before, const Wanted& wanted, llvm::ArrayRef<llvm::Value*> arguments,
           llvm::Value* result, bool at_call_site) {
    llvm::IRBuilder<> builder(&before);
    std::vector<llvm::Value*> values;
    uint64_t signature = at_call_site ? HookSignature::kCallSite : 0;
    auto add = [&](llvm::Value* value) {
      const auto index = static_cast<uint32_t>(values.size());
      ValueType type = ValueType::unknown;
      values.push_back(word(builder, value, type));
      signature |= HookSignature::type_bits(type, index);
    };
    const size_t most = HookSignature::kMost - (result ? 1 : 0);
    for (llvm::Value* argument : arguments.take_front(most)) add(argument);
    if (result) {
      add(result);
      signature |= HookSignature::kResult;
    }
    signature |= values.size();
    values.insert(values.begin(), {text(wanted.name), builder.getInt64(signature)});
    auto* call = builder.CreateCall(event_, values);
    if (!call->getDebugLoc()) call->setDebugLoc(place_of(*before.getFunction()));
    (at_call_site ? at_calls_ : in_bodies_).insert(wanted.name.str());
  }

  // A constructor that tells the runtime which hooks there are.
  void finish() {
    if (in_bodies_.empty() && at_calls_.empty()) return;
    auto& context = module_.getContext();
    const auto nothing = llvm::Type::getVoidTy(context);
    const auto declare = module_.getOrInsertFunction("__foretell_property_hook", nothing,
                                                     llvm::PointerType::getUnqual(context),
                                                     llvm::Type::getInt32Ty(context));
    auto* function =
        llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                               llvm::Function::InternalLinkage, "foretell.property_hooks", module_);
    function->addFnAttr("foretell_ignore");
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
    for (const auto& [names, in_body] : {std::pair(&in_bodies_, 1), std::pair(&at_calls_, 0)}) {
      for (const std::string& name : *names) {
        builder.CreateCall(declare, {text(name), builder.getInt32(static_cast<uint32_t>(in_body))});
      }
    }
    builder.CreateRetVoid();
    llvm::appendToGlobalCtors(module_, function, 1);
  }

 private:
  llvm::Constant* text(llvm::StringRef name) {
    llvm::Constant*& known = texts_[name];
    if (!known) {
      auto* letters = llvm::ConstantDataArray::getString(module_.getContext(), name);
      known = new llvm::GlobalVariable(module_, letters->getType(), true,
                                       llvm::GlobalValue::PrivateLinkage, letters,
                                       "foretell.event_name");
    }
    return known;
  }

  static llvm::DebugLoc place_of(llvm::Function& function) {
    llvm::DISubprogram* subprogram = function.getSubprogram();
    if (!subprogram) return {};
    return llvm::DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  }

  static llvm::Value* word(llvm::IRBuilder<>& builder, llvm::Value* value, ValueType& type) {
    llvm::Type* const of = value->getType();
    if (of->isPointerTy()) {
      type = ValueType::pointer;
      return builder.CreatePtrToInt(value, builder.getInt64Ty());
    }
    if (of->isIntegerTy() && of->getIntegerBitWidth() <= 64) {
      type = ValueType::integer;
      const auto* argument = llvm::dyn_cast<llvm::Argument>(value);
      const bool is_unsigned = of->isIntegerTy(1) || (argument && argument->hasZExtAttr());
      return is_unsigned ? builder.CreateZExt(value, builder.getInt64Ty())
                         : builder.CreateSExt(value, builder.getInt64Ty());
    }
    if (of->isFloatTy() || of->isDoubleTy()) {
      type = ValueType::real;
      return builder.CreateBitCast(builder.CreateFPExt(value, builder.getDoubleTy()),
                                   builder.getInt64Ty());
    }
    return builder.getInt64(0);
  }

  llvm::Module& module_;
  llvm::FunctionCallee event_;
  llvm::StringMap<llvm::Constant*> texts_;
  std::set<std::string> in_bodies_, at_calls_;
};

// Without the hidden pointer to where a large result goes.
std::vector<llvm::Value*> arguments_of(llvm::Function& function) {
  std::vector<llvm::Value*> values;
  for (llvm::Argument& argument : function.args()) {
    if (!argument.hasStructRetAttr()) values.push_back(&argument);
  }
  return values;
}
std::vector<llvm::Value*> arguments_of(llvm::CallBase& call) {
  std::vector<llvm::Value*> values;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.paramHasAttr(i, llvm::Attribute::StructRet)) values.push_back(call.getArgOperand(i));
  }
  return values;
}

void hook_body(HookBuilder& hooks, llvm::Function& function, const Wanted& wanted) {
  const std::vector<llvm::Value*> arguments = arguments_of(function);
  if (wanted.moment == Moment::call) {
    llvm::BasicBlock& entry = function.getEntryBlock();
    auto at = entry.getFirstInsertionPt();
    while (llvm::isa<llvm::AllocaInst>(*at) || llvm::isa<llvm::DbgInfoIntrinsic>(*at)) ++at;
    hooks.put(*at, wanted, arguments, nullptr, false);
    return;
  }
  for (llvm::BasicBlock& block : function) {
    auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!ret || block.getTerminatingMustTailCall()) continue;
    hooks.put(*ret, wanted, arguments, ret->getReturnValue(), false);
  }
}

void hook_call(HookBuilder& hooks, llvm::CallBase& call, const Wanted& wanted) {
  const std::vector<llvm::Value*> arguments = arguments_of(call);
  if (wanted.moment == Moment::call) return hooks.put(call, wanted, arguments, nullptr, true);
  llvm::Instruction* after = nullptr;
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
    // Others may come to the same block.
    if (!invoke->getNormalDest()->getSinglePredecessor()) return;
    after = &*invoke->getNormalDest()->getFirstInsertionPt();
  } else {
    if (call.isMustTailCall()) return;
    after = call.getNextNode();
  }
  llvm::Value* result = call.getType()->isVoidTy() ? nullptr : &call;
  if (after) hooks.put(*after, wanted, arguments, result, true);
}

}  // namespace

llvm::PreservedAnalyses AddPropertyHooks::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const std::vector<Wanted> all = wanted_hooks();
  if (all.empty() || module.getNamedMetadata("foretell.property_hooks")) {
    return llvm::PreservedAnalyses::all();
  }
  module.getOrInsertNamedMetadata("foretell.property_hooks");
  struct Place {
    llvm::Function* body;
    llvm::CallBase* call;
    const Wanted* wanted;
  };
  std::vector<Place> places;
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    for (const Wanted& wanted : all) {
      if (!is_named(function, wanted.function)) continue;
      if (!function.isDeclaration()) {
        if (is_instrumented(function)) places.push_back({&function, nullptr, &wanted});
        continue;
      }
      for (llvm::User* user : function.users()) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (!call || call->getCalledFunction() != &function) continue;
        if (is_instrumented(*call->getFunction())) places.push_back({nullptr, call, &wanted});
      }
    }
  }
  if (places.empty()) return llvm::PreservedAnalyses::all();
  HookBuilder hooks(module);
  for (const Place& place : places) {
    if (place.body) {
      hook_body(hooks, *place.body, *place.wanted);
    } else {
      hook_call(hooks, *place.call, *place.wanted);
    }
  }
  hooks.finish();
  return llvm::PreservedAnalyses::none();
}

}  // namespace foretell::pass
