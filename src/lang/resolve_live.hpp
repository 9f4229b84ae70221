// resolve_live.hpp -- which defs may run, and what must not be in those.
//
// A proof is read and never run, and a law may stay unfilled, as long as nothing that
// runs needs it. So what is wrong is kept with the def that it stands in, and reported
// if a chain of names leads there from main. Where there is no main, any def may run, and
// the file that imports this one may fill its laws.
//
//   live_code live;
//   live.enter(def); live.needs(other); live.fails(why, whenever::it_runs);
//   live.report(all, found);
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/front_end.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// When a failure counts.
enum class whenever : bool { it_runs, there_is_a_main };

class live_code {
 public:
  // What comes next stands in the body of this def.
  void enter(const def_decl& def);
  void needs(const def_decl& other);
  void fails(diagnostic why, whenever when);

  // O(all that was said).
  void report(const source_program& all, diagnostics& found);

 private:
  struct body {
    std::size_t first_need = 0;
    std::size_t need_count = 0;
    bool reached = false;
  };
  struct failure {
    const def_decl* in;
    diagnostic why;
    whenever when;
  };

  void reach(const def_decl& def);

  std::unordered_map<const def_decl*, body> bodies_;
  std::vector<const def_decl*> needs_;  // those of each body in one piece
  std::vector<failure> failures_;
  const def_decl* current_ = nullptr;
  body* current_body_ = nullptr;
  std::vector<const def_decl*> waiting_;
};

}  // namespace cleave::lang
