// syntax_rules.hpp -- macros by patterns.
//
//   (define-syntax swap!
//     (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))
//
// Without hygiene: `t` above is the name t. Patterns may have one ellipsis per list, with
// patterns behind it, and nest; vectors are not looked into.
#pragma once

#include "machine.hpp"

namespace scheme {

// What stands behind the word syntax-rules: (literals (pattern template) ...).
// Throws scheme_error if it cannot be.
void check_macro(machine& m, const any& macro);
// The template of the first rule that the form matches. Throws scheme_error if none does.
any expand_macro(machine& m, const any& macro, const any& form);

}  // namespace scheme
