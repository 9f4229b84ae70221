// scope.hpp -- the names that are bound around a place, the innermost first.
//
//   scope locals;
//   const auto before = locals.mark();
//   locals.bind(parameter);
//   locals.find("x");          // the innermost binder of that name, or null
//   locals.find_since(before, "x");  // the same, if it was bound since
//   locals.back_to(before);    // forgets what was bound since
//
// All but mark() cost amortised O(1) for each name.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/tree.hpp"

namespace cleave::lang {

class scope {
 public:
  void bind(const binder& one) {
    if (one.ignored()) return;
    bound_[one.name].push_back({&one, order_.size()});
    order_.push_back(one.name);
  }
  [[nodiscard]] const binder* find(std::string_view name) const {
    const auto at = bound_.find(name);
    return at == bound_.end() || at->second.empty() ? nullptr : at->second.back().by;
  }
  [[nodiscard]] const binder* find_since(std::size_t mark, std::string_view name) const {
    const auto at = bound_.find(name);
    if (at == bound_.end() || at->second.empty() || at->second.back().at < mark) return nullptr;
    return at->second.back().by;
  }
  [[nodiscard]] std::size_t mark() const noexcept { return order_.size(); }
  void back_to(std::size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) bound_[order_.back()].pop_back();
  }
  [[nodiscard]] const std::vector<std::string_view>& names() const noexcept { return order_; }

 private:
  struct bound {
    const binder* by;
    std::size_t at;  // in the order
  };
  std::unordered_map<std::string_view, std::vector<bound>> bound_;
  std::vector<std::string_view> order_;
};

}  // namespace cleave::lang
