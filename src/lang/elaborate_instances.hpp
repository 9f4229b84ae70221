// elaborate_instances.hpp -- which functions a program consists of.
//
// A def is elaborated once for each set of facts about its parameters: the types of its
// type parameters, and the functions that its templates stand for. A lambda that is given
// to a template and needs nothing of the run time is a function of its own. What gives an
// action is elaborated once more where calls of it are run at once.
//
//   instance_table instances(made, facts, types, report);
//   const core::function* f = instances.get({.def = &map, .facts = {u32, u32, inc, nullptr}},
//   where); while (instance* next = instances.next()) ...   // the body of each is made once
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/core.hpp"
#include "lang/facts.hpp"
#include "lang/types.hpp"

namespace cleave::lang {

// A def with a fact for each parameter that does not exist at run time, null for the
// others; or a lambda, whose fact has its type and the number of arguments of a call.
struct target {
  const def_decl* def = nullptr;
  std::vector<const fact*> facts;
  const fact* lambda = nullptr;
  std::size_t arity = 0;  // of the lambda
  // Its result is an action, and the instance runs it: so it needs no closure.
  bool runs = false;
  // It is code for the device: an instance of its own, and so is all that it calls.
  bool kernel = false;
};

struct instance {
  target what;
  core::function* made = nullptr;
};

class instance_table {
 public:
  // More than that many with types or templates: a def that calls itself with ever other ones.
  static constexpr std::size_t most = 20'000;

  instance_table(core::program& made, type_table& types, reporter& report)
      : made_(made), types_(types), report_(report) {}

  // Near O(facts). Error: reported, and any function.
  [[nodiscard]] const core::function* get(const target& what, span where);

  // Null if all have been taken.
  [[nodiscard]] const instance* next() noexcept {
    return taken_ < instances_.size() ? &instances_[taken_++] : nullptr;
  }

 private:
  using key = std::vector<std::uint64_t>;
  struct key_hash {
    std::size_t operator()(const key& k) const noexcept;
  };

  void append(key& to, const fact* one);
  [[nodiscard]] std::string name_of(const target& what);

  core::program& made_;
  type_table& types_;
  reporter& report_;
  std::deque<instance> instances_;
  std::unordered_map<key, const core::function*, key_hash> known_;
  std::size_t taken_ = 0;
  std::size_t special_ = 0;
};

}  // namespace cleave::lang
