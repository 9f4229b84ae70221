// core_check_owners.cpp -- that each value has an end on every path, and only one.
//
// A block *needs* a number of owners of each variable from outside: how many it consumes,
// less those it makes by keep. It is counted from the end backwards, so that the need at
// a step is what the code behind it needs; and it is the same on all paths.
#include <map>
#include <string>
#include <unordered_map>

#include "lang/core_check.hpp"
#include "lang/uses.hpp"

namespace cleave::lang::core {
namespace {

struct need {
  std::map<const variable*, int> of;
  bool never = false;  // all paths stop: then any need is right
};

class checker {
 public:
  std::string run(const program& all) {
    for (const function& one : all.functions) {
      now_ = &one;
      need inside = need_of(one.body, {});
      for (const variable* parameter : one.parameters) bind(inside, parameter);
      expect_none(inside);
      if (!wrong_.empty()) return wrong_;
    }
    return {};
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = now_->name + ": " + what;
  }
  static std::string name(const variable* of) {
    return "'" + of->name + "' (" + std::to_string(of->number) + ")";
  }
  static bool is_counted(const variable* one) { return one->token || !is_plain(*one->of); }

  void consume(need& after, const variable* one) {
    if (one != nullptr && is_counted(one)) ++after.of[one];
  }
  void consume(need& after, const atom& one) { consume(after, one.name); }

  // A use that does not consume: somebody must do that later.
  void read(const need& after, const atom& one) {
    if (one.name == nullptr || !is_counted(one.name) || one.name->borrowed || after.never) return;
    const auto at = after.of.find(one.name);
    if (at == after.of.end() || at->second < 1) fail("C3: " + name(one.name) + " is read too late");
  }

  // Here the variable begins.
  void bind(need& after, const variable* one) {
    if (one == nullptr || !is_counted(one)) return;
    const auto at = after.of.find(one);
    const int count = at == after.of.end() ? 0 : at->second;
    const int owners = one->borrowed ? 0 : 1;
    if (count != owners && !after.never) {
      fail((one->token ? "C4: " : "C3: ") + name(one) + " has " + std::to_string(owners) +
           " owners and is consumed " + std::to_string(count) + " times");
    }
    if (at != after.of.end()) after.of.erase(at);
  }

  void expect_none(const need& after) {
    for (const auto& [one, count] : after.of) {
      if (count != 0 && !after.never) fail("C3: " + name(one) + " comes from nowhere");
    }
  }

  // Values that are computed at the same time: what one consumes, no other may read.
  void add_all(need& after, const std::vector<branch_value>& values) {
    const need behind = after;
    for (const branch_value& value : values) {
      for (const auto& [one, count] : need_of(*value.value, behind).of) {
        const auto at = behind.of.find(one);
        after.of[one] += count - (at == behind.of.end() ? 0 : at->second);
      }
    }
  }

  // The need of two paths.
  void meet(need& all, need&& one) {
    if (one.never) return;
    if (all.never) {
      all = std::move(one);
      return;
    }
    for (const auto& [at, count] : one.of) check_same(at, count, all);
    for (const auto& [at, count] : all.of) check_same(at, count, one);
  }
  void check_same(const variable* one, int count, const need& other) {
    const auto at = other.of.find(one);
    if ((at == other.of.end() ? 0 : at->second) != count) {
      fail("C3: " + name(one) + " is consumed on one path and not on another");
    }
  }

  // `behind` is what the code needs that goes on with the block's value.
  need need_of(const block& of, const need& behind) {
    // Labels come before the jumps to them.
    for (const step& one : of.steps) {
      if (one.kind != step_kind::define) continue;
      need inside = need_of(*one.target->body, behind);
      for (const variable* parameter : one.target->parameters) bind(inside, parameter);
      labels_[one.target.get()] = std::move(inside);
    }
    need after = need_of(of.end, behind);
    for (auto step = of.steps.rbegin(); step != of.steps.rend(); ++step) before(after, *step);
    return after;
  }

  need need_of(const ending& of, const need& behind) {
    need after = behind;
    switch (of.kind) {
      case ending_kind::give:
      case ending_kind::tail_run: consume(after, of.value); break;
      case ending_kind::tail_call:
        for (std::size_t k = 0; k < of.arguments.size(); ++k) {
          if (of.callee != nullptr && of.callee->parameters[k]->borrowed) {
            // The callee's frame takes the place of this one.
            const variable* const one = of.arguments[k].name;
            if (one != nullptr && is_counted(one) && !one->borrowed) {
              fail("C3: a tail call borrows " + name(one));
            }
          } else {
            consume(after, of.arguments[k]);
          }
        }
        break;
      case ending_kind::branch: return need_of(*of.cases, behind);
      case ending_kind::jump:
        after = labels_[of.target];
        for (std::size_t k = 0; k < of.arguments.size(); ++k) {
          if (of.target->parameters[k]->borrowed) read(after, of.arguments[k]);
        }
        for (std::size_t k = 0; k < of.arguments.size(); ++k) {
          if (!of.target->parameters[k]->borrowed) consume(after, of.arguments[k]);
        }
        break;
      case ending_kind::stop: after.never = true; break;
    }
    return after;
  }

  need need_of(const branching& of, const need& behind) {
    need all;
    all.never = true;
    for (const arm& one : of.arms) {
      need inside = need_of(*one.body, behind);
      for (const variable* field : one.fields) bind(inside, field);
      bind(inside, one.token);
      meet(all, std::move(inside));
    }
    if (of.otherwise != nullptr) meet(all, need_of(*of.otherwise, behind));
    if (of.consumes) {
      consume(all, of.subject);
    } else {
      read(all, of.subject);
    }
    return all;
  }

  void before(need& after, const step& of) {
    switch (of.kind) {
      case step_kind::let:
        bind(after, of.name);
        before(after, of.what);
        break;
      case step_kind::parallel:
        for (const branch_value& one : of.values) bind(after, one.name);
        add_all(after, of.values);
        break;
      case step_kind::define: break;
      case step_kind::keep:
        if (!is_counted(of.name)) break;
        if (--after.of[of.name] < 1 && !of.name->borrowed && !after.never) {
          fail("C3: " + name(of.name) + " is kept when it has no owner");
        }
        break;
      case step_kind::drop:
      case step_kind::free_token: consume(after, of.name); break;
    }
  }

  void before(need& after, const operation& of) {
    if (of.kind == operation_kind::nested) {
      after = need_of(*of.inner, after);
      return;
    }
    // What is read is there behind the operation too.
    for (std::size_t k = 0; k < of.arguments.size(); ++k) {
      if (reads_argument(of, k)) read(after, of.arguments[k]);
    }
    for (std::size_t k = 0; k < of.arguments.size(); ++k) {
      if (!reads_argument(of, k)) consume(after, of.arguments[k]);
    }
    consume(after, of.reuse);
    if (of.made == nullptr) return;
    for (const variable* one : of.made->captures) consume(after, one);
    need inside = need_of(of.made->body, {});
    for (const variable* one : of.made->inside) bind(inside, one);
    bind(inside, of.made->parameter);
    expect_none(inside);
  }

  const function* now_ = nullptr;
  std::string wrong_;
  std::unordered_map<const label*, need> labels_;
};

}  // namespace

std::string check_owners(const program& all) {
  return checker().run(all);
}

}  // namespace cleave::lang::core
