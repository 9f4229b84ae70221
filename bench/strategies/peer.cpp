// peer.cpp -- loads what the user brings.
#include "strategies/peer.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace cleave::bench {

void* users_function(const char* library, const char* name, std::string& missing) {
  if (!missing.empty()) return nullptr;
  const char* const folder = std::getenv("CLEAVE_PEERS");
  if (folder == nullptr || *folder == '\0') {
    missing = "CLEAVE_PEERS names no folder that has it";
    return nullptr;
  }
  // Never closed, and opened once however often this is called.
  const std::string path = std::string(folder) + '/' + library + ".so";
  void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded == nullptr ? nullptr : dlsym(loaded, name);
  if (found == nullptr) {
    const char* const text = dlerror();
    missing = text == nullptr ? path + " cannot be loaded" : text;
  }
  return found;
}

}  // namespace cleave::bench
