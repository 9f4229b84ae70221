// graph_model.hpp -- a managed graph, and the same graph in plain C++ beside it.
//
//   graph_model model(m, random);
//   model.step();                 // one random change to both; if it throws std::bad_alloc,
//                                 // they still agree
//   model.compare();              // walks both at once; throws if they differ
//
// The plain graph owns all its nodes until the model ends, and says for each what the
// managed one has to look like. It is slow and obviously right.
#pragma once

#include <array>
#include <cleave/collector.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cleave::test {

// A node of the managed graph: four references to anything.
struct vertex {
  static constexpr const char* type_name = "vertex";
  std::array<gc::ref<gc::value>, 4> to;
  std::uint64_t id = 0;
  explicit vertex(std::uint64_t i) : id(i) {}
  void trace(gc::visitor& v) {
    for (auto& field : to) v.visit(field);
  }
};

class graph_model {
 public:
  static constexpr std::size_t roots = 24;

  graph_model(gc::mutator& m, std::mt19937_64& random) : m_(m), random_(random) {
    for (std::size_t i = 0; i < roots; ++i) managed_.emplace_back(m_);
    plain_.resize(roots);
  }

  void step() {
    switch (below(16)) {
      case 0:
      case 1:
      case 2: make_vertex(); break;
      case 3: make_bytes(); break;
      case 4: make_refs(); break;
      case 5:
      case 6:
      case 7:
      case 8: store(); break;
      case 9: load(); break;
      case 10: drop(); break;
      case 11: let_go(); break;
      case 12: write_bytes(); break;
      case 13: throw_through(); break;
      case 14:
        if (below(20) == 0) m_.collect(gc::extent::young);
        break;
      default:
        if (below(60) == 0) m_.collect(gc::extent::all);
        break;
    }
  }

  void compare() {
    std::unordered_map<const thing*, std::uintptr_t> met;
    std::vector<std::pair<const thing*, gc::value>> left;
    for (std::size_t i = 0; i < roots; ++i) left.emplace_back(plain_[i], managed_[i].get());
    while (!left.empty()) {
      const auto [model, real] = left.back();
      left.pop_back();
      if (model == nullptr) {
        if (!real.is_null()) throw std::logic_error("something where nothing should be");
        continue;
      }
      const auto [at, is_new] = met.emplace(model, real.bits());
      if (at->second != real.bits()) throw std::logic_error("one object is two, or two are one");
      if (is_new) compare(*model, real, left);
    }
  }

 private:
  enum class kind { vertex, bytes, refs };
  struct thing {
    kind is = kind::vertex;
    std::uint64_t id = 0;
    std::vector<thing*> to;
    std::vector<std::byte> bytes;
    bool forgotten = false;
    bool large = false;
  };

  template <class Left>
  static void compare(const thing& model, gc::value real, Left& left) {
    const auto require = [&](bool holds, const char* what) {
      if (!holds) throw std::logic_error(what + (" of number " + std::to_string(model.id)));
    };
    if (model.is == kind::vertex) {
      const vertex* const v = real.try_as<vertex>();
      require(v != nullptr && v->id == model.id, "the vertex");
      for (std::size_t i = 0; i < 4; ++i) left.emplace_back(model.to[i], v->to[i].get());
    } else if (model.is == kind::bytes) {
      const gc::byte_array* const b = real.try_as<gc::byte_array>();
      require(b != nullptr && b->forgotten() == model.forgotten, "the array");
      require(b->size() == model.bytes.size(), "the size");
      for (std::size_t i = 0; i < model.bytes.size(); ++i) {
        require((*b)[i] == model.bytes[i], "a byte");
      }
    } else {
      const auto* const r = real.try_as<gc::ref_array<gc::value>>();
      require(r != nullptr && r->size() == model.to.size(), "the references");
      for (std::size_t i = 0; i < model.to.size(); ++i) left.emplace_back(model.to[i], (*r)[i]);
    }
  }

  std::size_t below(std::size_t n) { return random_() % n; }

  thing* add(kind is, std::size_t slot) {
    thing& made = all_.emplace_back();
    made.is = is;
    made.id = next_++;
    plain_[slot] = &made;
    return &made;
  }

  void make_vertex() {
    const std::size_t at = below(roots), from = below(roots);
    thing* const old = plain_[from];
    gc::local<vertex> made = m_.make<vertex>(next_);
    made->to[1] = managed_[from];
    thing* const model = add(kind::vertex, at);
    model->to.resize(4);
    model->to[1] = old;
    managed_[at] = made;
  }

