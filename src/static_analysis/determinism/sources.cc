// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/determinism/sources.h"

#include <fmt/format.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "static_analysis/preparation/prepare.h"
#include "static_analysis/preparation/slots.h"
#include "static_analysis/preparation/thread_copies.h"

namespace foretell::static_analysis {

using llvm::dyn_cast;

namespace {

llvm::StringRef external_name(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() ? callee->getName() : "";
}

// Whether it reports failures only, and nothing about other threads.
bool only_fails(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"pthread_create",
                                          "pthread_join",
                                          "pthread_detach",
                                          "pthread_mutex_init",
                                          "pthread_mutex_lock",
                                          "pthread_mutex_unlock",
                                          "pthread_mutex_destroy",
                                          "pthread_rwlock_init",
                                          "pthread_rwlock_rdlock",
                                          "pthread_rwlock_wrlock",
                                          "pthread_rwlock_unlock",
                                          "pthread_rwlock_destroy",
                                          "pthread_spin_init",
                                          "pthread_spin_lock",
                                          "pthread_spin_unlock",
                                          "pthread_spin_destroy",
                                          "pthread_cond_init",
                                          "pthread_cond_wait",
                                          "pthread_cond_signal",
                                          "pthread_cond_broadcast",
                                          "pthread_cond_destroy",
                                          "pthread_barrier_init",
                                          "pthread_barrier_destroy",
                                          "sem_init",
                                          "sem_wait",
                                          "sem_post",
                                          "sem_destroy",
                                          "thrd_create",
                                          "thrd_join",
                                          "thrd_detach",
                                          "mtx_init",
                                          "mtx_lock",
                                          "mtx_unlock",
                                          "cnd_init",
                                          "cnd_wait",
                                          "cnd_signal",
                                          "cnd_broadcast"};
  return names.contains(name);
}

// Operations whose outcome tells how far other threads are.
const char* schedule_result(llvm::StringRef name) {
  return llvm::StringSwitch<const char*>(name)
      .Cases("pthread_mutex_trylock", "pthread_spin_trylock", "pthread_rwlock_tryrdlock",
             "pthread_rwlock_trywrlock", "mtx_trylock", "sem_trywait", "pthread_tryjoin_np",
             "whether a try succeeds depends on what other threads hold")
      .Cases("pthread_mutex_timedlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
             "mtx_timedlock", "sem_timedwait", "pthread_cond_timedwait", "cnd_timedwait",
             "pthread_timedjoin_np", "whether the time is over first depends on other threads")
      .Cases("pthread_mutex_clocklock", "pthread_cond_clockwait", "sem_clockwait",
             "pthread_clockjoin_np", "whether the time is over first depends on other threads")
      .Cases("pthread_cancel", "pthread_kill", "pthread_testcancel", "pthread_setcancelstate",
             "where a thread is when it is interrupted depends on the schedule")
      .Case("pthread_setcanceltype",
            "where a thread is when it is interrupted depends on the schedule")
      .Case("sem_getvalue", "the value of a semaphore depends on how far other threads are")
      .Cases("clock_gettime", "gettimeofday", "time", "clock",
             "the time at which it is executed depends on the schedule")
      .Cases("gettid", "sched_getcpu", "syscall", "the number depends on the schedule")
      .Default(nullptr);
}

bool is_random(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"rand",    "random",  "srand",   "srandom",
                                          "srand48", "lrand48", "drand48", "mrand48"};
  return names.contains(name);
}

