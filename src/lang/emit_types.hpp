// emit_types.hpp -- the C++ types of a program's types.
//
//   type_writer types(program, layouts);
//   types.name(list_of_u32)              // List_U32_7, an alias of box<struct List_U32_7_cell>
//   types.cell(list, 1)                  // Con_8, the struct of a cell
//   types.field(list_type, 1, 0)         // head_0
//   out += types.declarations();         // all of them, and their ops<>
//   out += types.cells();                // structs of cells, how they are given up
//
// Invariant: every type stands behind those that it mentions, so that ops<T> is
// specialised before anything needs it.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/core.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

class type_writer {
 public:
  // `device`: values go to a device and are used there.
  type_writer(const core::program& all, const layouts& shapes, bool device = false);

  [[nodiscard]] const std::string& name(const core::type& type) const { return names_.at(&type); }
  [[nodiscard]] const layout& layout_of(const core::type& type) const { return shapes_.of(type); }
  [[nodiscard]] const layouts& shapes() const { return shapes_; }
  // The struct of the cell, or, in a choice, of the fields of one constructor.
  [[nodiscard]] const std::string& cell(const core::data_type& data,
                                        std::size_t constructor) const {
    return cells_.at(&data)[constructor];
  }
  // The member that holds a field of a constructor.
  [[nodiscard]] std::string field(const core::type& type, std::size_t constructor,
                                  std::size_t field) const;
  // The number of the descriptor of a boxed constructor.
  [[nodiscard]] std::size_t descriptor(const core::data_type& data, std::size_t constructor) const {
    return descriptors_.at(&data)[constructor];
  }
  [[nodiscard]] std::size_t descriptor_count() const { return descriptor_count_; }

  [[nodiscard]] std::string declarations() const;
  [[nodiscard]] std::string cells() const;
  // The lines of the table of descriptors, in the order of their numbers.
  [[nodiscard]] std::string descriptor_lines() const;

 private:
  void declare(const core::type& type, std::string& out) const;
  void struct_fields(const core::type& type, std::size_t constructor, std::string& out) const;
  void write_ops(const core::type& type, std::string& out) const;

  const core::program& all_;
  const layouts& shapes_;
  bool device_;
  std::unordered_map<const core::type*, std::string> names_;
  std::unordered_map<const core::data_type*, std::vector<std::string>> cells_;
  std::unordered_map<const core::data_type*, std::vector<std::size_t>> descriptors_;
  std::size_t descriptor_count_ = 0;
};

}  // namespace cleave::lang
