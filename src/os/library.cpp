#include "os/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace cleave::os {
namespace {

void* load(const char* path) noexcept {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// From a folder beside the file that this code is part of. Without a heap: it may be ours.
void* load_beside(const char* between, const char* library) noexcept {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&load_beside), &here) == 0) return nullptr;
  const char* file = here.dli_fname;
  char program[PATH_MAX];
  // A program is known by the name it was started with, which need not be its path.
  if (std::strcmp(file, program_invocation_name) == 0) {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (length <= 0) return nullptr;
    program[length] = '\0';
    file = program;
  }
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
