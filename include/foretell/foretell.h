/* SPDX-License-Identifier: Apache-2.0 */

/* What a program may tell Foretell about itself. For C and C++.
 *
 * In a program that is not linked with Foretell's runtime, everything here does nothing and costs
 * one test of a pointer. So the calls can stay in the program permanently.
 *
 *   FORETELL_ATOMIC_BLOCK("name")            C++: until the end of the scope
 *   FORETELL_ATOMIC_BLOCK_BEGIN("name")      other threads should see what is between the two as if
 *   FORETELL_ATOMIC_BLOCK_END("name")        it happened at once
 *   FORETELL_BENIGN_RACE(address, size)      races on this memory are intended: do not report them
 *   FORETELL_IGNORE_BEGIN()                  plain accesses of this thread are not recorded until
 *   FORETELL_IGNORE_END()                    the matching end
 *   FORETELL_HAPPENS_BEFORE(address)         what this thread did so far happens before whatever
 *   FORETELL_HAPPENS_AFTER(address)          follows an AFTER with the same address
 *   FORETELL_EVENT("name", a, b)             an event for properties, with two integers
 *   FORETELL_USER_EVENT("name", "1 2")       the same, with the integers as text
 *   FORETELL_THREAD_NAME("name")             of the calling thread, at most 16 bytes
 *   FORETELL_LOCK_NAME(address, "name")
 *   FORETELL_LOOP_TERMINATES()               the innermost loop around it ends in every run: what
 *                                            follows the loop does not depend on its condition
 *   FORETELL_INVISIBLE_BARRIER(id, count)    for tests of Foretell: `count` threads wait for each
 *                                            other, and analyses do not see it
 */
#ifndef FORETELL_FORETELL_H
#define FORETELL_FORETELL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FORETELL_OPTIONAL __attribute__((weak, visibility("default")))
FORETELL_OPTIONAL void __foretell_block_begin(const char* label);
FORETELL_OPTIONAL void __foretell_block_end(const char* label);
FORETELL_OPTIONAL void __foretell_benign_race(const volatile void* address, size_t size);
FORETELL_OPTIONAL void __foretell_ignore_begin(void);
FORETELL_OPTIONAL void __foretell_ignore_end(void);
FORETELL_OPTIONAL void __foretell_happens_before(const volatile void* address);
FORETELL_OPTIONAL void __foretell_happens_after(const volatile void* address);
FORETELL_OPTIONAL void __foretell_event(const char* name, int64_t a, int64_t b);
FORETELL_OPTIONAL void __foretell_event_text(const char* name, const char* arguments);
FORETELL_OPTIONAL void __foretell_thread_name(const char* name);
FORETELL_OPTIONAL void __foretell_lock_name(const volatile void* lock, const char* name);
FORETELL_OPTIONAL void __foretell_invisible_barrier(int id, unsigned count);
#undef FORETELL_OPTIONAL

#ifdef __cplusplus
}
#endif

#define FORETELL_IF_LINKED(function, arguments) \
  do {                                          \
    if (function) function arguments;           \
  } while (0)

#define FORETELL_ATOMIC_BLOCK_BEGIN(label) FORETELL_IF_LINKED(__foretell_block_begin, (label))
#define FORETELL_ATOMIC_BLOCK_END(label) FORETELL_IF_LINKED(__foretell_block_end, (label))
#define FORETELL_ATOMIC_BEGIN(label) FORETELL_ATOMIC_BLOCK_BEGIN(label)
#define FORETELL_ATOMIC_END(label) FORETELL_ATOMIC_BLOCK_END(label)
#define FORETELL_BENIGN_RACE(address, size) \
  FORETELL_IF_LINKED(__foretell_benign_race, ((address), (size)))
#define FORETELL_IGNORE_BEGIN() FORETELL_IF_LINKED(__foretell_ignore_begin, ())
#define FORETELL_IGNORE_END() FORETELL_IF_LINKED(__foretell_ignore_end, ())
#define FORETELL_HAPPENS_BEFORE(address) FORETELL_IF_LINKED(__foretell_happens_before, (address))
#define FORETELL_HAPPENS_AFTER(address) FORETELL_IF_LINKED(__foretell_happens_after, (address))
#define FORETELL_EVENT(name, a, b) \
  FORETELL_IF_LINKED(__foretell_event, ((name), (int64_t)(a), (int64_t)(b)))
#define FORETELL_USER_EVENT(name, arguments) \
  FORETELL_IF_LINKED(__foretell_event_text, ((name), (arguments)))
#define FORETELL_THREAD_NAME(name) FORETELL_IF_LINKED(__foretell_thread_name, (name))
#define FORETELL_LOCK_NAME(lock, name) FORETELL_IF_LINKED(__foretell_lock_name, ((lock), (name)))
#define FORETELL_INVISIBLE_BARRIER(id, count) \
  FORETELL_IF_LINKED(__foretell_invisible_barrier, ((id), (count)))

/* A mark for the analysis of the code (docs/instrumentation.md); it does nothing when it runs. */
#define FORETELL_LOOP_TERMINATES() __asm__ volatile("# foretell: this loop terminates")

#ifdef __cplusplus
namespace foretell {

class AtomicBlock {
 public:
  explicit AtomicBlock(const char* label) : label_(label) { FORETELL_ATOMIC_BLOCK_BEGIN(label_); }
  ~AtomicBlock() { FORETELL_ATOMIC_BLOCK_END(label_); }
  AtomicBlock(const AtomicBlock&) = delete;
  AtomicBlock& operator=(const AtomicBlock&) = delete;

 private:
  const char* label_;
};

}  // namespace foretell

#define FORETELL_JOIN_AGAIN(a, b) a##b
#define FORETELL_JOIN(a, b) FORETELL_JOIN_AGAIN(a, b)
#define FORETELL_ATOMIC_BLOCK(label) \
  const ::foretell::AtomicBlock FORETELL_JOIN(foretell_atomic_block_, __LINE__)(label)
#endif

#endif
