// elaborate_instances.cpp -- keys and names of instances.
#include "lang/elaborate_instances.hpp"

#include <algorithm>
#include <utility>

namespace cleave::lang {
namespace {

std::uint64_t address(const void* of) {
  return reinterpret_cast<std::uintptr_t>(of);
}

constexpr std::size_t longest_name = 300;

}  // namespace

std::size_t instance_table::key_hash::operator()(const key& k) const noexcept {
  std::uint64_t hash = k.size();
  for (const std::uint64_t word : k) hash = (hash ^ (hash >> 31) ^ word) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

// Facts of one kind have keys of one length, or tell their length, so that no two lists of
// facts have one key.
void instance_table::append(key& to, const fact* one) {
  to.push_back(one == nullptr ? ~std::uint64_t{0} : static_cast<std::uint64_t>(one->kind));
  if (one == nullptr) return;
  switch (one->kind) {
    case fact_kind::nothing:
    case fact_kind::quantity:
    case fact_kind::sort: return;
    case fact_kind::type: to.push_back(address(types_.close(one->type))); return;
    case fact_kind::family: to.push_back(address(one->family)); return;
    case fact_kind::number: to.push_back(one->number); return;
    case fact_kind::lambda:
      to.push_back(address(one->lambda));
      to.push_back(address(one->inside));
      return;
    case fact_kind::made: to.push_back(address(one->constructor)); break;
    case fact_kind::def: to.push_back(address(one->def)); break;
  }
  to.push_back(one->parts.size());
  for (const fact* part : one->parts) append(to, part);
}

const core::function* instance_table::get(const target& what, span where) {
  key k{address(what.def), (what.runs ? 1U : 0U) + (what.kernel ? 2U : 0U)};
  bool special = what.lambda != nullptr;
  for (const fact* one : what.facts) {
    append(k, one);
    special = special || (one != nullptr && one->kind != fact_kind::quantity);
  }
  if (what.lambda != nullptr) {
    append(k, what.lambda);
    k.push_back(address(types_.close(what.lambda->type)));
    k.push_back(what.arity);
  }
  const auto [at, fresh] = known_.emplace(std::move(k), nullptr);
  if (!fresh) return at->second;
  if (special && ++special_ > most) {
    if (special_ == most + 1) {
      report_.message(where, "this needs more than " + std::to_string(most) +
                                 " instances of defs: does a def call itself with ever larger "
                                 "types or templates?");
    }
    at->second = instances_.front().made;
    return at->second;
  }
  core::function& made = made_.functions.emplace_back();
  at->second = &made;
  made.name = name_of(what);
  made.number = made_.functions.size() - 1;
  made.kernel = what.kernel;
  made.source = what.lambda != nullptr ? what.lambda->def : what.def;
  instances_.push_back({what, &made});
  return &made;
}

std::string instance_table::name_of(const target& what) {
  if (what.def == nullptr) return "lambda";
  std::string name(what.def->name);
  if (what.runs) name += ".run";
  std::string arguments;
  for (const fact* one : what.facts) {
    if (one == nullptr || name.size() + arguments.size() > longest_name) continue;
    const bool number = one->kind == fact_kind::number;
    if (!number && one->kind != fact_kind::type) continue;
    arguments += arguments.empty() ? "<" : ", ";
    arguments += number ? std::to_string(one->number) + "n" : to_text(one->type);
  }
  return name + arguments + (arguments.empty() ? "" : ">");
}

}  // namespace cleave::lang
