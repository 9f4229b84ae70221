#include "tree_text.hpp"

#include <algorithm>
#include <vector>

namespace cleave::lang::test {
namespace {

std::string mark_text(mark how) {
  switch (how) {
    case mark::affine: return "";
    case mark::reusable: return "+";
    case mark::erased: return "-";
    case mark::templated: return "~";
    case mark::borrowed: return "&";
  }
  return "";
}

std::string to_text(const binder& one) {
  return mark_text(one.how) + std::string(one.name);
}

std::string number_text(const number_term& number) {
  switch (number.number) {
    case number_kind::u32: return std::to_string(number.value);
    case number_kind::nat: return std::to_string(number.value) + "n";
    case number_kind::f32: return "f32:" + std::to_string(number.value);
    case number_kind::character: return "char:" + std::to_string(number.value);
  }
  return "";
}

std::string all_of(const std::vector<term*>& terms) {
  std::string made;
  for (const term* each : terms) made += " " + test::to_text(each);
  return made;
}

std::string block_text(const block_term& block) {
  std::string made = "(";
  for (const statement& each : block.statements) {
    made += "let";
    for (const binder* name : each.names) made += " " + to_text(*name);
    if (each.bound != nullptr) made += " " + test::to_text(each.bound);
    if (each.type != nullptr) made += " : " + test::to_text(each.type);
    made += " =" + all_of(each.values) + "; ";
  }
  return made + test::to_text(block.result) + ")";
}

std::string match_text(const match_term& match) {
  std::string made = "(match" + all_of(match.subjects);
  for (const match_row& each : match.rows) {
    made += " [";
    for (const pattern* one : each.patterns) made += test::to_text(one) + " ";
    made += "-> " + test::to_text(each.body) + "]";
  }
  return made + ")";
}

std::string do_text(const do_term& block) {
  std::string made = "(do " + std::string(block.monad) + "<";
  for (const term* each : block.arguments) {
    made += (each == block.arguments.front() ? "" : " ") + test::to_text(each);
  }
  made += ">";
  for (const do_statement& each : block.statements) {
    const std::string name = each.name == nullptr ? "_" : to_text(*each.name);
    made += "; ";
    switch (each.kind) {
      case do_kind::bind: made += name + " : " + test::to_text(each.type) + " <- "; break;
      case do_kind::let: made += name + " : " + test::to_text(each.type) + " = "; break;
      case do_kind::step: made += "step "; break;
      case do_kind::give: made += "return "; break;
      case do_kind::last: break;
    }
    made += test::to_text(each.value);
  }
  return made + ")";
}

std::string call_text(const call_term& call) {
  std::string made = std::string(call.device ? "(!" : "(") + test::to_text(call.callee);
  for (const argument& each : call.arguments) {
    made += (each.templated ? " ~" : " ") + test::to_text(each.value);
  }
  return made + ")";
}

std::string parameters_text(const std::vector<parameter>& all) {
  std::string made;
  for (const parameter& each : all) {
    if (!made.empty()) made += ", ";
    made += to_text(*each.name);
    if (each.type != nullptr) made += ": " + test::to_text(each.type);
  }
  return made;
}

}  // namespace

std::string to_text(const term* t) {
  switch (t->kind) {
    case term_kind::name: return std::string(as<name_term>(t)->name);
    case term_kind::number: return number_text(*as<number_term>(t));
    case term_kind::text: return '"' + std::string(as<text_term>(t)->text) + '"';
    case term_kind::successor: {
      const auto* successor = as<successor_term>(t);
      return "(" + std::to_string(successor->amount) + "n+ " + to_text(successor->rest) + ")";
    }
    case term_kind::call: return call_text(*as<call_term>(t));
    case term_kind::construct: {
      const auto* construct = as<construct_term>(t);
      return "{" + std::string(construct->name) + all_of(construct->arguments) + "}";
    }
    case term_kind::list: {
      const std::string items = all_of(as<list_term>(t)->items);
      return "[" + items.substr(items.empty() ? 0 : 1) + "]";
    }
    case term_kind::annotated: {
      const auto* annotated = as<annotated_term>(t);
      return "(" + to_text(annotated->value) + " : " + to_text(annotated->type) + ")";
    }
    case term_kind::lambda: {
      const auto* lambda = as<lambda_term>(t);
      return "(" + to_text(*lambda->parameter) + " => " + to_text(lambda->body) + ")";
    }
    case term_kind::array: {
      const auto* array = as<array_term>(t);
      return "[" + to_text(array->value) + " : " + to_text(array->element) +
             (array->is_depth ? " ^ " : " * ") + to_text(array->count) + "]";
    }
    case term_kind::do_block: return do_text(*as<do_term>(t));
    case term_kind::block: return block_text(*as<block_term>(t));
    case term_kind::match: return match_text(*as<match_term>(t));
    case term_kind::apply_type: {
      const auto* applied = as<apply_type_term>(t);
      return std::string(applied->name) + "<" + all_of(applied->arguments).substr(1) + ">";
    }
    case term_kind::arrow: {
      const auto* arrow = as<arrow_term>(t);
      const std::string from =
          arrow->parameter == nullptr ? "" : "@" + to_text(*arrow->parameter) + ":";
      return "(" + from + to_text(arrow->from) + " -> " + to_text(arrow->to) + ")";
    }
    case term_kind::sort: return "SORT";
    case term_kind::proof: return "PROOF[" + std::string(as<proof_term>(t)->what) + "]";
  }
  return "?";
}

std::string to_text(const pattern* p) {
  switch (p->kind) {
    case pattern_kind::name: return to_text(as<name_pattern>(p)->name);
    case pattern_kind::constructor: {
      const auto* constructor = as<constructor_pattern>(p);
      std::string made = "{" + std::string(constructor->name);
      for (const pattern* each : constructor->fields) made += " " + to_text(each);
      return made + "}";
    }
    case pattern_kind::nat: return std::to_string(as<nat_pattern>(p)->value) + "n";
    case pattern_kind::successor: {
      const auto* successor = as<successor_pattern>(p);
      return "(" + std::to_string(successor->amount) + "n+ " + to_text(successor->rest) + ")";
    }
    case pattern_kind::literal: {
      const auto* literal = as<literal_pattern>(p);
      return (literal->character ? "char:" : "") + std::to_string(literal->value);
    }
    case pattern_kind::text: return '"' + std::string(as<text_pattern>(p)->text) + '"';
  }
  return "?";
}

std::string to_text(const type_decl& type) {
  std::string made = "type " + std::string(type.name) + "<" + parameters_text(type.parameters) +
                     "> is " + to_text(type.kind) + ":";
  for (const constructor_decl* each : type.constructors) {
    made += " " + std::string(each->name) + "{";
    for (const field_decl& field : each->fields) {
      if (&field != each->fields.data()) made += ", ";
      made += mark_text(field.how) + std::string(field.name) + ": " + to_text(field.type);
    }
    made += "}";
  }
  return made;
}

std::string to_text(const law_decl& law) {
  return std::string(law.proof ? "proof " : "") + "law " + std::string(law.name) + "(" +
         parameters_text(law.parameters) + ") -> " + to_text(law.result);
}

std::string to_text(const def_decl& def) {
  std::string made = def.proof ? "proof " : "";
  if (def.unsafe) made += "@unsafe ";
  if (def.native) made += "@native ";
  made += "def " + std::string(def.name) + "(" + parameters_text(def.parameters) + ")";
  if (def.result != nullptr) made += " -> " + to_text(def.result);
  if (def.body != nullptr) made += ": " + to_text(def.body);
  return made;
}

std::string to_text(const file_tree& file) {
  std::string made;
  for (const import_decl& each : file.imports) {
    made += "import " + std::string(each.path) +
            (each.alias.empty() ? "" : " as " + std::string(each.alias)) + "\n";
  }
  for (const type_decl* each : file.types) made += to_text(*each) + "\n";
  for (const law_decl* each : file.laws) made += to_text(*each) + "\n";
  for (const def_decl* each : file.defs) made += to_text(*each) + "\n";
  return made;
}

}  // namespace cleave::lang::test