// They have state, but none that two threads of one process see each other change.
bool is_quiet(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"usleep",
                                          "sleep",
                                          "nanosleep",
                                          "clock_nanosleep",
                                          "sched_yield",
                                          "pthread_yield",
                                          "getpid",
                                          "getppid",
                                          "getuid",
                                          "geteuid",
                                          "getgid",
                                          "sysconf",
                                          "atof",
                                          "strtol",
                                          "strtoll",
                                          "strtoul",
                                          "strtoull",
                                          "strtod",
                                          "ldexp",
                                          "rand_r",
                                          "thrd_sleep",
                                          "thrd_yield",
                                          "abort",
                                          "__assert_fail",
                                          "exit",
                                          "_exit",
                                          "_Exit",
                                          "quick_exit",
                                          "pthread_exit",
                                          "thrd_exit",
                                          "reach_error",
                                          "posix_memalign",
                                          "__errno_location",
                                          "__assert",
                                          "__assert_perror_fail",
                                          "strerror",
                                          "getenv",
                                          "_Unwind_Resume",
                                          "atexit",
                                          "__cxa_atexit"};
  static constexpr const char* kMath[] = {
      "sin",  "cos",  "tan",   "asin",   "acos",    "atan", "atan2",    "sinh",
      "cosh", "tanh", "exp",   "exp2",   "log",     "log2", "log10",    "pow",
      "sqrt", "cbrt", "hypot", "fmod",   "sinf",    "cosf", "sqrtf",    "powf",
      "expf", "logf", "fmodf", "lround", "llround", "rint", "nearbyint"};
  return names.contains(name) || name.starts_with("pthread_attr_") ||
         name.starts_with("__VERIFIER_nondet_") || name.starts_with(kAnyValue) ||
         llvm::is_contained(kMath, name);
}

class Finder {
 public:
  explicit Finder(const PairRules& rules) : rules_(rules) {}

  std::vector<Source> find() {
    find_handles();
    for (size_t i = 0; i < rules_.threads.size(); i++) {
      thread_ = static_cast<ThreadId>(i);
      for (const llvm::Function* function : rules_.threads[thread_].functions)
        for (const llvm::Instruction& instruction : llvm::instructions(*function))
          visit(instruction);
    }
    pair("the order of output and input", outputs_);
    pair("random numbers", randoms_);
    find_left_threads();
    return std::move(sources_);
  }

 private:
  using Calls = std::vector<std::pair<const llvm::CallBase*, ThreadId>>;

  bool may_run_with_others(const llvm::Instruction& at) const {
    for (size_t other = 0; other < rules_.threads.size(); other++) {
      const ThreadId id = static_cast<ThreadId>(other);
      const llvm::Instruction& begin = rules_.threads[id].root->getEntryBlock().front();
      if (id == thread_ && rules_.threads[id].once) continue;
      if (rules_.running.in_parallel(at, thread_, begin, id)) return true;
      // The first instruction of an older thread is over; others of it may not be.
      if (rules_.threads.is_ancestor(id, thread_) && id != thread_) return true;
    }
    return false;
  }

  void add(Nondeterminism kind, const llvm::Instruction& at, std::string what, std::string why,
           std::string remedy = "") {
    sources_.push_back({.kind = kind,
                        .first = &at,
                        .thread = thread_,
                        .what = std::move(what),
                        .why = std::move(why),
                        .remedy = std::move(remedy)});
  }

