// device_calls.hpp -- which calls f!(x) the device cannot run, and why.
//
//   device_calls calls;
//   calls.refuse(call.where, "List<U32> is made of cells");     // runs on the host then
//   calls.refused(call.where)                                   // true from here on
//   for (const refused_call& one : calls.all()) ...             // each place once, in order
//
// A place in the text is refused as a whole, also where a def has several instances.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lang/source.hpp"

namespace cleave::lang {

struct refused_call {
  span where;
  std::string why;
};

class device_calls {
 public:
  // The first reason stands. O(refused calls).
  void refuse(const span& where, std::string why) {
    if (!refused(where)) all_.push_back({where, std::move(why)});
  }
  [[nodiscard]] bool refused(const span& where) const {
    for (const refused_call& one : all_) {
      if (one.where.file == where.file && one.where.begin == where.begin &&
          one.where.end == where.end) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] const std::vector<refused_call>& all() const noexcept { return all_; }

 private:
  std::vector<refused_call> all_;
};

}  // namespace cleave::lang
