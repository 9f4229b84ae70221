// emit_unit.hpp -- what the functions of one C++ file share while it is written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "lang/core.hpp"
#include "lang/emit_groups.hpp"
#include "lang/emit_names.hpp"
#include "lang/emit_types.hpp"
#include "lang/kernels.hpp"

namespace cleave::lang {

struct unit_writer {
  const type_writer& types;
  const function_groups& groups;
  const kernel_members& members;

  std::string constants{};         // of strings
  std::string closure_structs{};   // environments, and the declarations of their code
  std::string closure_code{};      // what they do
  std::string descriptor_lines{};  // of environments, behind those of cells
  std::size_t descriptor_count = 0;
  std::size_t labels = 0;    // C++ labels and temporaries have numbers of their own
  std::size_t closures = 0;  // so have environments

  // The name of a constant string. No identifier() ends in a letter.
  std::string text(const std::string& bytes) {
    const auto [found, is_new] =
        texts.try_emplace(bytes, "text_" + std::to_string(texts.size()) + "s");
    if (is_new) constants += "static constinit " + constant(bytes, found->second) + ";\n";
    return found->second;
  }
  [[nodiscard]] static std::string constant(const std::string& bytes, const std::string& name) {
    constexpr std::size_t longest_text = 1000;
    if (bytes.size() <= longest_text) return "text " + name + "{" + string_literal(bytes) + "}";
    const bool ascii = std::ranges::all_of(bytes, [](char c) { return (c & 0x80) == 0; });
    const std::string size = std::to_string(bytes.size());
    return "long_text<" + size + " + 1> " + name + "{{immortal_header(" +
           (ascii ? "buffer::ascii" : "0") + "), " + size + ", 0}, " + string_literal(bytes) + "}";
  }
  // Functions, types and variables with one name and number differ in the last letter.
  [[nodiscard]] static std::string name(const core::function& one) {
    return identifier(one.name, one.number) + "f";
  }
  [[nodiscard]] static std::string name(const core::variable& one) {
    return identifier(one.name, one.number);
  }
  [[nodiscard]] const std::string& type(const core::variable& one) const {
    return types.name(*one.of);
  }
  [[nodiscard]] bool plain(const core::type& type) const { return types.layout_of(type).plain; }

  std::map<std::string, std::string> texts{};
};

}  // namespace cleave::lang
