// memory.cpp -- finds the peers, and sets the C library's malloc to its best.
#include "strategies/memory.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace cleave::bench {
namespace {

// Never closed: a peer may hold memory and thread keys.
void* library(const char* file) {
  return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

std::string reason() {
  const char* const text = dlerror();
  return text == nullptr ? "cannot be loaded" : text;
}

}  // namespace

std::string mimalloc::prepare() {
  void* const peer = library("libmimalloc.so.2");
  if (peer == nullptr || !find(peer, "mi_malloc", malloc_) || !find(peer, "mi_free", free_) ||
      !find(peer, "mi_collect", collect_) || !find(peer, "mi_option_set", set_option_)) {
    return reason();
  }
  return {};
}

std::string jemalloc::prepare() {
  void* const peer = library("libjemalloc.so.2");
  if (peer == nullptr || !find(peer, "malloc", malloc_) || !find(peer, "sdallocx", free_sized_) ||
      !find(peer, "mallctl", control_)) {
    return reason();
  }
  return {};
}

void jemalloc::purge() {
  control_("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  // 4096 stands for all arenas (MALLCTL_ARENAS_ALL in its header).
  control_("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

std::string tbb_malloc::prepare() {
  void* const peer = library("libtbbmalloc.so.2");
  if (peer == nullptr || !find(peer, "scalable_malloc", malloc_) ||
      !find(peer, "scalable_free", free_) || !find(peer, "scalable_allocation_command", command_)) {
    return reason();
  }
  return {};
}

void keep_c_memory() noexcept {
  // The largest threshold that the C library accepts.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void restart_with_room_for_peers() {
  static constexpr char variable[] = "GLIBC_TUNABLES";
  static constexpr char setting[] = "glibc.rtld.optional_static_tls=16384";
  const char* const old = std::getenv(variable);
  if (old != nullptr && std::strstr(old, "optional_static_tls") != nullptr) return;
  const std::string value = old == nullptr ? setting : std::string(old) + ":" + setting;

  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string text; std::getline(file, text, '\0');) words.push_back(text);
  std::vector<char*> arguments;
  for (std::string& text : words) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  if (words.empty() || setenv(variable, value.c_str(), 1) != 0) return;
  execv("/proc/self/exe", arguments.data());
}

}  // namespace cleave::bench
