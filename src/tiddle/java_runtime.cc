// SPDX-License-Identifier: Apache-2.0

#include "tiddle/java_runtime.h"

namespace foretell::tiddle {

std::string imports_for(std::string_view code) {
  constexpr std::string_view kClasses[] = {
      "java.lang.invoke.MethodHandles",
      "java.lang.invoke.VarHandle",
      "java.util.concurrent.CyclicBarrier",
      "java.util.concurrent.Phaser",
      "java.util.concurrent.Semaphore",
      "java.util.concurrent.TimeUnit",
      "java.util.concurrent.locks.Condition",
      "java.util.concurrent.locks.ReentrantLock",
      "java.util.concurrent.locks.ReentrantReadWriteLock",
  };
  std::string text;
  for (std::string_view name : kClasses) {
    const std::string_view simple = name.substr(name.rfind('.') + 1);
    if (code.find(simple) != std::string_view::npos) text += fmt::format("import {};\n", name);
  }
  return text;
}

void common_methods(const CompileOptions& options, bool handles, CodeWriter& out) {
  if (options.lockstep) {
    out.blank();
    out.open("static void await(CyclicBarrier c) throws Exception");
    out.line("c.await();");
    out.close();
  }
  out.blank();
  out.open("static void awaitStart(Thread thread)");
  out.open("while (thread.getState() == Thread.State.NEW)");
  out.line("Thread.yield();");
  out.close();
  out.close();
  out.blank();
  out.open("static void fail(String operation, String what)");
  out.line("System.err.println(operation + \": \" + what);");
  out.line("Runtime.getRuntime().halt(1);");
  out.close();
  out.blank();
  out.open("static void expect(String operation, long found, long expected)");
  out.open("if (found != expected)");
  out.line("fail(operation, \"expected \" + expected + \", found \" + found);");
  out.close();
  out.close();
  if (handles) {
    out.blank();
    out.open("static VarHandle handle(Class<?> owner, String field, Class<?> type)");
    out.open("try");
    out.line("return MethodHandles.lookup().findStaticVarHandle(owner, field, type);");
    out.close(" catch (ReflectiveOperationException e) {");
    out.indent();
    out.line("throw new ExceptionInInitializerError(e);");
    out.close();
    out.close();
  }
  if (options.log_operations) {
    out.blank();
    out.line("static final java.io.PrintStream out = new java.io.PrintStream(");
    out.line("    new java.io.FileOutputStream(java.io.FileDescriptor.out), true,");
    out.line("    java.nio.charset.StandardCharsets.UTF_8);");
    out.blank();
    out.open("static void log(String operation)");
    out.line("out.print(operation + \"\\n\");");
    out.line("out.flush();");
    out.close();
  }
}

std::string escape_unicode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      out += text[i++];
      continue;
    }
    const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    uint32_t code = lead & (0xffu >> (length + 1));
    bool good = lead >= 0xc2 && lead < 0xf5 && i + length <= text.size();
    for (size_t k = 1; good && k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      good = (byte & 0xc0) == 0x80;
      code = code << 6 | (byte & 0x3fu);
    }
    if (!good || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (code < 0x10000) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    }
    i += length;
  }
  return out;
}

}  // namespace foretell::tiddle
