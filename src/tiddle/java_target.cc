#include "tiddle/target.h"
namespace foretell::tiddle {
Result<std::string> write_java_program(std::span<const Plan>, const CompileOptions&) {
  return fail("x");
}
}  // namespace foretell::tiddle
