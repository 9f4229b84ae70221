// memory.hpp -- the allocators under the strategies that copy or count.
//
// Each is a struct of static functions: the C library's malloc, and three peers
// that may or may not be installed. Libraries of peers define malloc itself, and
// linking them would replace it for the whole program. So they are loaded
// with dlopen(RTLD_LOCAL) and called by address, which costs the same as the
// call of malloc through the table of the linker.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

namespace cleave::bench {

struct c_malloc {
  static constexpr std::string_view suffix = "";

  static std::string prepare() { return {}; }
  static void* allocate(std::size_t bytes) { return checked(std::malloc(bytes)); }
  static void release(void* pointer, std::size_t) { std::free(pointer); }
  static void purge() { malloc_trim(0); }

  static void* checked(void* pointer) {
    if (pointer == nullptr) [[unlikely]]
      throw std::bad_alloc();
    return pointer;
  }
};

struct mimalloc {
  static constexpr std::string_view suffix = "-mimalloc";

  static std::string prepare();
  static void* allocate(std::size_t bytes) { return c_malloc::checked(malloc_(bytes)); }
  static void release(void* pointer, std::size_t) { free_(pointer); }
  // Only to be called before anything else, and again at the end: the first call
  // tells mimalloc not to wait before it returns memory.
  static void purge() {
    set_option_(return_delay, 0);
    collect_(true);
  }

 private:
  inline static void* (*malloc_)(std::size_t) = nullptr;
  inline static void (*free_)(void*) = nullptr;
  inline static void (*collect_)(bool) = nullptr;
  inline static void (*set_option_)(int, long) = nullptr;
  // mi_option_purge_delay, which was mi_option_decommit_delay before version 2.1.
  static constexpr int return_delay = 15;
};

struct jemalloc {
  static constexpr std::string_view suffix = "-jemalloc";

  static std::string prepare();
  static void* allocate(std::size_t bytes) { return c_malloc::checked(malloc_(bytes)); }
  // With the size, which is jemalloc's quickest way to free.
  static void release(void* pointer, std::size_t bytes) { free_sized_(pointer, bytes, 0); }
  static void purge();

 private:
  inline static void* (*malloc_)(std::size_t) = nullptr;
  inline static void (*free_sized_)(void*, std::size_t, int) = nullptr;
  inline static int (*control_)(const char*, void*, std::size_t*, void*, std::size_t) = nullptr;
};

// The allocator of oneTBB.
struct tbb_malloc {
  static constexpr std::string_view suffix = "-tbb";

  static std::string prepare();
  static void* allocate(std::size_t bytes) { return c_malloc::checked(malloc_(bytes)); }
  static void release(void* pointer, std::size_t) { free_(pointer); }
  static void purge() { command_(clean_all_buffers, nullptr); }

 private:
  inline static void* (*malloc_)(std::size_t) = nullptr;
  inline static void (*free_)(void*) = nullptr;
  inline static int (*command_)(int, void*) = nullptr;
  // TBBMALLOC_CLEAN_ALL_BUFFERS in its header.
  static constexpr int clean_all_buffers = 0;
};

// Makes the C library's malloc keep what it has: no memory map per large array
// and no return of memory between two rounds. For everything but retention.
void keep_c_memory() noexcept;

// jemalloc needs more thread-local storage than a running program has to spare;
// the loader sets it aside only when it is told so in the environment. Starts
// this program again with the same arguments and that setting, unless it is set.
// Returns when there is nothing to do, or when it cannot be done.
void restart_with_room_for_peers();

}  // namespace cleave::bench
