// SPDX-License-Identifier: Apache-2.0

// What the code says about ways that a path did not take: the three questions of COVER figure 3.
//
//   Postdominates         does every way from here come to the head of the slice?
//   WritesLiveVarBetween  may another way write what is live?
//   SyncOpBetween         may another way synchronize?
//
// Ways that end the program before they synchronize do not count (COVER 4.1.1): a schedule can
// always be followed and left early. Such an ending is a call that does not return, or the return
// of a constant other than 0 from main.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "program/code.h"
#include "symbolic/epochs/markers.h"

namespace foretell::symbolic {

class ControlFacts {
 public:
  // `has_epochs`: whether the program is cut into epochs at markers.
  ControlFacts(const program::Code& code, bool has_epochs, const std::set<uint32_t>& readings = {});
  const Markers& markers() const { return markers_; }

  struct Place {
    uint32_t function = 0, block = 0;
  };
  Place place_of(const program::CodeInstruction& instruction) const {
    return places_[instruction.id];
  }
  const program::CodeInstruction* instruction(uint32_t id) const { return by_id_[id]; }

  bool may_synchronize(uint32_t function) const { return synchronizes_[function]; }
  // Every way from the edge ends the program without synchronizing.
  bool is_failing_edge(uint32_t function, uint32_t from, uint32_t to) const;

  static constexpr uint32_t kExit = ~0u;
  // Every way from `block` that counts comes to `head`, a block or kExit.
  bool postdominates(uint32_t function, uint32_t head, uint32_t block) const;

  // The next block that every way from the end of `block` comes to, or kExit.
  uint32_t next_common(uint32_t function, uint32_t block) const;
  // Blocks on ways from the start of `from` to the start of `head`.
  std::vector<uint32_t> blocks_between(uint32_t function, uint32_t from, uint32_t head) const;

  // What may happen on ways from the start of `from` to the start of `head`.
  struct Between {
    bool synchronizes = false;
    std::vector<program::AbstractBytes> writes;
  };
  const Between& between(uint32_t function, uint32_t from, uint32_t head) const;

  // A loop of the function without synchronization, if it has no larger one around it there.
  struct FreeLoop {
    uint32_t header = 0, end = 0;  // end: where all ways out of it meet
    std::vector<bool> blocks;
  };
  const FreeLoop* free_loop(uint32_t function, uint32_t header) const {
    for (const FreeLoop& loop : functions_[function].free_loops)
      if (loop.header == header) return &loop;
    return nullptr;
  }

  // Successors that count.
  const std::vector<uint32_t>& successors(uint32_t function, uint32_t block) const {
    return functions_[function].successors[block];
  }

 private:
  struct FunctionFacts {
    std::vector<bool> failing;
    std::vector<std::vector<uint32_t>> successors;
    std::vector<std::vector<bool>> postdominators;  // by block: which blocks, the last for kExit
    std::vector<program::AbstractBytes> writes;     // with those of callees
    std::vector<FreeLoop> free_loops;
  };

  void find_free_loops(uint32_t function);
  void index_instructions();
  void find_synchronizing();
  void find_writes();
  void find_failing(uint32_t function);
  void find_postdominators(uint32_t function);
  std::vector<bool> endless_latches(uint32_t function) const;
  bool ends_program(const program::CodeInstruction& instruction) const;
  bool synchronizes(const program::CodeInstruction& instruction) const;

  const program::Code& code_;
  const Markers markers_;
  std::vector<Place> places_;
  std::vector<const program::CodeInstruction*> by_id_;
  std::vector<bool> synchronizes_;
  std::vector<FunctionFacts> functions_;
  mutable absl::flat_hash_map<std::pair<uint64_t, uint32_t>, Between> between_;
};

// Ends the whole program.
bool ends_process(std::string_view function);

}  // namespace foretell::symbolic
