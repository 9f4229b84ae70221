// make_core.cpp -- the passes over core. What a device cannot run is known in the end, and then all
// is made again without it: places in core tell no more of the text.
#include <algorithm>
#include <utility>
#include <vector>

#include "lang/front_end.hpp"
#include "lang/kernels.hpp"

namespace cleave::lang {
namespace {

void clear(core::program& one) {
  one.functions.clear();
  one.variables.clear();
  one.data.clear();
  one.types.clear();
  one.main = nullptr;
  one.labels = 0;
}

}  // namespace

void make_core(const source_program& all, bool device, core::program& made, diagnostics& found) {
  if (!device) {
    elaborate(all, made, found);
    if (found.empty()) own(made);
    return;
  }
  device_calls calls;
  // Each time round refuses a call that was not.
  for (bool done = false; !done;) {
    clear(made);
    elaborate(all, made, found, &calls);
    if (!found.empty()) return;
    if (!place_kernels(made, calls)) continue;
    own(made);
    done = kernels_hold(made, calls);
  }
  std::vector<refused_call> refused = calls.all();
  std::sort(refused.begin(), refused.end(), [](const refused_call& a, const refused_call& b) {
    return std::pair(a.where.file->name(), a.where.begin) <
           std::pair(b.where.file->name(), b.where.begin);
  });
  for (const refused_call& one : refused) {
    found.warn({.where = one.where,
                .expected = {},
                .observed = {},
                .message = "this call runs on the host: " + one.why,
                .def = {},
                .remarks = {}});
  }
}

}  // namespace cleave::lang