  void make_bytes() {
    const std::size_t at = below(roots), size = below(2000);
    const gc::local<gc::byte_array> made = m_.make_bytes(size);
    thing* const model = add(kind::bytes, at);
    model->bytes.resize(size);
    model->large = made->is_large();
    managed_[at] = made;
  }

  void make_refs() {
    const std::size_t at = below(roots), size = below(100), from = below(roots);
    thing* const old = plain_[from];
    const auto made = m_.make_refs<gc::value>(size);
    thing* const model = add(kind::refs, at);
    model->to.resize(size);
    if (size != 0) {
      model->to[size / 2] = old;
      made->set(size / 2, managed_[from]);
    }
    managed_[at] = made;
  }

  // Of a root, an element: where both graphs have it, or nothing.
  void store() {
    const std::size_t at = below(roots), from = below(roots);
    thing* const model = plain_[at];
    if (model == nullptr || model->to.empty()) return;
    const std::size_t i = below(model->to.size());
    model->to[i] = plain_[from];
    if (model->is == kind::vertex) {
      managed_[at].get().as<vertex>()->to[i] = managed_[from];
    } else {
      managed_[at].get().as<gc::ref_array<gc::value>>()->set(i, managed_[from]);
    }
  }

  void load() {
    const std::size_t at = below(roots), to = below(roots);
    thing* const model = plain_[at];
    if (model == nullptr || model->to.empty()) return;
    const std::size_t i = below(model->to.size());
    plain_[to] = model->to[i];
    if (model->is == kind::vertex) {
      managed_[to] = managed_[at].get().as<vertex>()->to[i];
    } else {
      managed_[to].set((*managed_[at].get().as<gc::ref_array<gc::value>>())[i]);
    }
  }

  void drop() {
    const std::size_t at = below(roots);
    plain_[at] = nullptr;
    managed_[at] = nullptr;
  }

  void write_bytes() {
    const std::size_t at = below(roots);
    thing* const model = plain_[at];
    if (model == nullptr || model->bytes.empty()) return;
    const std::size_t i = below(model->bytes.size());
    model->bytes[i] = static_cast<std::byte>(random_());
    (*managed_[at].get().as<gc::byte_array>())[i] = model->bytes[i];
  }

  // forget, take and give a piece, or trim; misuse as often as use.
  void let_go() {
    const std::size_t at = below(roots);
    thing* const model = plain_[at];
    if (model == nullptr || model->is != kind::bytes) {
      if (m_.forget(managed_[at]) != gc::release::not_bytes) throw std::logic_error("not_bytes");
      return;
    }
    const auto array = managed_[at].as<gc::byte_array>();
    const gc::release expected = !model->large      ? gc::release::too_small
                                 : model->forgotten ? gc::release::already
                                                    : gc::release::done;
    const auto require = [&](gc::release answer) {
      if (answer != expected) throw std::logic_error(text_of(answer));
    };
    const std::size_t kept = below(model->bytes.size() + 1);
    switch (below(3)) {
      case 0: require(m_.forget(array)); break;
      case 1:
        require(m_.trim(array, kept));
        if (expected == gc::release::done) model->bytes.resize(kept);
        return;
      default: {
        gc::taken_bytes taken = m_.take(array);
        require(taken.answer);
        if (!taken) return;
        model->forgotten = true;
        std::vector<std::byte> bytes = std::exchange(model->bytes, {});
        taken.bytes.shrink(kept);
        bytes.resize(kept);
        const std::size_t to = below(roots);
        const gc::local<gc::byte_array> given = m_.give(std::move(taken.bytes));
        thing* const piece = add(kind::bytes, to);
        piece->bytes = std::move(bytes);
        piece->large = given->is_large();
        managed_[to] = given;
        return;
      }
    }
    if (expected != gc::release::done) return;
    model->forgotten = true;
    model->bytes.clear();
  }

  // Locals end in the middle of things, and nothing leaks or dangles.
  void throw_through() {
    try {
      const gc::local<vertex> lost = m_.make<vertex>(0u);
      const gc::local<gc::byte_array> scratch = m_.make_bytes(1000);
      if (lost) throw std::runtime_error("on purpose");
    } catch (const std::runtime_error&) {
    }
  }

  gc::mutator& m_;
  std::mt19937_64& random_;
  std::vector<gc::local<gc::value>> managed_;
  std::vector<thing*> plain_;
  std::deque<thing> all_;
  std::uint64_t next_ = 1;
};

}  // namespace cleave::test
