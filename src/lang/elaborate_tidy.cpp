// elaborate_tidy.cpp -- one walk marks what is used, a second takes the other names away.
#include "lang/elaborate_tidy.hpp"

#include <vector>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

class usage {
 public:
  explicit usage(const core::program& all) : used_(all.variables.size()) {}

  void mark(const core::block& of) {
    for (const core::step& one : of.steps) {
      mark(one.what.arguments);
      if (one.what.made == nullptr) continue;
      for (const core::variable* captured : one.what.made->captures) mark(captured);
    }
    mark(of.end.value.name);
    mark(of.end.arguments);
    if (of.end.cases != nullptr) mark(of.end.cases->subject.name);
  }

  void drop(core::block& of) const {
    give_types(of);
    for (core::step& one : of.steps) {
      const bool plain =
          one.kind == core::step_kind::let && one.name != nullptr && core::is_plain(*one.name->of);
      if (plain && !is_used(one.name)) one.name = nullptr;
    }
    if (of.end.cases == nullptr) return;
    for (core::arm& arm : of.end.cases->arms) {
      for (core::variable*& field : arm.fields) {
        if (!is_used(field)) field = nullptr;
      }
    }
  }

 private:
  void mark(const core::variable* one) {
    if (one != nullptr) used_[one->number] = true;
  }
  void mark(const std::vector<core::atom>& all) {
    for (const core::atom& one : all) mark(one.name);
  }
  static void give_type(core::atom& one) {
    if (one.name != nullptr) one.of = one.name->of;
  }
  static void give_types(core::block& of) {
    for (core::step& one : of.steps) {
      for (core::atom& argument : one.what.arguments) give_type(argument);
    }
    give_type(of.end.value);
    for (core::atom& argument : of.end.arguments) give_type(argument);
    if (of.end.cases != nullptr) give_type(of.end.cases->subject);
  }

  [[nodiscard]] bool is_used(const core::variable* one) const { return used_[one->number]; }

  std::vector<bool> used_;
};

}  // namespace

void tidy(core::program& all) {
  usage uses(all);
  for (const core::function& one : all.functions) {
    walk(one.body, place::tail, [&](const core::block& block, place) { uses.mark(block); });
  }
  for (core::function& one : all.functions) {
    walk(one.body, place::tail, [&](core::block& block, place) { uses.drop(block); });
  }
}

}  // namespace cleave::lang
