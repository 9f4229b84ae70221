#include "lang/array_loops.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::type_kind;

// What is known of a value.
struct symbol {
  enum kind : std::uint8_t {
    unknown,
    number,  // a U32 or a Nat
    array,   // in the block of the array at a place
    parts,   // a record or a pair
  };
  kind is = unknown;
  linear sum{};
  loop_place place{};
  std::vector<symbol> inside{};
};

// An array that is read or written with an index that is known.
struct found_access {
  const core::operation* what;
  loop_place array;
  linear index;
};

// Functions of numbers that give a result for all arguments and have no effect.
constexpr std::array<std::string_view, 13> total = {
    "U32.add", "U32.sub", "U32.mul", "U32.div",  "U32.mod",  "U32.and",   "U32.or",
    "U32.xor", "U32.not", "U32.min", "U32.shln", "U32.shrn", "U32.to_nat"};

// Records in records are followed so far.
constexpr std::size_t deepest_place = 8;

bool takes_index(std::string_view native) {
  return native == "Array.get" || native == "Array.set" || native == "Array.swap";
}

linear constant(std::uint64_t value) {
  return {{}, static_cast<std::int64_t>(value)};
}

// Factors and constant of a U32.
linear wrapped(linear sum) {
  std::erase_if(sum.factors, [](const auto& one) { return one.second == 0; });
  sum.constant = static_cast<std::uint32_t>(sum.constant);
  return sum;
}

linear scaled(linear sum, std::uint32_t by) {
  for (auto& [term, factor] : sum.factors) factor *= by;
  sum.constant = static_cast<std::uint32_t>(sum.constant) * std::int64_t{by};
  return wrapped(std::move(sum));
}

linear added(linear a, const linear& b) {
  for (const auto& [term, factor] : b.factors) a.factors[term] += factor;
  a.constant += b.constant;
  return wrapped(std::move(a));
}

// One round of a loop.
class round_reader {
 public:
  round_reader(const core::function& loop, const layouts& shapes, array_loop& to)
      : loop_(loop), shapes_(shapes), to_(to) {
    for (const core::variable* one : loop.parameters) {
      known_[one] = at_start({one, {}, one->of});
    }
  }

  void read(const core::block& code, bool tail) {
    for (const core::step& one : code.steps) {
      if (one.target) read(*one.target->body, tail);
      if (one.kind == core::step_kind::let) {
        if (one.what.inner) read(*one.what.inner, false);
        symbol made = result(one.what, one.name != nullptr ? one.name->of : nullptr);
        if (one.name != nullptr && made.is != symbol::unknown) known_[one.name] = std::move(made);
      }
    }
    const core::ending& end = code.end;
    if (end.kind == ending_kind::tail_call && end.callee == &loop_ && tail) {
      std::vector<symbol>& next = rounds_.emplace_back();
      for (const core::atom& one : end.arguments) next.push_back(of(one));
    }
    if (end.cases) {
      for (const core::arm& arm : end.cases->arms) {
        take(*end.cases, arm);
        read(*arm.body, tail);
      }
      if (end.cases->otherwise) read(*end.cases->otherwise, tail);
    }
  }

  // By how much a number at a place changes in each round; nothing if that varies.
  std::optional<std::int64_t> step_of(const loop_place& place) const {
    std::optional<std::int64_t> step;
    const linear before = number_at(place);
    for (const std::vector<symbol>& next : rounds_) {
      const symbol* const after = at(next, place);
      if (after == nullptr || after->is != symbol::number) return std::nullopt;
      if (after->sum.factors != before.factors) return std::nullopt;
      std::int64_t change = after->sum.constant;
      if (place.of->kind == type_kind::u32) {
        change = static_cast<std::int32_t>(static_cast<std::uint32_t>(change));
      }
      if (step && *step != change) return std::nullopt;
      step = change;
    }
    // Fields of a record change with the record.
    if (step && *step != 0 && !place.fields.empty()) return std::nullopt;
    if (step && (*step > largest_step || *step < -largest_step)) return std::nullopt;
    return step;
  }

