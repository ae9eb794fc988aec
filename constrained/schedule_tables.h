/* SPDX-License-Identifier: Apache-2.0 */

/* The tables of a constrained program: written as C by `foretell constrain`, followed by its runtime.
   Threads are numbered in the order of their creation; 0 is main. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ForetellEdge {
  uint32_t thread, index;
};

struct ForetellNode {
  uint32_t instruction; /* of the prepared program */
  uint32_t kind;        /* src/symbolic/schedules/node_kinds.def */
  int32_t result;       /* what the call gives; of a create the new thread */
  uint32_t first_edge, edge_count;
};

struct ForetellThread {
  const struct ForetellNode* nodes;
  uint32_t count;
};

struct ForetellSchedule {
  const struct ForetellThread* threads;
  const struct ForetellEdge* edges;
  uint32_t thread_count;
  uint32_t end; /* symbolic::EndKind */
  const char* end_text;
  uint32_t end_epoch;      /* the epoch that follows, if there is one */
  uint32_t participants;   /* threads that live in it */
  uint32_t number, out_of; /* among those of its epoch */
  uint32_t epoch;
};

extern const struct ForetellSchedule foretell_schedules[];
extern const uint32_t foretell_schedule_count;
/* The schedule for these arguments, or -1: a miss. */
int foretell_select(int argc, char** argv);
/* The schedule of an epoch for what registers and memory hold, or -1. */
int foretell_select_in(uint32_t epoch);
/* What a register held when the thread came to where it is now, by thread and slot. */
extern uint64_t foretell_shadows[];
extern const uint32_t foretell_shadow_width;
/* Why the program cannot run with these arguments, or null. */
const char* foretell_refuse(int argc, char** argv);
/* "file.c:12". */
const char* foretell_place(uint32_t instruction);

#ifdef __cplusplus
}
#endif
