#include "lang/unroll.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/components.hpp"
#include "lang/unroll_copy.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;

using atoms = std::vector<core::atom>;

// Which functions can only come back to themselves by a tail call of their own.
class tail_calls {
 public:
  explicit tail_calls(const core::program& all) : circles_(calls_of(all)) {}

  [[nodiscard]] bool alone(const core::function& one) const {
    return circles_.all()[circles_.of(one.number)].size() == 1;
  }

 private:
  static graph calls_of(const core::program& all) {
    graph calls(all.functions.size());
    for (const core::function& one : all.functions) {
      walk(one.body, place::tail, [&](const core::block& code, place where) {
        if (where == place::tail && code.end.callee != nullptr) {
          calls[one.number].push_back(code.end.callee->number);
        }
      });
    }
    return calls;
  }

  components circles_;
};

// What a function does with the halves of its parameters.
class survey {
 public:
  explicit survey(const core::function& of) : of_(of) {
    find_halves();
    find_calls();
  }

  // The parameters of which calls take halves.
  [[nodiscard]] const std::vector<std::size_t>& parameters() const { return parameters_; }
  // How many calls take halves of all of them.
  [[nodiscard]] std::size_t calls() const { return calls_; }
  // Every tail call to the function itself is one of those.
  [[nodiscard]] bool descends() const { return descends_; }
  // It has a parallel let.
  [[nodiscard]] bool forks() const { return forks_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void find_halves() {
    walk(of_.body, place::tail, [&](const core::block& code, place where) {
      size_ += code.steps.size() + 1;
      if (where == place::closure || !code.end.cases) return;
      const core::branching& cases = *code.end.cases;
      if (cases.subject.name == nullptr || cases.subject.of->kind != core::type_kind::array) return;
      for (const core::arm& arm : cases.arms) {
        for (const core::variable* field : arm.fields) {
          if (arm.constructor == 1 && field != nullptr) whole_[field] = cases.subject.name;
        }
      }
    });
  }

  void find_calls() {
    struct call {
      const atoms& arguments;
      bool tail;
    };
    std::vector<call> all;
    walk(of_.body, place::tail, [&](const core::block& code, place where) {
      for (const core::step& one : code.steps) {
        if (one.what.callee == &of_) all.push_back({one.what.arguments, false});
        if (one.kind == core::step_kind::parallel) forks_ = true;
      }
      if (code.end.callee == &of_) all.push_back({code.end.arguments, where == place::tail});
    });
    for (std::size_t k = 0; k < of_.parameters.size(); ++k) {
      if (std::any_of(all.begin(), all.end(),
                      [&](const call& c) { return halves(c.arguments, k); }))
        parameters_.push_back(k);
    }
    if (parameters_.empty()) return;
    for (const call& one : all) {
      const bool all_halves = std::all_of(parameters_.begin(), parameters_.end(),
                                          [&](std::size_t k) { return halves(one.arguments, k); });
      if (all_halves) ++calls_;
      if (one.tail && !all_halves) descends_ = false;
    }
  }

  [[nodiscard]] bool halves(const atoms& arguments, std::size_t k) const {
    const auto found = whole_.find(arguments[k].name);
    return found != whole_.end() && found->second == of_.parameters[k];
  }

  const core::function& of_;
  std::unordered_map<const core::variable*, const core::variable*> whole_;
  std::vector<std::size_t> parameters_;
  std::size_t calls_ = 0;
  std::size_t size_ = 0;
  bool descends_ = true;
  bool forks_ = false;
};

// The most levels for which all copies fit into the room.
std::size_t levels_for(const survey& found, const unrolling& how) {
  std::size_t copies = 1;
  std::size_t level = 0;
  while (level < how.levels && (copies * found.calls() + 1) * found.size() <= how.room) {
    copies = copies * found.calls() + 1;
    ++level;
  }
  return level;
}

std::unique_ptr<core::block> call_of(const core::function& callee,
                                     const std::vector<core::variable*>& parameters) {
  auto made = std::make_unique<core::block>();
  made->end.kind = ending_kind::tail_call;
  made->end.callee = &callee;
  for (core::variable* one : parameters) made->end.arguments.push_back({one, one->of, 0});
  return made;
}

// The function begins with a test of each of the parameters.
void enter(core::program& all, core::function& of, const survey& found, std::size_t depth,
           const core::function& copy) {
  core::step general;
  general.kind = core::step_kind::define;
  general.target = std::make_unique<core::label>();
  general.target->number = all.labels++;
  general.target->body = std::make_unique<core::block>(std::move(of.body));
  const core::label* const target = general.target.get();

  std::unique_ptr<core::block> code = call_of(copy, of.parameters);
  const std::vector<std::size_t>& parameters = found.parameters();
  for (auto k = parameters.rbegin(); k != parameters.rend(); ++k) {
    auto test = std::make_unique<core::block>();
    test->end.kind = ending_kind::branch;
    test->end.cases = std::make_unique<core::branching>();
    core::branching& cases = *test->end.cases;
    cases.test = core::test_kind::small_array;
    cases.in_order = found.forks();
    cases.subject = {of.parameters[*k], of.parameters[*k]->of, 0};
    core::arm& arm = cases.arms.emplace_back();
    arm.value = depth;
    arm.body = std::move(code);
    cases.otherwise = std::make_unique<core::block>();
    cases.otherwise->end.kind = ending_kind::jump;
    cases.otherwise->end.target = target;
    code = std::move(test);
  }
  code->steps.push_back(std::move(general));
  of.body = std::move(*code);
}

}  // namespace

void unroll(core::program& all, const unrolling& how) {
  const tail_calls known(all);
  const std::size_t count = all.functions.size();
  for (std::size_t k = 0; k < count; ++k) {
    core::function& one = all.functions[k];
    // Code for a device is small.
    if (one.kernel || one.launches) continue;
    const survey found(one);
    if (found.calls() < how.least_calls || !found.descends() || !known.alone(one)) continue;
    const std::size_t levels = levels_for(found, how);
    if (levels == 0) continue;
    std::vector<const core::function*> copies;
    for (std::size_t depth = 0; depth <= levels; ++depth) {
      copies.push_back(&unrolled_copy(all, one, found.parameters(), copies));
    }
    enter(all, one, found, levels, *copies.back());
  }
}

}  // namespace cleave::lang
