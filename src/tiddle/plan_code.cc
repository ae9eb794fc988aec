// SPDX-License-Identifier: Apache-2.0

// The code of each thread: its operations in order, nested where the trace enters functions.
//
// A function that the trace enters several times is one function with one body per entry, because
// a trace knows what happened in each call and not why.
#include <absl/container/flat_hash_map.h>

#include "base/check.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {
namespace {

class CodePlanner {
 public:
  CodePlanner(Plan& plan, bool blocks_as_functions)
      : plan_(plan), blocks_as_functions_(blocks_as_functions) {}

  Result<void> run() {
    for (ThreadPlan& thread : plan_.threads) {
      stack_.clear();
      thread.code = {};
      for (size_t step = 0; step < plan_.events.size(); ++step) {
        if (plan_.events[step].thread != thread.id) continue;
        if (auto done = add(thread, step); !done) return done;
      }
      while (!stack_.empty()) close(thread, kNever);
    }
    return {};
  }

 private:
  struct Key {
    bool block;
    uint32_t object;
    bool operator==(const Key&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.block, key.object);
    }
  };
  struct Open {
    Key key;
    Node node;
  };

  std::vector<Node>& current(ThreadPlan& thread) {
    return stack_.empty() ? thread.code : stack_.back().node.body;
  }

  void close(ThreadPlan& thread, size_t end_step) {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    node.end_step = end_step;
    current(thread).push_back(std::move(node));
  }

  Result<void> add(ThreadPlan& thread, size_t step) {
    const trace::Event& e = plan_.events[step];
    const bool begins_block = e.kind == trace::EventKind::BlockBegin && blocks_as_functions_;
    const bool ends_block = e.kind == trace::EventKind::BlockEnd && blocks_as_functions_;
    const Key key{begins_block || ends_block, e.object};
    if (begins_block || e.kind == trace::EventKind::FunctionEnter) {
      const size_t function = function_of(key);
      stack_.push_back({key,
                        {.step = step,
                         .function = function,
                         .invocation = plan_.functions[function].invocations++}});
    } else if (ends_block || e.kind == trace::EventKind::FunctionExit) {
      CHECK(!stack_.empty());
      if (stack_.back().key != key) {
        return fail_at(plan_.where(step),
                       "thread {} leaves {} while {} is still open: no plain function call can do "
                       "that",
                       thread.name, name_of(key), name_of(stack_.back().key));
      }
      close(thread, step);
    } else {
      current(thread).push_back({.step = step});
    }
    return {};
  }

  std::string name_of(const Key& key) const {
    return std::string(key.block ? plan_.tables->labels[LabelId{key.object}]
                                 : plan_.tables->functions[FunctionId{key.object}]);
  }

  size_t function_of(const Key& key) {
    auto [it, fresh] = functions_.try_emplace(key, plan_.functions.size());
    if (fresh) {
      const std::string name = name_of(key);
      plan_.functions.push_back(
          {.name = name, .identifier = plan_.names.add(name, key.block ? "block" : "function")});
    }
    return it->second;
  }

  Plan& plan_;
  bool blocks_as_functions_;
  std::vector<Open> stack_;
  absl::flat_hash_map<Key, size_t> functions_;
};

}  // namespace

Result<void> plan_code(Plan& plan, bool blocks_as_functions) {
  return CodePlanner(plan, blocks_as_functions).run();
}

}  // namespace foretell::tiddle
