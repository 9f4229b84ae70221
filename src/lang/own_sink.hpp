// own_sink.hpp -- taking a value apart later than it was matched.
//
//   match xs:                          match xs:
//     case Nil{}: give ys                case Nil{}: give ys
//     case Con{x, t}:                    case Con{&x, &t}:
//       match ys:                          match ys:
//         case Nil{}: give xs     ->         case Nil{}: give xs
//         case Con{y, u}: f(x, t)            case Con{y, u}:
//                                              take xs: case Con{x, t}: f(x, t)
//
// An arm that wants fields of its subject on one path, and the subject itself on another,
// reads; where nothing needs the subject any more, it is matched again and consumed. Its
// fields are new variables there.
#pragma once

#include "lang/borrow.hpp"
#include "lang/core.hpp"

namespace cleave::lang {

class sinking {
 public:
  sinking(core::program& all, demands& wanted) : all_(all), wanted_(wanted) {}

  // Does so in the arm of a match of `subject`, whose fields become borrowed, if it must:
  // true. False if nothing in the arm needs the subject. O(size of the arm * depth).
  bool sink(core::variable& subject, core::arm& one);

 private:
  // A variable whose constructor is known here.
  struct opened {
    core::variable* subject;
    std::size_t constructor;
    std::vector<core::variable*> fields;
  };

  void sink(core::block& code, std::vector<opened>& known);
  void take(core::block& code, std::vector<opened> known);
  void take(core::block& code, const opened& one, std::vector<opened>& known);
  [[nodiscard]] bool wants(core::block& code, const opened& one) const;
  [[nodiscard]] core::variable* fresh(const core::variable& like);

  core::program& all_;
  demands& wanted_;
};

}  // namespace cleave::lang
