// resolve_names.hpp -- what the names of a program's files stand for.
//
// Each file is a name space of its own, except that the files of Base share one. A def,
// a law and a type may not have the same name; constructors have a table to themselves.
// A law and the def that fills it are one name.
//
//   name_table names(all, found);                    // reports duplicates, links laws
//   const declared* sum = names.find(file, "sum");   // or "M.sum", or "U32.add"
//
// A lookup costs the length of the name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/front_end.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// A law that is filled has both `law` and `def`.
struct declared {
  span where;
  law_decl* law = nullptr;
  def_decl* def = nullptr;
  type_decl* type = nullptr;
};

// The types that the language has whether Base declares them or not.
[[nodiscard]] bool is_builtin_type(std::string_view name) noexcept;

class name_table {
 public:
  name_table(source_program& all, diagnostics& found);

  // Null if `from` cannot see such a name.
  [[nodiscard]] const declared* find(const module& from, std::string_view name) const;
  [[nodiscard]] constructor_decl* find_constructor(const module& from, std::string_view name) const;
  // A type of Base; null if Base has none of this name.
  [[nodiscard]] const type_decl* base_type(std::string_view name) const;

  // True if the name may be missing only because a file could not be read or parsed, so
  // that its absence is not worth a word.
  [[nodiscard]] bool may_be_lost(const module& from, std::string_view name) const;

  // What could help somebody who wrote a name that `from` does not know: empty, or "did
  // you mean ...?". `locals` are names to consider besides. O(all names * length^2).
  [[nodiscard]] std::vector<remark> help_with(const module& from, std::string_view name,
                                              const std::vector<std::string_view>& locals) const;
  [[nodiscard]] std::vector<remark> help_with_constructor(const module& from,
                                                          std::string_view name) const;

 private:
  struct space {
    std::unordered_map<std::string_view, declared> names;
    std::unordered_map<std::string_view, constructor_decl*> constructors;
    std::unordered_map<std::string_view, const module*> aliases;
    bool sees_base = false;
    bool incomplete = false;  // names may be missing
  };
  // Where to look for a name, and what it is called there.
  struct place {
    space* in = nullptr;
    std::string_view name;
    bool qualified = false;
    bool or_base = false;
  };

  void declare_all(module& from);
  void declare_aliases(const module& from);
  void declare(const module& from, std::string_view name, declared one);
  void declare_constructors(const module& from, type_decl& type);
  void report_duplicate(std::string_view name, span where, span first);
  void fill_law(const module& from, def_decl& def);
  void check_filling(law_decl& law, def_decl& def);
  // The defs of Base that have the name behind their dot.
  [[nodiscard]] std::vector<remark> families_with(std::string_view name) const;
  [[nodiscard]] place look_up(const module& from, std::string_view name) const;
  [[nodiscard]] declared* find_entry(const place& at) const;
  [[nodiscard]] space& space_of(const module& one) const { return *spaces_.at(&one); }

  diagnostics& found_;
  std::vector<std::unique_ptr<space>> owned_;
  space& base_;
  std::unordered_map<const module*, space*> spaces_;
};

}  // namespace cleave::lang
