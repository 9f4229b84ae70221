// core_text.cpp -- a core program as text.
//
//   def sum(a: Array<U32>) -> U32:
//     match a:
//       case ALeaf{x}:
//         give x
//       case ANode{l, r}:
//         t = sum(l)
//         t.1 = sum(r)
//         return U32.add(t, t.1)
//
// A variable is written by its name, or t; within a function equal names are counted. A
// borrowed one has & before it where it is bound, and a match that consumes is a `take`.
#include <string>
#include <unordered_map>

#include "lang/core.hpp"
#include "lang/types.hpp"

namespace cleave::lang::core {
namespace {

class program_writer {
 public:
  std::string write(const program& all) {
    for (const data_type& one : all.data) write(one);
    for (const function& one : all.functions) write(one);
    if (all.main != nullptr) text_ += "main: " + all.main->name + "\n";
    return std::move(text_);
  }

 private:
  void write(const data_type& of) {
    text_ += "type " + of.name + ":\n";
    for (const constructor& one : of.constructors) {
      text_ += "  " + one.name + "{";
      for (std::size_t k = 0; k < one.fields.size(); ++k) {
        if (k > 0) text_ += ", ";
        text_ += one.field_names[k] + ": " + to_text(*one.fields[k]);
      }
      text_ += "}\n";
    }
  }

  void write(const function& of) {
    names_.clear();
    counts_.clear();
    text_ += "def " + of.name + "(";
    for (std::size_t k = 0; k < of.parameters.size(); ++k) {
      if (k > 0) text_ += ", ";
      text_ += bound(of.parameters[k]) + ": " + to_text(*of.parameters[k]->of);
    }
    text_ += ") -> " + to_text(*of.result) + ":\n";
    write(of.body, 1);
  }

  void write(const block& of, std::size_t depth) {
    for (const step& one : of.steps) write(one, depth);
    write(of.end, depth);
  }

  void write(const step& of, std::size_t depth) {
    switch (of.kind) {
      case step_kind::let: {
        // The operation first: its variables are bound outside.
        std::string inner;
        const std::string what = to_text(of.what, depth, inner);
        line(depth, (of.name != nullptr ? bound(of.name) : "_") + " = " + what);
        text_ += inner;
        break;
      }
      case step_kind::parallel:
        line(depth, "parallel:");
        for (const branch_value& one : of.values) {
          line(depth + 1, bound(one.name) + ":");
          write(*one.value, depth + 2);
        }
        break;
      case step_kind::define:
        line(depth, "label L" + std::to_string(of.target->number) +
                        bound_list(of.target->parameters) + ":");
        write(*of.target->body, depth + 1);
        break;
      case step_kind::keep: line(depth, "keep " + name(of.name)); break;
      case step_kind::drop: line(depth, "drop " + name(of.name)); break;
      case step_kind::free_token: line(depth, "free " + name(of.name)); break;
    }
  }

  void write(const ending& of, std::size_t depth) {
    switch (of.kind) {
      case ending_kind::give: line(depth, "give " + to_text(of.value)); break;
      case ending_kind::tail_call:
        line(depth,
             "return " + (of.callee != nullptr ? of.callee->name : "apply") + list(of.arguments));
        break;
      case ending_kind::tail_run: line(depth, "return run(" + to_text(of.value) + ")"); break;
      case ending_kind::branch: write(*of.cases, depth); break;
      case ending_kind::jump:
        line(depth, "jump L" + std::to_string(of.target->number) + list(of.arguments));
        break;
      case ending_kind::stop: line(depth, "stop " + quoted(of.message)); break;
    }
  }

  void write(const branching& of, std::size_t depth) {
    line(depth, (of.consumes ? "take " : "match ") + to_text(of.subject) + ":");
    for (const arm& one : of.arms) {
      std::string head = "case " + to_text(of, one);
      if (one.token != nullptr) head += " leaves " + bound(one.token);
      line(depth + 1, head + ":");
      write(*one.body, depth + 2);
    }
    if (of.otherwise == nullptr) return;
    line(depth + 1, "else:");
    write(*of.otherwise, depth + 2);
  }

  std::string to_text(const branching& of, const arm& one) {
    switch (of.test) {
      case test_kind::constructors: {
        std::string fields = "{";
        for (std::size_t k = 0; k < one.fields.size(); ++k) {
          if (k > 0) fields += ", ";
          fields += one.fields[k] != nullptr ? bound(one.fields[k]) : "_";
        }
        return constructor_name(*type_of(of.subject), one.constructor) + fields + "}";
      }
      case test_kind::numbers: return to_text(atom{nullptr, type_of(of.subject), one.value});
      case test_kind::at_least:
        return std::to_string(one.value) + "n+" +
               (!one.fields.empty() && one.fields[0] != nullptr ? bound(one.fields[0]) : "_");
      case test_kind::texts: return quoted(one.text);
      case test_kind::small_array:
        return "small " + std::to_string(one.value) + (of.in_order ? " in order" : "");
    }
    return {};
  }

