#include "sort_numbers.hpp"

#include <hwy/contrib/sort/vqsort.h>

namespace cleave::tool {

void sort_numbers(std::span<std::uint32_t> values) {
  hwy::Sorter()(values.data(), values.size(), hwy::SortAscending());
}

void sort_numbers(std::span<std::uint64_t> values) {
  hwy::Sorter()(values.data(), values.size(), hwy::SortAscending());
}

void doubles_to_keys(std::span<std::uint64_t> values) noexcept {
  for (std::uint64_t& value : values) value = double_to_key(value);
}

void keys_to_doubles(std::span<std::uint64_t> values) noexcept {
  for (std::uint64_t& value : values) value = key_to_double(value);
}

}  // namespace cleave::tool
