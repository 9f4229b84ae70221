// to_list.cpp -- 2^16 words become a linked list, by cutting or by an index.
#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

struct to_list_body {
  static constexpr std::size_t repeats = 200, quick_repeats = 25;
  static constexpr std::size_t size = std::size_t{1} << 16;

  struct node {
    word value;
    node* next;
  };

  // The nodes come from one block on all sides, since the list is not what is
  // compared.
  struct node_pool {
    std::vector<node> nodes = std::vector<node>(size);
    std::size_t used = 0;
    node* cons(word value, node* next) {
      node* const made = &nodes[used++];
      *made = {value, next};
      return made;
    }
  };

  static std::uint64_t check(const node* list) {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; list != nullptr; list = list->next, ++i) sum += i * list->value;
    return sum;
  }

  template <strategy S>
  static node* list_of(typename S::array a, node* tail, node_pool& pool) {
    const std::size_t n = S::size(a);
    if (n == 1) {
      node* const made = pool.cons(S::data(a)[0], tail);
      S::free(std::move(a));
      return made;
    }
    auto right = S::halve(a);
    node* const middle = list_of<S>(std::move(right), tail, pool);
    return list_of<S>(std::move(a), middle, pool);
  }

  template <strategy S>
  static std::uint64_t run(job& todo) {
    todo.watch.pause();
    node_pool pool;
    todo.watch.resume();
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      auto a = S::make(size);
      fill_unmeasured(todo.watch, S::data(a), size, round);
      pool.used = 0;
      const node* const list = list_of<S>(std::move(a), nullptr, pool);
      todo.watch.pause();
      sum += check(list);
      todo.watch.resume();
    }
    return sum;
  }

  static std::uint64_t limit(job& todo) {
    todo.watch.pause();
    node_pool pool;
    todo.watch.resume();
    word* const cells = flat_buffer(size);
    std::uint64_t sum = 0;
    for (std::size_t round = 0; round < todo.repeats; ++round) {
      fill_unmeasured(todo.watch, cells, size, round);
      pool.used = 0;
      node* list = nullptr;
      for (std::size_t i = size; i-- > 0;) list = pool.cons(cells[i], list);
      todo.watch.pause();
      sum += check(list);
      todo.watch.resume();
    }
    return sum;
  }
};

}  // namespace

workload to_list() {
  workload made = describe<to_list_body>("to-list");
  add_limit<to_list_body>(made);
  add_strategies<to_list_body>(made, all_strategies{});
  return made;
}

}  // namespace cleave::bench
