// export.hpp -- the heap's statistics as text, for callers that must not run out of memory.
//
//   base::text_out out(buffer, capacity);
//   heap::write_json(out, sums, classes);              // of sum_up(), heap/statistics.hpp
#pragma once

#include <cleave/heap.hpp>
#include <span>

#include "base/text_out.hpp"

namespace cleave::heap {

// `s.classes` is not looked at.
void write_json(base::text_out& to, const statistics& s,
                std::span<const class_statistics> classes) noexcept;
void write_prometheus(base::text_out& to, const statistics& s,
                      std::span<const class_statistics> classes) noexcept;

}  // namespace cleave::heap
