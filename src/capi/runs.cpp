// runs.cpp -- the C functions that make, change and free runs.
//
// Each is a thin shell over cleave/heap.hpp: it checks what C++ states as a
// requirement, and turns the answer into a code. Nothing here can throw.
#include <cleave.h>

#include <bit>
#include <cleave/heap.hpp>

namespace {

namespace heap = cleave::heap;

static_assert(cl_default_alignment == heap::default_alignment);
static_assert(cl_max_alignment == heap::max_alignment);

bool is_alignment(std::size_t value) noexcept {
  return std::has_single_bit(value) && value <= heap::max_alignment;
}

}  // namespace

cl_status cl_allocate(size_t bytes, cl_run* out) {
  return cl_allocate_aligned(bytes, heap::default_alignment, out);
}

cl_status cl_allocate_aligned(size_t bytes, size_t alignment, cl_run* out) {
  if (!is_alignment(alignment)) return cl_bad_argument;
  void* const pointer = heap::try_allocate(bytes, alignment);
  if (pointer == nullptr && bytes != 0) return cl_out_of_memory;
  *out = {pointer, bytes};
  return cl_ok;
}

cl_status cl_allocate_at_least(size_t bytes, size_t alignment, cl_run* out) {
  if (!is_alignment(alignment)) return cl_bad_argument;
  const heap::sized_pointer made = heap::try_allocate_at_least(bytes, alignment);
  if (made.pointer == nullptr && bytes != 0) return cl_out_of_memory;
  *out = {made.pointer, made.bytes};
  return cl_ok;
}

void cl_free(cl_run run) {
  heap::free(run.ptr, run.bytes);
}

cl_status cl_extend(cl_run run, size_t bytes, cl_run* out) {
  if (run.bytes == 0) return cl_bad_argument;
  if (bytes < run.bytes) return cl_out_of_range;
  if (!heap::extend(run.ptr, run.bytes, bytes)) return cl_no_room;
  *out = {run.ptr, bytes};
  return cl_ok;
}

cl_status cl_shrink(cl_run run, size_t bytes, cl_run* out) {
  cl_run tail;
  const cl_status status = cl_cut(run, bytes, out, &tail);
  if (status == cl_ok) cl_free(tail);
  return status;
}
