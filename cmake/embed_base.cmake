# embed_base.cmake -- writes the files of Base as C++: the function base_files() of
# src/lang/front_end.hpp.
#
#   cmake -Dfolder=src/lang/base -Doutput=base_files.cpp -P embed_base.cmake
include(${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)

file(GLOB names RELATIVE ${folder} ${folder}/*.bend)
list(SORT names)
set(pieces "")
set(entries "")
set(number 0)
foreach(name IN LISTS names)
  file(READ ${folder}/${name} text)
  cleave_literals(literals "${text}" ${folder}/${name})
  string(APPEND pieces "constexpr std::string_view text_${number}[] = {\n${literals}};\n")
  string(APPEND entries "      {\"Base/${name}\", join(text_${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${output} "// Made of src/lang/base/*.bend by cmake/embed_base.cmake.
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include \"lang/front_end.hpp\"

namespace cleave::lang {
namespace {

${pieces}
std::string_view join(std::span<const std::string_view> pieces) {
  static std::deque<std::string> texts;
  std::string& text = texts.emplace_back();
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

const std::vector<base_file>& base_files() {
  static const std::vector<base_file> all = {
${entries}  };
  return all;
}

}  // namespace cleave::lang
")
