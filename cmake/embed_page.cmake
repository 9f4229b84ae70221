# embed_page.cmake -- writes the page of `cleave map` as C++: what tools/cleave/map_page.hpp
# calls map_page_parts.
#
#   cmake -Dfolder=tools/cleave/map -Doutput=map_page_parts.cpp -P embed_page.cmake
#
# The page runs its one script and has its one style sheet; their hashes tell the browser to
# take no others.
include(${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)

set(script "")
# In the order in which they need each other.
foreach(name IN ITEMS words history colours map curves tables main)
  file(READ ${folder}/${name}.js text)
  string(APPEND script "${text}")
endforeach()
file(READ ${folder}/page.html page)
file(READ ${folder}/page.css style)
foreach(mark IN ITEMS "</script" "<!--")
  string(FIND "${script}" "${mark}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "the script of the page holds ${mark}, which HTML reads as a mark")
  endif()
endforeach()
string(SHA256 script_hash "${script}")
string(SHA256 style_hash "${style}")
cleave_literals(page_literals "${page}" page.html)
cleave_literals(style_literals "${style}" page.css)
cleave_literals(script_literals "${script}" "the script of the page")

file(WRITE ${output} "// Made of tools/cleave/map/ by cmake/embed_page.cmake.
#include <span>
#include <string>
#include <string_view>

#include \"map_page.hpp\"

namespace cleave::tool {
namespace {

constexpr std::string_view page[] = {
${page_literals}};
constexpr std::string_view style[] = {
${style_literals}};
constexpr std::string_view script[] = {
${script_literals}};

std::string join(std::span<const std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace

map_page_parts page_parts() {
  return {join(page), join(style), join(script), \"${style_hash}\", \"${script_hash}\"};
}

}  // namespace cleave::tool
")
