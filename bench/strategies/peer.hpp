// peer.hpp -- libraries that the user brings, by the contract of bench/peer.h.
//
//   CLEAVE_PEERS=DIR cleave bench --peers
//
// They are loaded and called by address, as the peers of memory.hpp.
#pragma once

#include "peer.h"
#include "strategies/memory.hpp"
#include "strategies/strategy.hpp"

namespace cleave::bench {

// A function of the library DIR/LIBRARY.so. If it cannot be had, null, and `missing` says why
// unless it says something already.
void* users_function(const char* library, const char* name, std::string& missing);

// Names of libraries, as types: each has pointers of its own to functions that all define.
struct snmalloc_name {
  static constexpr const char* value = "snmalloc";
};
struct bytes_name {
  static constexpr const char* value = "bytes";
};

template <class Function>
void find_users(const char* library, const char* name, Function*& function, std::string& missing) {
  function = reinterpret_cast<Function*>(users_function(library, name, missing));
}

template <class Name>
struct users_memory {
  inline static const std::string suffix = std::string("-") + Name::value;

  static std::string prepare() {
    std::string missing;
    constexpr const char* from = Name::value;
    find_users(from, "cleave_peer_allocate", allocate_, missing);
    find_users(from, "cleave_peer_release", release_, missing);
    find_users(from, "cleave_peer_purge", purge_, missing);
    return missing;
  }
  static void* allocate(std::size_t bytes) { return c_malloc::checked(allocate_(bytes)); }
  static void release(void* pointer, std::size_t bytes) { release_(pointer, bytes); }
  static void purge() { purge_(); }

 private:
  inline static decltype(&cleave_peer_allocate) allocate_ = nullptr;
  inline static decltype(&cleave_peer_release) release_ = nullptr;
  inline static decltype(&cleave_peer_purge) purge_ = nullptr;
};

template <class Name>
struct users_arrays {
  struct array {
    cleave_peer_array handle;
    std::size_t size;
  };

  static std::string name() { return Name::value; }
  static std::string prepare() {
    std::string missing;
    constexpr const char* from = Name::value;
    find_users(from, "cleave_peer_make", make_, missing);
    find_users(from, "cleave_peer_cut", cut_, missing);
    find_users(from, "cleave_peer_join", join_, missing);
    find_users(from, "cleave_peer_free", free_, missing);
    find_users(from, "cleave_peer_data", data_, missing);
    find_users(from, "cleave_peer_purge", purge_, missing);
    return missing;
  }
  static void purge() { purge_(); }

  static array make(std::size_t n) {
    array made{{}, n};
    make_(&made.handle, n);
    return made;
  }
  static array halve(array& a) {
    a.size /= 2;
    array right{{}, a.size};
    cut_(&a.handle, a.size, &right.handle);
    return right;
  }
  static array join(array left, array right) {
    join_(&left.handle, &right.handle);
    left.size += right.size;
    return left;
  }
  static void free(array a) { free_(&a.handle); }
  static word* data(array& a) { return data_(&a.handle); }
  static std::size_t size(const array& a) { return a.size; }

 private:
  inline static decltype(&cleave_peer_make) make_ = nullptr;
  inline static decltype(&cleave_peer_cut) cut_ = nullptr;
  inline static decltype(&cleave_peer_join) join_ = nullptr;
  inline static decltype(&cleave_peer_free) free_ = nullptr;
  inline static decltype(&cleave_peer_data) data_ = nullptr;
  inline static decltype(&cleave_peer_purge) purge_ = nullptr;
};

using snmalloc = users_memory<snmalloc_name>;
using rust_bytes = users_arrays<bytes_name>;
static_assert(strategy<rust_bytes>);

struct parlaylib {
  static std::string sort_name() { return "parlaylib-sort"; }
  static std::string prepare() {
    std::string missing;
    find_users("parlaylib", "cleave_peer_sort", sort_, missing);
    return missing;
  }
  static void sort(word* cells, std::size_t n, unsigned threads) { sort_(cells, n, threads); }

 private:
  inline static decltype(&cleave_peer_sort) sort_ = nullptr;
};

// Vectors that do each work of a round by themselves.
struct immer {
  using vector = cleave_peer_vector*;

  static std::string name() { return "immer"; }
  static std::string prepare() {
    std::string missing;
    find_users("immer", "cleave_peer_vector_of", of, missing);
    find_users("immer", "cleave_peer_vector_end", end, missing);
    find_users("immer", "cleave_peer_vector_walk", walk, missing);
    find_users("immer", "cleave_peer_vector_map", map, missing);
    find_users("immer", "cleave_peer_vector_fork_tree", fork_tree, missing);
    find_users("immer", "cleave_peer_vector_split", split, missing);
    find_users("immer", "cleave_peer_vector_small", small, missing);
    return missing;
  }

  inline static decltype(&cleave_peer_vector_of) of = nullptr;
  inline static decltype(&cleave_peer_vector_end) end = nullptr;
  inline static decltype(&cleave_peer_vector_walk) walk = nullptr;
  inline static decltype(&cleave_peer_vector_map) map = nullptr;
  inline static decltype(&cleave_peer_vector_fork_tree) fork_tree = nullptr;
  inline static decltype(&cleave_peer_vector_split) split = nullptr;
  inline static decltype(&cleave_peer_vector_small) small = nullptr;
};

}  // namespace cleave::bench
