// core.cpp -- which types are plain.
#include "lang/core.hpp"

namespace cleave::lang::core {
namespace {

bool is_counted(type_kind kind) {
  return kind == type_kind::string || kind == type_kind::array || kind == type_kind::function ||
         kind == type_kind::io;
}

// Answers for `first` and for all data that it is made of. Data is plain unless it is made
// of something counted, or of itself; what an open visit of ours leads back to is the
// latter. The stack is our own: a chain of types may be long.
void find_plain(const data_type& first) {
  struct visit {
    const data_type* of;
    std::size_t constructor = 0;
    std::size_t field = 0;
  };
  constexpr int open = -2;
  std::vector<visit> visits{{&first}};
  first.plain = open;
  while (!visits.empty()) {
    visit& now = visits.back();
    const data_type& of = *now.of;
    bool plain = true;
    const data_type* inner = nullptr;
    while (plain && inner == nullptr && now.constructor < of.constructors.size()) {
      const std::vector<const type*>& fields = of.constructors[now.constructor].fields;
      if (now.field == fields.size()) {
        ++now.constructor;
        now.field = 0;
        continue;
      }
      const type& field = *fields[now.field];
      if (field.data == nullptr) {
        plain = !is_counted(field.kind);
        ++now.field;
      } else if (field.data->plain == -1) {
        inner = field.data;
      } else {
        plain = field.data->plain == 1;
        ++now.field;
      }
    }
    if (inner != nullptr) {
      inner->plain = open;
      visits.push_back({inner});
      continue;
    }
    of.plain = plain ? 1 : 0;
    visits.pop_back();
  }
}

}  // namespace

bool is_plain(const type& of) {
  if (of.data == nullptr) return !is_counted(of.kind);
  if (of.data->plain == -1) find_plain(*of.data);
  return of.data->plain == 1;
}

}  // namespace cleave::lang::core
