#include "runtime/cells.hpp"

namespace cleave::test {
namespace {

template <class Cell>
Cell* fresh(u32 descriptor, u32 constructor) {
  auto* const made = static_cast<Cell*>(runtime::new_cell(sizeof(Cell)));
  made->head = runtime::new_header(descriptor, constructor);
  return made;
}

using number_environment = runtime::environment<u32, u32>;

struct adder {
  number_environment head;
  u32 n;
};

struct chain_adder {
  number_environment head;
  list all;
};

void scan_con(void* cell, runtime::pile& dead) noexcept {
  scan(static_cast<con_fields*>(cell)->next, dead);
}

void scan_node(void* cell, runtime::pile& dead) noexcept {
  scan(static_cast<node_fields*>(cell)->left, dead);
  scan(static_cast<node_fields*>(cell)->right, dead);
}

void scan_named(void* cell, runtime::pile& dead) noexcept {
  scan(static_cast<named_fields*>(cell)->name, dead);
  scan(static_cast<named_fields*>(cell)->lists, dead);
}

void scan_chain(void* cell, runtime::pile& dead) noexcept {
  scan(static_cast<chain_adder*>(cell)->all, dead);
}

}  // namespace

list con(u32 value, list next) {
  auto* const made = fresh<con_fields>(con_cell, 1);
  made->value = value;
  made->next = next;
  return list::of(&made->head);
}

list counting(u32 n) {
  list all = nil();
  while (n != 0) all = con(--n, all);
  return all;
}

std::vector<u32> numbers(list l) {
  std::vector<u32> all;
  while (!l.is_small()) {
    const auto* const at = reinterpret_cast<con_fields*>(l.cell());
    all.push_back(at->value);
    l = at->next;
  }
  return all;
}

tree branch(tree left, tree right) {
  auto* const made = fresh<node_fields>(node_cell, 1);
  made->left = left;
  made->right = right;
  return tree::of(&made->head);
}

named name_lists(string name, array<list> lists) {
  auto* const made = fresh<named_fields>(named_cell, 0);
  made->name = name;
  made->lists = lists;
  return named::of(&made->head);
}

runtime::function<u32, u32> add(u32 n) {
  auto* const made = static_cast<adder*>(runtime::new_cell(sizeof(adder)));
  *made = {{runtime::new_header(adder_cell),
            [](number_environment* self, u32 x) noexcept {
              const u32 sum = reinterpret_cast<adder*>(self)->n + x;
              release(&self->head);
              return sum;
            }},
           n};
  return {&made->head};
}

runtime::function<u32, u32> add_all(list l) {
  auto* const made = static_cast<chain_adder*>(runtime::new_cell(sizeof(chain_adder)));
  *made = {{runtime::new_header(chain_cell),
            [](number_environment* self, u32 x) noexcept {
              auto* const mine = reinterpret_cast<chain_adder*>(self);
              const bool last = unique(&self->head);
              if (!last) keep(mine->all);
              list all = mine->all;
              if (last) {
                runtime::free_cell(mine, sizeof(chain_adder));
              } else {
                release(&self->head);
              }
              for (const u32 value : numbers(all)) x += value;
              drop(all);
              return x;
            }},
           l};
  return {&made->head};
}

}  // namespace cleave::test

const cleave::runtime::descriptor cleave::runtime::descriptors[] = {
    {sizeof(test::con_fields), test::scan_con},     {sizeof(test::node_fields), test::scan_node},
    {sizeof(test::named_fields), test::scan_named}, {sizeof(test::adder), nullptr},
    {sizeof(test::chain_adder), test::scan_chain},
};
