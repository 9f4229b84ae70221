// map_page.hpp -- a history as one page of HTML, which needs nothing but a browser.
//
//   output.write(map_as_page(recording, past, names, "app.trace", past.peak));
//
// The page is tools/cleave/map/, with the history in it: a summary in JSON, and columns of
// numbers, seven bits to a byte, in base64 (tools/cleave/map/history.js reads them).
#pragma once

#include <cleave/trace.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "replay/play.hpp"

namespace cleave::tool {

// It opens at the moment `at`. `names` says each place of the recording in words. O(events).
std::string map_as_page(const trace::recording& recording, const replay::history& past,
                        const std::vector<std::string>& names, std::string_view file,
                        replay::moment at);

// What a reader must know of a recording that is not whole, a sentence each.
std::vector<std::string> notes_of(const trace::recording& recording);

// The page without a history, made a part of the tool by cmake/embed_page.cmake.
struct map_page_parts {
  std::string page;
  std::string style;
  std::string script;
  // SHA-256 in hexadecimal digits.
  std::string style_hash;
  std::string script_hash;
};
map_page_parts page_parts();

}  // namespace cleave::tool
