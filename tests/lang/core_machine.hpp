// core_machine.hpp -- runs core programs by their meaning, and watches the owners.
//
//   core_machine plain(program, counting::off);      // before own(): values are immutable
//   plain.run() == "[1, 2]"
//   core_machine counted(program, counting::on);     // after own()
//   counted.run() == "[1, 2]"
//   counted.live() == 0 && counted.rebuilt() == 2    // cells built in the memory of others
//
// With counting, every value with a count is a cell whose owners are counted exactly as the
// steps of the program say; a use of a dead cell, a token used twice or of the wrong size
// throws.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

enum class counting : bool { off, on };

// The program ran into a stop.
struct stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// It broke a rule of ownership, or did not end.
struct broken : std::logic_error {
  using std::logic_error::logic_error;
};

class core_machine {
 public:
  core_machine(const core::program& all, counting how);

  // The value of main as text; with counting it has been dropped.
  std::string run();

  [[nodiscard]] std::size_t live() const { return live_ + tokens_.size(); }
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t rebuilt() const { return rebuilt_; }
  // Steps that kept a value.
  [[nodiscard]] std::size_t kept() const { return kept_; }

 private:
  struct cell;
  struct value {
    const core::type* of = nullptr;
    std::uint64_t number = 0;
    cell* at = nullptr;
  };
  struct cell {
    std::uint64_t constructor = 0;
    std::vector<value> fields;
    std::string text;
    const core::closure* code = nullptr;
    std::size_t owners = 1;
  };
  using environment = std::unordered_map<const core::variable*, value>;
  // How a block ended.
  struct outcome {
    enum kind : std::uint8_t { gave, jumped, goes_on } how = gave;
    value result;
    const core::label* target = nullptr;
    std::vector<value> arguments;
  };

  outcome run(const core::block& code, environment& here);
  outcome end(const core::ending& one, environment& here);
  outcome branch(const core::branching& cases, environment& here);
  void step(const core::step& one, environment& here);
  value slot(value array, std::uint64_t index);
  value operate(const core::operation& what, const core::variable* name, environment& here);
  value call(const core::function& callee, std::vector<value> arguments);
  outcome enter(value closure, const value* argument);
  value apply(value closure, value argument);
  value act(value action);
  value get(const core::atom& one, environment& here) const;
  std::vector<value> get(const std::vector<core::atom>& all, environment& here) const;
  value construct(const core::type* type, std::uint64_t constructor, std::vector<value> fields);
  void bind_fields(const core::branching& cases, const core::arm& one, value subject,
                   environment& here);
  void keep(value one);
  void drop(value one);
  value copy(value one);
  void check_alive(value one) const;
  void take_token(const core::operation& what, const core::variable* name, environment& here);
  void tick() const;
  [[nodiscard]] bool counted(const core::type& of) const { return !core::is_plain(of); }
  [[nodiscard]] std::string show(value one) const;
  [[nodiscard]] std::string show_slots(value one) const;

  const core::program& all_;
  bool counting_;
  layouts shapes_;
  std::deque<cell> cells_;
  std::map<std::uint64_t, std::size_t> tokens_;  // and how large their memory is
  std::uint64_t next_token_ = 1;
  std::size_t live_ = 0;
  std::size_t made_ = 0;
  std::size_t rebuilt_ = 0;
  std::size_t kept_ = 0;
  mutable std::size_t ticks_ = 0;
};

}  // namespace cleave::lang
