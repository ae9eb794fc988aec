// SPDX-License-Identifier: Apache-2.0

#include "tiddle/compile.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::tiddle {
namespace {

std::string compiled(std::string_view text, const CompileOptions& options = {}) {
  auto trace = trace::parse_tiddle(text);
  if (!trace) return trace.error().to_text();
  auto program = compile_tiddle(*trace, options);
  return program ? *program : program.error().to_text();
}

const CompileOptions kJava{.language = TargetLanguage::java};

testing::AssertionResult has(const std::string& program, std::string_view fragment) {
  if (program.find(fragment) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << fragment << "' in\n" << program;
}

TEST(TiddleCompile, TwoLineRaceInCxxRunsOneOperationPerTurn) {
  const std::string program = compiled("rd 1 x\nwr 2 x 1\n");
  EXPECT_TRUE(has(program, "int x = 0;\n"));
  EXPECT_TRUE(has(program,
                  "  foretell_lockstep_await(0);  // rd 1 x\n"
                  "  foretell_lockstep_use(x);\n"
                  "  foretell_lockstep_done(0);\n"));
  EXPECT_TRUE(has(program,
                  "  foretell_lockstep_await(1);  // wr 2 x 1\n"
                  "  x = 1;\n"
                  "  foretell_lockstep_done(1);\n"));
}

TEST(TiddleCompile, TwoLineRaceInJavaIsFigure242) {
  const std::string program = compiled("rd 1 x\nwr 2 x 1\n", kJava);
  EXPECT_TRUE(has(program, "static int x = 0;\n"));
  EXPECT_TRUE(has(program, "static final int numThreads = 2;\n"));
  EXPECT_TRUE(has(program, "CyclicBarrier cb = new CyclicBarrier(numThreads);\n"));
  EXPECT_TRUE(has(program,
                  "            await(cc);\n            await(cb);\n"
                  "            await(cc); // wr 2 x 1\n            x = 1;\n"
                  "            await(cb);\n"));
  EXPECT_TRUE(has(program,
                  "            await(cc); // rd 1 x\n            _z = x;\n"
                  "            await(cb);\n            await(cc);\n            await(cb);\n"));
}

TEST(TiddleCompile, AtomicBlockBecomesAnnotations) {
  const char* const trace = "beg 1 a\nrd 1 x\nwr 2 x\nrd 1 x\nend 1 a\n";
  EXPECT_TRUE(has(compiled(trace), "FORETELL_ATOMIC_BLOCK_BEGIN(\"a\");"));
  EXPECT_TRUE(has(compiled(trace), "FORETELL_ATOMIC_BLOCK_END(\"a\");"));
  EXPECT_TRUE(has(compiled(trace, kJava), "/* @atomic a begins */"));
}

TEST(TiddleCompile, AtomicBlockBecomesFunction) {
  const std::string program =
      compiled("beg 1 a\nrd 1 x\nend 1 a\nbeg 2 a\nend 2 a\n", {.blocks_as_functions = true});
  EXPECT_TRUE(has(program, "static void a(int call) {\n"));
  EXPECT_TRUE(has(program, "  a(1);\n"));
  EXPECT_TRUE(has(program, "  a(2);\n"));
}

// tests/tiddle_programs/run does this for every name of the programs, and compiles them.
TEST(TiddleCompile, GeneratedNamesStepAsideForTheNamesOfTheTrace) {
  const std::string program = compiled("wr 1 run_t1\nacq 2 run_t2\nrel 2 run_t2\n");
  EXPECT_TRUE(has(program, "std::mutex run_t2;\n"));
  EXPECT_TRUE(has(program, "static void* run_t2_2(void*) {\n"));
  EXPECT_TRUE(has(program, "static void* run_t1(void*) {\n"));
  EXPECT_TRUE(has(program, "int run_t1_2 = 0;  // run_t1\n"));
  const std::string java = compiled("wr 1 run_t1\nrmw 2 x sc\nwr 2 x_handle\n", kJava);
  EXPECT_TRUE(has(java, "static void run_t1() {\n"));
  EXPECT_TRUE(has(java, "static int run_t1_2 = 0; // run_t1\n"));
  EXPECT_TRUE(has(java, "static int x_handle = 0;\n"));
  EXPECT_TRUE(has(java, "static final VarHandle x_handle_2 = "));
}

TEST(TiddleCompile, ReadWithValueIsChecked) {
  EXPECT_TRUE(has(compiled("rd 1 x 7\n"), "foretell_lockstep_expect(\"rd 1 x 7\", x, 7);"));
  EXPECT_TRUE(has(compiled("rd 1 x 7\n", kJava), "expect(\"rd 1 x 7\", x, 7L);"));
}

TEST(TiddleCompile, WriteWithoutValueStoresWhatIsReadLater) {
  EXPECT_TRUE(has(compiled("wr 1 x\nrd 2 x 7\n"), "  x = 7;\n"));
}

TEST(TiddleCompile, WritesWithoutValueAreDistinct) {
  const std::string program = compiled("wr 1 x\nwr 2 x\nwr 1 x 1\n");
  EXPECT_TRUE(has(program, "  x = 2;\n"));
  EXPECT_TRUE(has(program, "  x = 3;\n"));
}

TEST(TiddleCompile, ReadsThatDisagreeAboutOneWriteAreRefused) {
  EXPECT_EQ(compiled("wr 1 x\nrd 1 x 7\nrd 1 x 8\n"),
            "event 2: error: thread 1 and event 1 read different values of the write in event 0\n");
}

TEST(TiddleCompile, LocksTakeTheShapeTheyNeed) {
  EXPECT_TRUE(has(compiled("acq 1 m\nrel 1 m\n"), "std::mutex m;"));
  EXPECT_TRUE(has(compiled("acq 1 m\nacq 1 m\n"), "std::recursive_mutex m;"));
  EXPECT_TRUE(has(compiled("sacq 1 m\nsrel 1 m\n"), "std::shared_mutex m;"));
  EXPECT_TRUE(has(compiled("acq 1 m\nrel 1 m\n", kJava), "synchronized (m) {"));
  EXPECT_TRUE(has(compiled("acq 1 m\nacq 1 n\nrel 1 m\nrel 1 n\n", kJava), "ReentrantLock m ="));
  EXPECT_TRUE(has(compiled("sacq 1 m\nsrel 1 m\n", kJava), "m.readLock().lock();"));
}

TEST(TiddleCompile, OneLockOutOfOrderLeavesTheOthersSynchronized) {
  const std::string program =
      compiled("acq 1 o\nacq 1 m\nacq 1 n\nrel 1 m\nrel 1 n\nrel 1 o\n", kJava);
  EXPECT_TRUE(has(program, "static final Object o = new Object();"));
  EXPECT_TRUE(has(program, "static final ReentrantLock m = new ReentrantLock();"));
}

TEST(TiddleCompile, AtomicsKeepTheirOrders) {
  EXPECT_TRUE(has(compiled("awr 1 x rel 1\n"), "x.store(1, std::memory_order_release);"));
  EXPECT_TRUE(has(compiled("ard 1 x acq\n"), "x.load(std::memory_order_acquire)"));
  EXPECT_TRUE(has(compiled("wr 1 x\nard 1 x\n"), "std::atomic_ref<int>(x).load("));
  EXPECT_TRUE(
      has(compiled("fence 1 ar\n"), "std::atomic_thread_fence(std::memory_order_acq_rel);"));
  EXPECT_TRUE(has(compiled("vwr 1 x 1\n", kJava), "static volatile int x = 0;"));
  EXPECT_TRUE(has(compiled("awr 1 x rel 1\n", kJava), "x_handle.setRelease(1);"));
}

TEST(TiddleCompile, OrdersThatDoNotExistAreRefused) {
  EXPECT_EQ(compiled("ard 1 x rel\n"),
            "event 0: error: C++ has no atomic read with the order 'rel'\n");
  EXPECT_EQ(compiled("awr 1 x acq\n"),
            "event 0: error: C++ has no atomic write with the order 'acq'\n");
}

TEST(TiddleCompile, SemaphoreStartsWithWhatInitialDownsTake) {
  EXPECT_TRUE(
      has(compiled("down 1 s\ndown 2 s\npost 1 s\ndown 1 s\n"), "std::counting_semaphore<> s{2};"));
}

TEST(TiddleCompile, BarrierHasThePartiesOfItsGenerations) {
  EXPECT_TRUE(
      has(compiled("enter 1 b\nenter 2 b\nleave 1 b\nleave 2 b\n"), "std::barrier<> b{2};"));
  EXPECT_EQ(compiled("enter 1 b\nenter 2 b\nleave 1 b\nenter 1 b\nleave 1 b\n"),
            "event 4: error: barrier b has 2 parties in generation 0 but 1 in generation 1: a real "
            "barrier has one number of parties\n");
}

TEST(TiddleCompile, NotifyWithTwoWaitersIsRefused) {
  EXPECT_EQ(compiled("acq 1 m\nwait 1 c m\nacq 2 m\nwait 2 c m\nnotify 3 c\n"),
            "event 4: error: threads 1 and 2 both wait on condition c: no program can force which "
            "of them a notify wakes\n");
}

TEST(TiddleCompile, UseAfterFreeIsRefused) {
  EXPECT_EQ(compiled("alloc 1 p 8\nfree 1 p\nrd 2 p\n"),
            "event 2: error: thread 2 accesses p after it was freed: no program can do that and go "
            "on reliably\n");
}

TEST(TiddleCompile, AccessOutsideAnAllocationIsRefused) {
  EXPECT_EQ(compiled("alloc 1 p 8\nwr 1 p+8:4\n"),
            "event 0: error: 8 bytes are allocated for p, but its accesses need 12\n");
}

TEST(TiddleCompile, ReentrantSharedLockIsRefused) {
  EXPECT_EQ(compiled("acq 1 m\nacq 1 m\nrel 1 m\nrel 1 m\nsacq 1 m\n"),
            "event 0: error: lock m is re-entrant and used in shared mode: C++ has no such lock\n");
}

TEST(TiddleCompile, LeavingSeveralFunctionsAtOnceIsRefused) {
  EXPECT_EQ(compiled("call 1 f\ncall 1 g\nret 1 f\n"),
            "event 2: error: thread 1 leaves f while g is still open: no plain function call can "
            "do that\n");
}

TEST(TiddleCompile, JavaRefusesWhatItHasNot) {
  EXPECT_EQ(compiled("alloc 1 p 8\n", kJava),
            "event 0: error: Java target: 'alloc' has no counterpart\n");
  EXPECT_EQ(compiled("rd 1 buf+8:4\n", kJava),
            "event 0: error: Java target: the range of bytes buf+8:4 has no counterpart\n");
  EXPECT_EQ(compiled("acq 1 m\nwait 1 c m\nnotify 2 c\n", kJava),
            "event 2: error: Java target: a notify of condition c without its lock has no "
            "counterpart\n");
}

TEST(TiddleCompile, JavaRefusesAWakeThatOthersOvertake) {
  EXPECT_EQ(compiled("acq 1 m\nwait 1 c m\nacq 2 m\nnotify 2 c\nrel 2 m\nacq 2 m\nrel 2 m\n"
                     "wake 1 c m\n",
                     kJava),
            "event 7: error: Java target: thread 1 takes lock m back as soon as it is free, but "
            "thread 2 uses it before (event 5)\n");
}

TEST(TiddleCompile, MalformedTraceIsRefused) {
  EXPECT_EQ(compiled("rd 1 x\nrel 1 m\n"),
            "event 1: error: thread 1 releases lock m, which nobody holds\n");
}

TEST(TiddleCompile, SeveralTracesBecomeOneProgram) {
  auto first = trace::parse_tiddle("wr 1 x 1\n");
  auto second = trace::parse_tiddle("rd 1 x\n");
  const TraceView views[] = {{first->tables, first->events}, {second->tables, second->events}};
  auto program = compile_tiddle(views, {});
  ASSERT_TRUE(program);
  EXPECT_TRUE(has(*program, "  trace_1::run();\n  trace_2::run();\n"));
  EXPECT_TRUE(has(*program, "foretell_lockstep_await(1);  // rd 1 x\n"));
}

TEST(TiddleCompile, MessagesNameTheTraceOfSeveral) {
  auto first = trace::parse_tiddle("wr 1 x 1\n");
  auto second = trace::parse_tiddle("rel 1 m\n");
  const TraceView views[] = {{first->tables, first->events}, {second->tables, second->events}};
  EXPECT_EQ(compile_tiddle(views, {}).error().where, "trace 2, event 0");
}

TEST(TiddleCompile, FreeProgramHasNoLockstep) {
  const std::string program = compiled("rd 1 x\nwr 2 x 1\n", {.lockstep = false});
  EXPECT_EQ(program.find("lockstep_await"), std::string::npos);
  EXPECT_TRUE(has(compiled("rd 1 x\n", {.lockstep = false, .noise = Noise::yield}),
                  "std::this_thread::yield();"));
  EXPECT_TRUE(has(compiled("rd 1 x\n", {.lockstep = false, .noise = Noise::sleep}),
                  "std::this_thread::sleep_for("));
}

TEST(TiddleCompile, NoiseNeedsAFreeProgram) {
  EXPECT_EQ(compiled("rd 1 x\n", {.noise = Noise::yield}),
            "error: noise only makes sense in a program without lockstep\n");
}

TEST(TiddleCompile, JavaClassNeedsAName) {
  EXPECT_EQ(compiled("rd 1 x\n", {.language = TargetLanguage::java, .name = "my-test"}),
            "error: 'my-test' is not a name for a Java class\n");
}

TEST(TiddleCompile, StrangeNamesStayApart) {
  const std::string program = compiled("wr 1 int\nwr 1 \"a b\"\nwr 1 a_b\nwr 1 7up\n");
  EXPECT_TRUE(has(program, "int int_2 = 0;  // int\n"));
  EXPECT_TRUE(has(program, "int a_b = 0;  // a b\n"));
  EXPECT_TRUE(has(program, "int a_b_2 = 0;  // a_b\n"));
  EXPECT_TRUE(has(program, "int location7up = 0;  // 7up\n"));
}

TEST(TiddleCompile, LogPrintsTheLineOfEachOperation) {
  EXPECT_TRUE(
      has(compiled("rd 1 x\n", {.log_operations = true}), "foretell_lockstep_log(\"rd 1 x\\n\");"));
}

}  // namespace
}  // namespace foretell::tiddle
