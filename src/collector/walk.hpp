// walk.hpp -- looks at everything that roots reach, and moves nothing: checks, and paths.
//
//   heap_walk w(state);
//   w.check();                          // which invariant is broken, or an empty string
//   w.find_paths();  w.path_to(object);
//
// With all threads stopped, outside of a collection. Takes memory in the size of the heap.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/state.hpp"

namespace cleave::gc::detail {

class heap_walk final : public visitor {
 public:
  explicit heap_walk(heap_state& state) : visitor(true), state_(state) {}

  [[nodiscard]] std::string check();

  void find_paths();
  // "local -> pair -> byte_array", or nothing if no root reaches it.
  [[nodiscard]] std::string path_to(word object) const;

 private:
  void reference(word* at) override;
  void from_roots();
  void fields_of(word object);
  void look_at_array(word object);
  void wrong(const char* what);
  [[nodiscard]] bool is_object(word object) const;
  [[nodiscard]] bool is_remembered(const word* field) const;

  heap_state& state_;
  std::unordered_set<const block*> blocks_;
  // Each object that was seen, and who refers to it: an object, or the name of a root.
  struct holder {
    word object = 0;
    const char* root = nullptr;
  };
  std::unordered_map<word, holder> seen_;
  std::vector<word> left_;
  holder from_;
  payload* from_payload_ = nullptr;
  std::size_t payloads_ = 0;
  std::string wrong_;
};

}  // namespace cleave::gc::detail