  // `inner` receives the lines that belong below.
  std::string to_text(const operation& of, std::size_t depth, std::string& inner) {
    switch (of.kind) {
      case operation_kind::copy: return "copy" + list(of.arguments);
      case operation_kind::text: return quoted(of.text);
      case operation_kind::call: return of.callee->name + list(of.arguments);
      case operation_kind::native:
      case operation_kind::look: {
        std::string types;
        for (const type* one : of.types) {
          types += (types.empty() ? "<" : ", ") + lang::to_text(*one);
        }
        return (of.kind == operation_kind::look ? "look " : "") + std::string(of.native->name) +
               types + (types.empty() ? "" : ">") + list(of.arguments);
      }
      case operation_kind::construct:
        return "construct " + std::to_string(of.constructor) + list(of.arguments) + reuse(of);
      case operation_kind::leaf: return "ALeaf" + list(of.arguments) + reuse(of);
      case operation_kind::node: return "ANode" + list(of.arguments);
      case operation_kind::apply: return "apply" + list(of.arguments);
      case operation_kind::run: return "run" + list(of.arguments);
      case operation_kind::make_closure: {
        std::string head = of.made->action ? "action" : "closure";
        std::string captures;
        for (std::size_t k = 0; k < of.made->captures.size(); ++k) {
          const std::string outside = name(of.made->captures[k]);
          captures += (k > 0 ? ", " : "") + bound(of.made->inside[k]) + " = " + outside;
        }
        if (of.made->parameter != nullptr) {
          head +=
              "(" + bound(of.made->parameter) + ": " + lang::to_text(*of.made->parameter->of) + ")";
        }
        inner = below(of.made->body, depth);
        return head + " [" + captures + "]:";
      }
      case operation_kind::nested: inner = below(*of.inner, depth); return "block:";
    }
    return {};
  }

  std::string below(const block& of, std::size_t depth) {
    std::string outer = std::exchange(text_, {});
    write(of, depth + 1);
    return std::exchange(text_, std::move(outer));
  }

  std::string reuse(const operation& of) {
    return of.reuse != nullptr ? " in " + name(of.reuse) : "";
  }

  std::string to_text(const type& of) { return lang::to_text(of); }

  std::string to_text(const atom& of) {
    if (of.name != nullptr) return name(of.name);
    switch (of.of->kind) {
      case type_kind::nat: return std::to_string(of.number) + "n";
      case type_kind::f32: return "bits(" + std::to_string(of.number) + ")";
      case type_kind::character: return "char(" + std::to_string(of.number) + ")";
      default: return std::to_string(of.number);
    }
  }

  static const type* type_of(const atom& of) { return of.name != nullptr ? of.name->of : of.of; }

  static std::string constructor_name(const type& of, std::size_t number) {
    if (of.kind == type_kind::string) return number == 0 ? "SNil" : "SCon";
    if (of.kind == type_kind::array) return number == 0 ? "ALeaf" : "ANode";
    return of.data != nullptr && number < of.data->constructors.size()
               ? of.data->constructors[number].name
               : "?";
  }

  std::string list(const std::vector<atom>& of) {
    std::string text = "(";
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (k > 0) text += ", ";
      text += to_text(of[k]);
    }
    return text + ")";
  }

  std::string bound_list(const std::vector<variable*>& of) {
    std::string text = "(";
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (k > 0) text += ", ";
      text += bound(of[k]);
    }
    return text + ")";
  }

  static std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (const char c : text) {
      if (c == '\n') {
        made += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') made += '\\';
      made += c;
    }
    return made + "\"";
  }

  std::string bound(const variable* of) { return (of->borrowed ? "&" : "") + name(of); }

  std::string name(const variable* of) {
    const auto [at, fresh] = names_.emplace(of, "");
    if (fresh) {
      const std::string base = of->name.empty() ? "t" : of->name;
      const std::size_t count = counts_[base]++;
      at->second = count == 0 ? base : base + "." + std::to_string(count);
    }
    return at->second;
  }

  void line(std::size_t depth, const std::string& text) {
    text_.append(2 * depth, ' ');
    text_ += text;
    text_ += '\n';
  }

  std::string text_;
  std::unordered_map<const variable*, std::string> names_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace

std::string to_text(const program& all) {
  return program_writer().write(all);
}

}  // namespace cleave::lang::core
