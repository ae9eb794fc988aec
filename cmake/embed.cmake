# cmake -D FILE=... -D OUTPUT=... -D HEADER=... -D NAMESPACE=... -D FUNCTION=... -P embed.cmake: a file as
# a C++ source that returns its bytes from a function, which the header declares.
# Not #embed or .incbin: compiler caches do not see that the file behind those has changed.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {
constexpr unsigned char kBytes[] = {${bytes}};
}  // namespace

std::string_view ${FUNCTION}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}

}  // namespace ${NAMESPACE}
")
