# embed_base.cmake -- writes the files of Base as C++: the function base_files() of
# src/lang/front_end.hpp.
#
#   cmake -Dfolder=src/lang/base -Doutput=base_files.cpp -P embed_base.cmake
#
# A file stands in pieces of at most 12 KiB, each a string literal that ends at the end of
# a line: compilers need not take longer ones than 64 KiB.
set(longest 12288)

file(GLOB names RELATIVE ${folder} ${folder}/*.bend)
list(SORT names)
set(pieces "")
set(entries "")
set(number 0)
foreach(name IN LISTS names)
  file(READ ${folder}/${name} text)
  string(FIND "${text}" ")bend\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${folder}/${name} holds )bend\", with which the literal would end")
  endif()
  string(APPEND pieces "constexpr std::string_view text_${number}[] = {\n")
  string(LENGTH "${text}" left)
  while(left GREATER 0)
    string(SUBSTRING "${text}" 0 ${longest} piece)
    if(left GREATER longest)
      string(FIND "${piece}" "\n" last REVERSE)
      math(EXPR size "${last} + 1")
      if(size EQUAL 0)
        message(FATAL_ERROR "${folder}/${name} has a line of more than ${longest} bytes")
      endif()
      string(SUBSTRING "${text}" 0 ${size} piece)
    endif()
    string(APPEND pieces "    R\"bend(${piece})bend\",\n")
    string(LENGTH "${piece}" size)
    string(SUBSTRING "${text}" ${size} -1 text)
    string(LENGTH "${text}" left)
  endwhile()
  string(APPEND pieces "    {}};\n")
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
