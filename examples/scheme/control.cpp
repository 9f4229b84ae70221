// control.cpp -- procedures, output, records, conditions, and what the collector tells.

#include <chrono>

#include "primitives.hpp"
#include "printer.hpp"

namespace scheme {
namespace {

value is_procedure_value(machine& m, std::size_t) {
  return boolean(is_procedure(m.argument(0)));
}

value values(machine& m, std::size_t count) {
  if (count == 1) return m.argument(0);
  any list = m.held(nil);
  for (std::size_t i = count; i-- > 0;) list = m.cons(m.held(m.argument(i)), list);
  return m.heap().make<several>(list).get();
}

// --- Output ---

value print(machine& m, const std::string& text) {
  m.output() += text;
  if (m.output().size() > 65536) m.flush();
  return unspecified;
}
value display(machine& m, std::size_t) {
  return print(m, displayed(m.argument(0)));
}
value write(machine& m, std::size_t) {
  return print(m, written(m.argument(0)));
}
value newline(machine& m, std::size_t) {
  return print(m, "\n");
}

// --- Records and conditions ---

bool is_of_type(value v, value type) {
  return v.is<record>() && v.as<record>()->kind.get() == type;
}
value make_record_type(machine& m, std::size_t) {
  const auto fields = m.heap().make_refs<value>(1);
  fields->set(0, m.argument(0));
  return m.heap().make<record>(m.held(nullptr), fields).get();
}
value make_record(machine& m, std::size_t count) {
  if (!is_of_type(m.argument(0), nullptr)) fail(m, "not a type of records:", m.argument(0));
  const auto fields = m.heap().make_refs<value>(count - 1);
  for (std::size_t i = 1; i < count; ++i) fields->set(i - 1, m.argument(i));
  return m.heap().make<record>(m.held(m.argument(0)), fields).get();
}
vector& fields_at(machine& m) {
  const value v = m.argument(0);
  if (!is_of_type(v, m.argument(1))) fail(m, "a record of another type was expected:", v);
  return *v.as<record>()->fields.get();
}
value is_record(machine& m, std::size_t) {
  return boolean(is_of_type(m.argument(0), m.argument(1)));
}
value record_ref(machine& m, std::size_t) {
  vector& fields = fields_at(m);
  return fields[place_at(m, 2, fields.size(), "%record-ref")];
}
value record_set(machine& m, std::size_t) {
  vector& fields = fields_at(m);
  fields.set(place_at(m, 2, fields.size(), "%record-set!"), m.argument(3));
  return unspecified;
}

value make_condition(machine& m, std::size_t) {
  return m.heap().make<condition>(m.held(m.argument(0)), m.held(m.argument(1))).get();
}
value condition_message(machine& m, std::size_t) {
  return object_at<condition>(m, 0, "error-object-message")->message.get();
}
value condition_irritants(machine& m, std::size_t) {
  return object_at<condition>(m, 0, "error-object-irritants")->irritants.get();
}

// --- The system ---

value exit(machine& m, std::size_t count) {
  m.flush();
  const value v = count == 0 ? value(yes) : m.argument(0);
  throw exit_request{v.is_integer() ? static_cast<int>(v.integer()) : is_true(v) ? 0 : 1};
}
value jiffy(machine&, std::size_t) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return fixnum(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

value collect(machine& m, std::size_t) {
  m.heap().collect();
  return unspecified;
}
// How often the collector has run.
value collections(machine& m, std::size_t) {
  const gc::statistics s = m.owner().stats();
  return fixnum(static_cast<std::int64_t>(s.young_collections + s.full_collections));
}
// The bytes of large bytevectors, strings and vectors.
value large_bytes(machine& m, std::size_t) {
  const gc::statistics s = m.owner().stats();
  return fixnum(static_cast<std::int64_t>(s.large_young + s.large_old));
}

}  // namespace

void add_control(machine& m) {
  using control = primitive_entry::control;
  const primitive_entry all[] = {
      {"procedure?", is_procedure_value, 1, 1},
      {"apply", nullptr, 2, any_number, control::apply},
      {"%call/cc", nullptr, 1, 1, control::call_cc},
      {"call-with-values", nullptr, 2, 2, control::call_with_values},
      {"with-exception-handler", nullptr, 2, 2, control::with_handler},
      {"raise", nullptr, 1, 1, control::raise},
      {"raise-continuable", nullptr, 1, 1, control::raise_on},
      {"values", values, 0, any_number},
      {"display", display, 1, 1},
      {"write", write, 1, 1},
      {"newline", newline, 0, 0},
      {"%make-record-type", make_record_type, 1, 1},
      {"%record", make_record, 1, any_number},
      {"%record?", is_record, 2, 2},
      {"%record-ref", record_ref, 3, 3},
      {"%record-set!", record_set, 4, 4},
      {"%condition", make_condition, 2, 2},
      {"error-object?", is_a<condition>, 1, 1},
      {"error-object-message", condition_message, 1, 1},
      {"error-object-irritants", condition_irritants, 1, 1},
      {"exit", exit, 0, 1},
      {"current-jiffy", jiffy, 0, 0},
      {"gc", collect, 0, 0},
      {"gc-collections", collections, 0, 0},
      {"gc-large-bytes", large_bytes, 0, 0},
  };
  for (const primitive_entry& one : all) m.define(one);
}

}  // namespace scheme
