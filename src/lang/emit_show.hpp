// emit_show.hpp -- printing the value of a main that is not an action (section 8.2 of the
// language).
//
//   show_writer shows(types);
//   out += shows.define(*main.result);       // functions show0, show1, ...
//   shows.call(*main.result, "v")            // show3(to, v);
#pragma once

#include <string>
#include <unordered_map>

#include "lang/emit_types.hpp"

namespace cleave::lang {

class show_writer {
 public:
  explicit show_writer(const type_writer& types) : types_(types) {}

  // What it takes to show values of the type and of all in it.
  [[nodiscard]] std::string define(const core::type& type);
  [[nodiscard]] std::string call(const core::type& type, const std::string& value) const;

 private:
  void find(const core::type& type);
  [[nodiscard]] std::string body(const core::type& type) const;
  [[nodiscard]] std::string list_body(const core::type& type) const;
  [[nodiscard]] std::string constructor(const core::type& type, std::size_t number) const;

  const type_writer& types_;
  std::unordered_map<const core::type*, std::size_t> numbers_;
  std::vector<const core::type*> found_;
};

}  // namespace cleave::lang
