// resolve_live.cpp -- a search from main along the names in bodies.
#include "lang/resolve_live.hpp"

#include <utility>

namespace cleave::lang {
namespace {

// A hostile file may be wrong in a million places; nobody reads more than these.
constexpr std::size_t most_failures = 10'000;

}  // namespace

void live_code::enter(const def_decl& def) {
  current_ = &def;
  current_body_ = &bodies_[&def];
  current_body_->first_need = needs_.size();
}

void live_code::needs(const def_decl& other) {
  if (current_ == nullptr) return;
  needs_.push_back(&other);
  ++current_body_->need_count;
}

void live_code::fails(diagnostic why, whenever when) {
  if (current_ == nullptr || failures_.size() == most_failures) return;
  failures_.push_back({current_, std::move(why), when});
}

void live_code::reach(const def_decl& def) {
  const auto at = bodies_.find(&def);
  if (at == bodies_.end() || at->second.reached) return;
  at->second.reached = true;
  waiting_.push_back(&def);
}

void live_code::report(const source_program& all, diagnostics& found) {
  if (all.main != nullptr) {
    reach(*all.main);
  } else {
    for (const std::unique_ptr<module>& one : all.modules) {
      if (one->base) continue;
      for (const def_decl* def : one->tree.defs) reach(*def);
    }
  }
  while (!waiting_.empty()) {
    const body& from = bodies_.at(waiting_.back());
    waiting_.pop_back();
    for (std::size_t k = 0; k < from.need_count; ++k) reach(*needs_[from.first_need + k]);
  }
  for (failure& one : failures_) {
    const bool counts = one.when == whenever::it_runs || all.main != nullptr;
    if (counts && bodies_.at(one.in).reached) found.report(std::move(one.why));
  }
}

}  // namespace cleave::lang
