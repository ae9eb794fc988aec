# cmake -D FILE=... -D OUTPUT=... -P embed.cmake: a file as a C++ source that returns its bytes.
# Not #embed or .incbin: compiler caches do not see that the file behind those has changed.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"report/html/viewer.h\"

namespace foretell::report::html {
namespace {
constexpr unsigned char kPage[] = {${bytes}};
}  // namespace

std::string_view viewer_page() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage};
}

}  // namespace foretell::report::html
")
