#include "os/library.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "os/places.hpp"

namespace cleave::os {
namespace {

void* load(const char* path) noexcept {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// From a folder beside the file that this code is part of. Without a heap: it may be ours.
void* load_beside(const char* between, const char* library) noexcept {
  const char* const file = file_of(reinterpret_cast<std::uintptr_t>(&load_beside));
  if (file == nullptr) return nullptr;
  const char* const slash = std::strrchr(file, '/');
  if (slash == nullptr) return nullptr;
  char path[PATH_MAX];
  const int written = std::snprintf(path, sizeof(path), "%.*s%s%s",
                                    static_cast<int>(slash + 1 - file), file, between, library);
  return written > 0 && static_cast<std::size_t>(written) < sizeof(path) ? load(path) : nullptr;
}

}  // namespace

void* library_function(const char* library, const char* name) noexcept {
  void* loaded = nullptr;
  if (std::strchr(library, '/') == nullptr) {
    loaded = load_beside("", library);
    if (loaded == nullptr) loaded = load_beside("../lib/", library);
  }
  if (loaded == nullptr) loaded = load(library);
  return loaded == nullptr ? nullptr : dlsym(loaded, name);
}

}  // namespace cleave::os