  std::optional<std::int64_t> step_of(const linear& sum) const {
    std::int64_t step = 0;
    for (const auto& [number, factor] : sum.factors) {
      const std::optional<std::int64_t> one = step_of_term(to_.terms[number]);
      if (!one) return std::nullopt;
      step += *one * static_cast<std::int32_t>(factor);
    }
    if (step > largest_step || step < -largest_step) return std::nullopt;
    return step;
  }

  bool stays(const loop_place& array) const {
    return std::all_of(rounds_.begin(), rounds_.end(), [&](const std::vector<symbol>& next) {
      const symbol* const after = at(next, array);
      return after != nullptr && after->is == symbol::array && after->place == array;
    });
  }

  const std::vector<found_access>& accesses() const { return accesses_; }
  const std::set<loop_place>& written() const { return written_; }
  const std::vector<std::pair<const core::operation*, linear>>& numbers() const { return numbers_; }
  bool repeats() const { return !rounds_.empty(); }
  // How many reads and writes by an index there are, known or not.
  std::size_t indexed() const { return indexed_; }

 private:
  std::optional<std::int64_t> step_of_term(const loop_term& term) const {
    if (term.native == nullptr) return step_of(term.place);
    for (const linear& one : term.arguments) {
      if (step_of(one) != std::int64_t{0}) return std::nullopt;
    }
    return 0;
  }

  std::size_t term(loop_term one) {
    const auto [at, is_new] = numbers_of_terms_.try_emplace(one, to_.terms.size());
    if (is_new) to_.terms.push_back(std::move(one));
    return at->second;
  }

