// cache_folder.hpp -- which folder the cache of compiled programs is in.
//
//   const cache_place place = find_cache();
//   if (place.lasting.empty()) ... nothing is kept from one run to the next ...
#pragma once

#include <string>

namespace cleave::tool {

struct cache_place {
  // Where to look; empty where there is no folder, or another user could have put
  // something into it.
  std::string lasting;
  // May something be made there?
  bool writable = false;
};

// $CLEAVE_CACHE, else cleave in $XDG_CACHE_HOME, else ~/.cache/cleave, else cleave-UID in
// $TMPDIR or /tmp; made if it is not there. Never fails.
cache_place find_cache();

// $TMPDIR or /tmp.
std::string temporary_folder();

}  // namespace cleave::tool
