// types.cpp -- interning, unification, and types as text.
#include "lang/types.hpp"

#include <algorithm>
#include <utility>

namespace cleave::lang {
namespace {

using core::type_kind;

// Types in the making may link to others until they are deeper than any that is allowed.
constexpr std::size_t deepest = 2 * type_table::largest;

}  // namespace

std::size_t type_table::key_hash::operator()(const key& k) const noexcept {
  std::size_t hash =
      static_cast<std::size_t>(k.kind) * 31 + std::hash<const void*>()(k.declaration);
  for (const core::type* part : k.parts) {
    hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15 + std::hash<const void*>()(part);
  }
  return hash;
}

type_table::type_table(core::program& made)
    : made_(made),
      u32_(built(type_kind::u32, nullptr, {})),
      nat_(built(type_kind::nat, nullptr, {})),
      f32_(built(type_kind::f32, nullptr, {})),
      character_(built(type_kind::character, nullptr, {})),
      string_(built(type_kind::string, nullptr, {})) {}

shape* type_table::array(shape* element) {
  return built(type_kind::array, nullptr, {element});
}

shape* type_table::io(shape* result) {
  return built(type_kind::io, nullptr, {result});
}

shape* type_table::function(shape* from, shape* to) {
  return built(type_kind::function, nullptr, {from, to});
}

shape* type_table::data(const type_decl& declaration, std::vector<shape*> arguments) {
  return built(type_kind::data, &declaration, std::move(arguments));
}

shape* type_table::unknown() {
  shape& made = shapes_.emplace_back();
  made.unknown = true;
  return &made;
}

shape* type_table::of(const core::type* known) {
  return shapes_of_.at(known);
}

shape* type_table::built(type_kind kind, const type_decl* declaration, std::vector<shape*> parts) {
  std::size_t size = 1;
  bool closed = true;
  std::vector<const core::type*> known;
  for (shape*& part : parts) {
    part = find(part);
    size += part->size;
    closed = closed && part->known != nullptr;
    if (closed) known.push_back(part->known);
  }
  if (size > largest) {
    too_large_ = true;
    return u32_;
  }
  if (closed) {
    const core::type* const type = intern(kind, declaration, std::move(known));
    if (const auto at = shapes_of_.find(type); at != shapes_of_.end()) return at->second;
    shape& made = shapes_.emplace_back();
    shapes_of_.emplace(type, &made);
    made.known = type;
    made.kind = kind;
    made.declaration = declaration;
    made.parts = std::move(parts);
    made.size = size;
    return &made;
  }
  shape& made = shapes_.emplace_back();
  made.kind = kind;
  made.declaration = declaration;
  made.parts = std::move(parts);
  made.size = size;
  return &made;
}

const core::type* type_table::intern(type_kind kind, const type_decl* declaration,
                                     std::vector<const core::type*> parts) {
  const auto [at, fresh] = interned_.emplace(key{kind, declaration, parts}, nullptr);
  if (!fresh) return at->second;
  core::type& made = made_.types.emplace_back();
  at->second = &made;
  made.kind = kind;
  if (kind == type_kind::data) {
    core::data_type& data = made_.data.emplace_back();
    made.data = &data;
    data.declaration = declaration;
    data.arguments = std::move(parts);
    data.number = made_.data.size() - 1;
    data.name = to_text(made);
    return &made;
  }
  if (!parts.empty()) made.first = parts[0];
  if (parts.size() > 1) made.second = parts[1];
  return &made;
}

shape* type_table::find(shape* s) noexcept {
  shape* root = s;
  while (root->same != nullptr) root = root->same;
  while (s != root) s = std::exchange(s->same, root);
  return root;
}

// ---- Unification -----------------------------------------------------------------

bool type_table::unify(shape* a, shape* b) {
  return unify(a, b, 0);
}

bool type_table::unify(shape* a, shape* b, std::size_t depth) {
  a = find(a);
  b = find(b);
  if (a == b) return true;
  if (a->known != nullptr && b->known != nullptr) return a->known == b->known;
  if (!a->unknown && b->unknown) std::swap(a, b);
  if (a->unknown) {
    ++visit_;
    if (!b->unknown && b->known == nullptr && occurs(a, b, 0)) return false;
    a->same = b;
    return true;
  }
  if (a->kind != b->kind || a->declaration != b->declaration ||
      a->parts.size() != b->parts.size() || depth > deepest) {
    return false;
  }
  for (std::size_t k = 0; k < a->parts.size(); ++k) {
    if (!unify(a->parts[k], b->parts[k], depth + 1)) return false;
  }
  // The known one stands for both.
  if (b->known != nullptr) std::swap(a, b);
  b->same = a;
  return true;
}

// Each shape is visited once, so that shared parts cost no more than others.
bool type_table::occurs(const shape* unknown, shape* in, std::size_t depth) {
  in = find(in);
  if (in == unknown || depth > deepest) return true;
  if (in->known != nullptr || in->visited == visit_) return false;
  in->visited = visit_;
  return std::ranges::any_of(in->parts,
                             [&](shape* part) { return occurs(unknown, part, depth + 1); });
}

const core::type* type_table::close(shape* s) {
  return close(s, 0);
}

const core::type* type_table::close(shape* s, std::size_t depth) {
  s = find(s);
  if (s->known != nullptr) return s->known;
  if (s->unknown || depth > deepest) {
    if (!s->unknown) too_large_ = true;
    s->same = rest_;
    return rest_->known;
  }
  std::vector<shape*> parts;
  parts.reserve(s->parts.size());
  for (shape* part : s->parts) parts.push_back(of(close(part, depth + 1)));
  shape* const closed = built(s->kind, s->declaration, std::move(parts));
  s->same = closed;
  return closed->known;
}

core::data_type* type_table::next_unfilled() noexcept {
  return filled_ < made_.data.size() ? &made_.data[filled_++] : nullptr;
}

// ---- Text ------------------------------------------------------------------------

namespace {

// Writes types of either kind. What binds how closely: 0 is `A -> B`, 1 `A & B`, 2 the rest.
class type_writer {
 public:
  explicit type_writer(std::size_t longest) : longest_(longest) {}