  // A value that nothing has happened to yet.
  symbol at_start(const loop_place& place) {
    switch (place.of->kind) {
      case type_kind::u32:
      case type_kind::nat: return {symbol::number, {{{term({place, nullptr, {}}), 1}}, 0}};
      case type_kind::array: return {symbol::array, {}, place};
      case type_kind::data: break;
      default: return {};
    }
    if (!has_parts(*place.of) || place.fields.size() >= deepest_place) return {};
    symbol made{symbol::parts};
    const std::vector<const core::type*>& fields = place.of->data->constructors[0].fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      loop_place inner = place;
      inner.fields.push_back(k);
      inner.of = fields[k];
      made.inside.push_back(at_start(inner));
    }
    return made;
  }
  linear number_at(const loop_place& place) const {
    const auto found = numbers_of_terms_.find({place, nullptr, {}});
    return found != numbers_of_terms_.end() ? linear{{{found->second, 1}}, 0} : linear{};
  }

  bool has_parts(const core::type& type) const {
    const form found = shapes_.of(type).form;
    return found == form::record || found == form::pair;
  }

  // What the next round finds at a place; null if unknown.
  const symbol* at(const std::vector<symbol>& next, const loop_place& place) const {
    const auto parameter =
        std::find(loop_.parameters.begin(), loop_.parameters.end(), place.parameter);
    const symbol* found = &next[static_cast<std::size_t>(parameter - loop_.parameters.begin())];
    for (const std::size_t field : place.fields) {
      if (found->is != symbol::parts) return nullptr;
      found = &found->inside[field];
    }
    return found;
  }

  symbol of(const core::atom& one) const {
    if (one.name == nullptr) {
      if (one.of->kind != type_kind::u32 && one.of->kind != type_kind::nat) return {};
      return {symbol::number, constant(one.number)};
    }
    const auto found = known_.find(one.name);
    return found != known_.end() ? found->second : symbol{};
  }

  // What an arm of a match takes out of the subject.
  void take(const core::branching& cases, const core::arm& arm) {
    const symbol subject = of(cases.subject);
    if (cases.test == core::test_kind::at_least) {
      if (subject.is != symbol::number || arm.fields.empty() || arm.fields[0] == nullptr) return;
      symbol rest = subject;
      rest.sum.constant -= static_cast<std::int64_t>(arm.value);
      known_[arm.fields[0]] = std::move(rest);
    } else if (cases.test == core::test_kind::constructors && subject.is == symbol::parts) {
      for (std::size_t k = 0; k < arm.fields.size(); ++k) {
        if (arm.fields[k] != nullptr) known_[arm.fields[k]] = subject.inside[k];
      }
    }
  }

  symbol result(const core::operation& what, const core::type* type) {
    switch (what.kind) {
      case operation_kind::copy: {
        symbol from = of(what.arguments[0]);
        const bool same = type != nullptr && what.arguments[0].of->kind == type->kind;
        // A copy of an array, or of what holds one, is in another block.
        return same && from.is == symbol::number ? from : symbol{};
      }
      case operation_kind::construct: {
        if (type == nullptr || type->kind != type_kind::data || !has_parts(*type)) return {};
        symbol made{symbol::parts};
        for (const core::atom& one : what.arguments) made.inside.push_back(of(one));
        return made;
      }
      case operation_kind::native:
      case operation_kind::look:
        indexed_ += takes_index(what.native->name) ? 1 : 0;
        return of_native(what, what.native->name);
      default: return {};
    }
  }

  symbol of_native(const core::operation& what, std::string_view name) {
    if (name.starts_with("Array.")) return of_array(what, name.substr(6));
    if (name == "U32.from_nat") {
      const symbol from = of(what.arguments[0]);
      return from.is == symbol::number ? number(what, wrapped(from.sum)) : symbol{};
    }
    if (name == "Nat.add") return nat_sum(of(what.arguments[0]), of(what.arguments[1]));
    if (std::find(total.begin(), total.end(), name) == total.end()) return {};
    std::vector<linear> sums;
    for (const core::atom& one : what.arguments) {
      symbol argument = of(one);
      if (argument.is != symbol::number) return {};
      // A Nat counts as a whole here.
      const bool is_sum = argument.sum.constant != 0 || argument.sum.factors.size() != 1;
      if (one.of->kind == type_kind::nat && is_sum && !argument.sum.factors.empty()) return {};
      sums.push_back(std::move(argument.sum));
    }
    if (name == "U32.add") return number(what, added(sums[0], sums[1]));
    if (name == "U32.sub") return number(what, added(sums[0], scaled(sums[1], UINT32_MAX)));
    if (name == "U32.mul") {
      for (const std::size_t k : {0U, 1U}) {
        if (!sums[k].factors.empty()) continue;
        return number(what, scaled(sums[1 - k], static_cast<std::uint32_t>(sums[k].constant)));
      }
    }
    if (name == "U32.shln" && sums[1].factors.empty()) {
      const std::uint64_t by = static_cast<std::uint64_t>(sums[1].constant);
      return number(what, by < 32 ? scaled(sums[0], std::uint32_t{1} << by) : linear{});
    }
    linear made;
    made.factors[term({{}, what.native, std::move(sums)})] = 1;
    return {symbol::number, std::move(made)};
  }

  symbol number(const core::operation& what, linear sum) {
    numbers_.emplace_back(&what, sum);
    return {symbol::number, std::move(sum)};
  }

  // A Nat that is past the limit stops the program, so sums are exact.
  static symbol nat_sum(symbol a, symbol b) {
    if (a.is != symbol::number || b.is != symbol::number) return {};
    if (a.sum.factors.empty()) std::swap(a, b);
    if (!b.sum.factors.empty() || b.sum.constant > std::numeric_limits<std::int32_t>::max()) {
      return {};
    }
    a.sum.constant += b.sum.constant;
    return a;
  }

  symbol of_array(const core::operation& what, std::string_view name) {
    symbol array = of(what.arguments[0]);
    if (array.is != symbol::array) return {};
    if (takes_index(what.native->name)) {
      const symbol index = of(what.arguments[1]);
      if (index.is == symbol::number) accesses_.push_back({&what, array.place, index.sum});
    }
    if (name != "get" && name != "size" && name != "clone") written_.insert(array.place);
    if (what.kind == operation_kind::look) return {};
    if (name == "set" || name == "join") return array;
    if (name == "fork") return {symbol::parts, {}, {}, {array, array}};
    if (name == "get" || name == "swap" || name == "size" || name == "clone" ||
        name.starts_with("atomic.")) {
      return {symbol::parts, {}, {}, {array, {}}};
    }
    return {};
  }

  const core::function& loop_;
  const layouts& shapes_;
  array_loop& to_;
  std::unordered_map<const core::variable*, symbol> known_;
  std::map<loop_term, std::size_t> numbers_of_terms_;
  std::vector<std::vector<symbol>> rounds_;  // what each tail call hands to the next one
  std::vector<found_access> accesses_;
  std::vector<std::pair<const core::operation*, linear>> numbers_;
  std::set<loop_place> written_;
  std::size_t indexed_ = 0;
};

