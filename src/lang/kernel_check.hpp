// kernel_check.hpp -- whether a kernel can be made of a function, or what is in the way.
//
// A kernel has numbers, data without pointers, and arrays of such. It has no strings, no cells,
// no function values and no effects, and does not count owners: its arrays have one.
//
//   kernel_check check(program);
//   check.reason_against(f)       // "List.map<U32> makes List<U32>, which is made of cells"
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "lang/core.hpp"
#include "lang/kernels.hpp"
#include "lang/layout.hpp"

namespace cleave::lang {

class kernel_check {
 public:
  explicit kernel_check(const core::program& all) : shapes_(all) {}

  // Empty if there is none. O(size of all that the kernel calls).
  [[nodiscard]] std::string reason_against(const core::function& kernel);
  // The same after own(): for what it has made of the kernel.
  [[nodiscard]] static std::string reason_against_owned(const core::function& kernel,
                                                        const kernel_members& members);

 private:
  [[nodiscard]] std::string reason_in(const core::function& one);
  [[nodiscard]] const std::string& reason_in(const core::type& type);
  [[nodiscard]] std::string reason_in(const core::operation& what) const;

  layouts shapes_;
  std::unordered_map<const core::type*, std::string> types_;
};

}  // namespace cleave::lang