  void write(shape* s, int level) {
    s = type_table::find(s);
    if (s->known != nullptr) return write(*s->known, level);
    if (s->unknown) return put("_");
    write(s->kind, s->declaration != nullptr ? s->declaration->name : "", s->parts, level);
  }

  void write(const core::type& of, int level) {
    std::vector<const core::type*> parts;
    if (of.data != nullptr) parts = of.data->arguments;
    if (of.first != nullptr) parts.push_back(of.first);
    if (of.second != nullptr) parts.push_back(of.second);
    write(of.kind, of.data != nullptr ? of.data->declaration->name : "", parts, level);
  }
  void write(const core::type* of, int level) { write(*of, level); }

  std::string take() { return std::move(text_); }

 private:
  template <class Part>
  void write(type_kind kind, std::string_view name, const std::vector<Part>& parts, int level) {
    if (text_.size() >= longest_) return put("..");
    switch (kind) {
      case type_kind::u32: return put("U32");
      case type_kind::nat: return put("Nat");
      case type_kind::f32: return put("F32");
      case type_kind::character: return put("Char");
      case type_kind::string: return put("String");
      case type_kind::array: return bracketed("Array<", parts, ">");
      case type_kind::io: return bracketed("IO(", parts, ")");
      case type_kind::function: return infix(parts, " -> ", 0, level);
      case type_kind::data: break;
    }
    if (name == "Sigma" && parts.size() == 2) return infix(parts, " & ", 1, level);
    if (parts.empty()) return put(name);
    bracketed(std::string(name) + "<", parts, ">");
  }

  template <class Part>
  void infix(const std::vector<Part>& parts, std::string_view between, int own, int level) {
    if (own < level) put("(");
    write(parts[0], own + 1);
    put(between);
    write(parts[1], own);
    if (own < level) put(")");
  }

  template <class Part>
  void bracketed(std::string_view open, const std::vector<Part>& parts, std::string_view shut) {
    put(open);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) put(", ");
      write(parts[k], 0);
    }
    put(shut);
  }

  void put(std::string_view text) { text_ += text; }

  std::size_t longest_;
  std::string text_;
};

}  // namespace

std::string to_text(const core::type& of, std::size_t longest) {
  type_writer text(longest);
  text.write(of, 0);
  return text.take();
}

std::string to_text(shape* of, std::size_t longest) {
  type_writer text(longest);
  text.write(of, 0);
  return text.take();
}

}  // namespace cleave::lang