// Puts accesses to slots. Those of an array that is written share theirs if they are at
// constant distances, so that the distances are known to the C++ compiler. Those of an array
// that is only read have their own, which may wrap at another round each.
class slots_finder {
 public:
  slots_finder(const round_reader& read, array_loop& to) : read_(read), to_(to) {}

  void add(const found_access& access, std::int32_t step) {
    const std::uint32_t at = static_cast<std::uint32_t>(access.index.constant);
    for (std::size_t k = 0; k < to_.slots.size(); ++k) {
      loop_slots& slots = to_.slots[k];
      if (slots.array != access.array || slots.first.factors != access.index.factors) continue;
      const std::uint32_t first = static_cast<std::uint32_t>(slots.first.constant);
      if (at != first && !read_.written().contains(access.array)) continue;
      if (at - first <= largest_width) {
        slots.width = std::max(slots.width, at - first);
        to_.accesses[access.what] = {k, at - first};
        return;
      }
      if (first - at <= largest_width - slots.width) {
        move_down(k, first - at);
        slots.first = wrapped(access.index);
        to_.accesses[access.what] = {k, 0};
        return;
      }
    }
    to_.accesses[access.what] = {to_.slots.size(), 0};
    to_.slots.push_back({access.array, wrapped(access.index), 0, step});
  }

 private:
  void move_down(std::size_t slots, std::uint32_t by) {
    to_.slots[slots].width += by;
    for (auto& [what, access] : to_.accesses) {
      if (access.slots == slots) access.offset += by;
    }
  }

  const round_reader& read_;
  array_loop& to_;
};

}  // namespace

array_loop::array_loop(const core::function& one, const layouts& shapes) {
  round_reader read(one, shapes, *this);
  read.read(one.body, true);
  if (!read.repeats()) return;

  bool counted = false;
  for (const core::variable* parameter : one.parameters) {
    const type_kind kind = parameter->of->kind;
    if (kind != type_kind::u32 && kind != type_kind::nat) continue;
    const std::optional<std::int64_t> step = read.step_of({parameter, {}, parameter->of});
    if (!step || *step == 0) continue;
    steps.push_back({parameter, *step});
    counted = counted || (kind == type_kind::nat && *step < 0);
  }
  if (!counted) return;

  slots_finder find(read, *this);
  for (const found_access& access : read.accesses()) {
    const std::optional<std::int64_t> step = read.step_of(access.index);
    if (!step || !read.stays(access.array)) continue;
    find.add(access, static_cast<std::int32_t>(*step));
  }
  for (const auto& [what, sum] : read.numbers()) {
    const std::optional<std::int64_t> step = read.step_of(sum);
    if (step && *step != 0) numbers[what] = {sum, static_cast<std::int32_t>(*step)};
  }
  found_ = accesses.size() == read.indexed() &&
           std::any_of(slots.begin(), slots.end(), [](const loop_slots& s) { return s.step != 0; });
}

}  // namespace cleave::lang