  void visit(const llvm::Instruction& instruction) {
    if (const auto* cast = dyn_cast<llvm::PtrToIntInst>(&instruction)) visit_cast(*cast);
    if (const auto* compare = dyn_cast<llvm::ICmpInst>(&instruction)) visit_comparison(*compare);
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) visit_load(*load);
    if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) visit_call(*call);
  }

  // One object, so that a difference is the same wherever it lies.
  bool have_one_base(const llvm::Value& a, const llvm::Value& b) const {
    const llvm::DataLayout& layout = rules_.threads[kMain].root->getParent()->getDataLayout();
    const llvm::Value* base = address_of(a, layout).base;
    if (base == address_of(b, layout).base) return true;
    const auto object_of = [&](const llvm::Value& value) -> std::optional<bitcode::ObjectId> {
      std::optional<bitcode::ObjectId> only;
      bool several = false;
      rules_.points_to.targets_of(value).for_each([&](uint32_t one) {
        const auto object = rules_.points_to.solution().targets()[bitcode::TargetId{one}].object;
        several |= only && *only != object;
        only = object;
      });
      return several ? std::nullopt : only;
    };
    const auto one = object_of(a), other = object_of(b);
    return one && one == other && rules_.objects.is_single(*one);
  }

  void visit_cast(const llvm::PtrToIntInst& cast) {
    if (rules_.points_to.targets_of(*cast.getPointerOperand()).empty()) return;
    const bool only_differences =
        !cast.use_empty() && llvm::all_of(cast.users(), [&](const llvm::User* user) {
          const auto* difference = dyn_cast<llvm::BinaryOperator>(user);
          if (!difference || difference->getOpcode() != llvm::Instruction::Sub) return false;
          const auto* one = dyn_cast<llvm::PtrToIntInst>(difference->getOperand(0));
          const auto* other = dyn_cast<llvm::PtrToIntInst>(difference->getOperand(1));
          return one && other &&
                 have_one_base(*one->getPointerOperand(), *other->getPointerOperand());
        });
    if (!only_differences && !cast.use_empty()) add_address(cast, "an address is used as a number");
  }

  void visit_comparison(const llvm::ICmpInst& compare) {
    if (compare.isEquality() || !compare.getOperand(0)->getType()->isPointerTy()) return;
    if (!have_one_base(*compare.getOperand(0), *compare.getOperand(1)))
      add_address(compare, "addresses are compared");
  }

  void add_address(const llvm::Instruction& at, std::string what) {
    add(Nondeterminism::address, at, std::move(what),
        "where memory lies may depend on who allocated first");
  }

  void visit_load(const llvm::LoadInst& load) {
    if (!load.getType()->isIntegerTy() || load.use_empty()) return;
    const bitcode::Bits& values = rules_.points_to.targets_of(load);
    if (!values.empty()) add_address(load, "an address is used as a number");
    Access read{.extent = load.getDataLayout().getTypeStoreSize(load.getType()).getFixedValue()};
    rules_.points_to.targets_of(*load.getPointerOperand()).for_each([&](uint32_t one) {
      read.targets.push_back(rules_.points_to.solution().targets()[bitcode::TargetId{one}]);
    });
    for (const bitcode::Target& target : read.targets)
      if (overlap(read, handles_, target.object)) return visit_handle(load);
  }

  void visit_handle(const llvm::Instruction& handle) {
    const bool names_only = llvm::all_of(handle.users(), [](const llvm::User* user) {
      const auto* call = dyn_cast<llvm::CallBase>(user);
      const llvm::StringRef name = call ? external_name(*call) : "";
      return name == "pthread_join" || name == "pthread_detach" || name == "pthread_equal" ||
             name == "thrd_join" || name == "thrd_detach" || name == "thrd_equal" ||
             name == "pthread_cancel" || name == "pthread_kill" ||
             name == "pthread_setschedparam" || name == "pthread_setaffinity_np";
    });
    if (!names_only)
      add(Nondeterminism::address, handle, "a thread's handle is used as a number",
          "which handle a thread gets may depend on the schedule");
  }

  void find_handles() {
    handles_.extent = 8;
    for (const AbstractThread& thread : rules_.threads.all()) {
      if (!thread.start) continue;
      rules_.points_to.targets_of(*thread_start(*thread.start)->handle).for_each([&](uint32_t one) {
        handles_.targets.push_back(rules_.points_to.solution().targets()[bitcode::TargetId{one}]);
      });
    }
  }

  void visit_call(const llvm::CallBase& call) {
    const llvm::StringRef name = external_name(call);
    if (name.empty()) return;
    if (const char* why = schedule_result(name)) {
      if (may_run_with_others(call))
        add(Nondeterminism::result, call, fmt::format("what '{}' does", name.str()), why);
      return;
    }
    if (name == "pthread_barrier_wait" && !call.use_empty())
      return add(Nondeterminism::result, call, "what 'pthread_barrier_wait' returns",
                 "whichever thread arrives last, or first, is the serial one",
                 "choose the thread by its number");
    if ((name == "pthread_self" || name == "thrd_current") && !call.use_empty())
      return visit_handle(call);
    if (name.starts_with(kAnyValue)) {
      if (thread_ != kMain && !call.use_empty())
        add(Nondeterminism::result, call, "a variable without a value",
            "what is left in a thread's stack may depend on the schedule", "give it a first value");
      return;
    }
    if (is_random(name)) return randoms_.emplace_back(&call, thread_), void();
    if (name == "exit" || name == "_exit" || name == "_Exit" || name == "quick_exit")
      return visit_exit(call);
    const bitcode::External& external = rules_.points_to.externals().of(name.str());
    if (external.effect == bitcode::Effect::unknown || external.synchronizes || is_quiet(name))
      return;
    if (shows_addresses(call, name, external))
      add_address(call, fmt::format("'{}' is given an address", name.str()));
    const bool has_state = external.has_state || external.effect == bitcode::Effect::transmits;
    if (has_state) outputs_.emplace_back(&call, thread_);
  }

  // `%p`, a format nobody knows, and bytes of memory that holds pointers.
  bool shows_addresses(const llvm::CallBase& call, llvm::StringRef name,
                       const bitcode::External& external) const {
    if (name.contains("printf")) {
      for (const llvm::Use& argument : call.args()) {
        if (!argument->getType()->isPointerTy()) continue;
        llvm::StringRef text;
        if (llvm::getConstantStringInfo(argument.get(), text)) return text.contains("%p");
      }
      return true;
    }
    if (external.effect != bitcode::Effect::transmits && name != "memcmp" && name != "bcmp")
      return false;
    bool holds = false;
    for (const llvm::Use& argument : call.args())
      if (argument->getType()->isPointerTy())
        rules_.points_to.targets_of(*argument.get()).for_each([&](uint32_t one) {
          const auto object = rules_.points_to.solution().targets()[bitcode::TargetId{one}].object;
          const auto kind = rules_.points_to[object].kind;
          const bool own = kind == bitcode::MadeOf::global || kind == bitcode::MadeOf::heap ||
                           kind == bitcode::MadeOf::stack;
          holds |= own && !rules_.points_to.solution().contents_of(object).empty();
        });
    return holds;
  }

  void pair(const char* what, const Calls& calls) {
    for (size_t i = 0; i < calls.size(); i++)
      for (size_t j = i; j < calls.size(); j++) {
        const auto& [a, x] = calls[i];
        const auto& [b, y] = calls[j];
        if (x == y && rules_.threads[x].once) continue;
        if (!rules_.running.in_parallel(*a, x, *b, y)) continue;
        sources_.push_back({Nondeterminism::order, a, x, b, y, what,
                            "either call may be the first; a lock does not decide which",
                            "do it in one thread, after the others were joined"});
      }
  }

  void visit_exit(const llvm::CallBase& call) {
    if (!may_run_with_others(call)) return;
    add(Nondeterminism::exit, call, "how far other threads come",
        "the process ends while they may be running", "join them before");
  }

  // main returns, and ends whoever is left.
  void find_left_threads() {
    const AbstractThread& main = rules_.threads[kMain];
    const llvm::Instruction* end = nullptr;
    for (const llvm::BasicBlock& block : *main.root)
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) end = block.getTerminator();
    if (!end) return;
    thread_ = kMain;
    for (size_t i = 1; i < rules_.threads.size(); i++) {
      const ThreadId id = static_cast<ThreadId>(i);
      if (!rules_.threads[id].wild && !rules_.running.left_at_exit(kMain, id)) continue;
      add(Nondeterminism::exit, *end,
          fmt::format("how far T{} ({}) comes", i, rules_.threads[id].name),
          fmt::format("it may be running when {} returns", main.name), "join it before");
    }
  }

  const PairRules& rules_;
  ThreadId thread_{};
  std::vector<Source> sources_;
  Calls outputs_, randoms_;
  Access handles_;  // written by starting threads
};

}  // namespace

std::vector<Source> find_sources(const PairRules& rules) {
  return Finder(rules).find();
}

void assume_success(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (!call || call->use_empty() || !call->getType()->isIntegerTy() ||
          !only_fails(external_name(*call)))
        continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 0));
      changed = true;
    }
    if (changed) fold_registers(function);
  }
}

}  // namespace foretell::static_analysis
