// ref.hpp -- a field of a managed object that refers to another one.
//
//   struct node {
//     gc::ref<node> left, right;
//     gc::ref<gc::value> payload;                        // any object, or an immediate
//     void trace(gc::visitor& to) { to.visit(left, right, payload); }
//   };
//   n->left = other->right;                              // from a field, a local, a global
//
// An assignment is the write barrier: it cannot be forgotten. It costs a store, a load of
// the block that the field lies in, and in old objects a little more.
//
// A ref lives inside a managed object and nowhere else; one on the stack or in a
// container of C++ is neither a root nor has it a block. Use local or global there.
// That is why a ref cannot be copied or returned.
#pragma once

#include <cleave/collector/value.hpp>
#include <cleave/heap.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace cleave::gc {

template <class T>
class local;
template <class T>
class global;

namespace detail {

// Objects lie in blocks of this size at multiples of it.
inline constexpr std::size_t block_bytes = 65536;

// What every store and every visit reads of a block.
struct block_front {
  // Not 0 where a store may have to be remembered: in the old generation.
  std::uint8_t barrier = 0;
  // 1 for the nursery and the ages before old.
  std::uint8_t young = 0;
  // 1 while a collection looks for the living in this block.
  std::uint8_t condemned = 0;
};

inline block_front* front_of(std::uintptr_t address) noexcept {
  return reinterpret_cast<block_front*>(address & ~std::uintptr_t{block_bytes - 1});
}

inline constexpr bool is_reference(std::uintptr_t word) noexcept {
  return (word & 7) == 0 && word != 0;
}

// Remembers that this old field may refer to a young object.
CLEAVE_API void remember(std::uintptr_t* field) noexcept;

inline void store(std::uintptr_t* field, std::uintptr_t word) noexcept {
  *field = word;
  if (front_of(reinterpret_cast<std::uintptr_t>(field))->barrier == 0) [[likely]]
    return;
  if (is_reference(word) && front_of(word)->young != 0) remember(field);
}

}  // namespace detail

template <class T>
class ref {
 public:
  using pointer = typename detail::handed_out<T>::type;

  ref() noexcept = default;
  ref(std::nullptr_t) noexcept {}
  // For constructors: the object is new, and there is nothing to remember.
  template <class U>
    requires detail::stands_for<U, T>
  ref(const local<U>& from) noexcept : word_(from.word()) {}
  template <class U>
    requires detail::stands_for<U, T>
  ref(const global<U>& from) noexcept : word_(from.word()) {}
  ref(immediate from) noexcept
    requires std::same_as<T, value>
      : word_(from.bits()) {}

  ref(const ref&) = delete;
  ref& operator=(const ref& from) noexcept { return assign(from.word_); }
  template <class U>
    requires detail::stands_for<U, T>
  ref& operator=(const ref<U>& from) noexcept {
    return assign(from.word());
  }
  template <class U>
    requires detail::stands_for<U, T>
  ref& operator=(const local<U>& from) noexcept {
    return assign(from.word());
  }
  template <class U>
    requires detail::stands_for<U, T>
  ref& operator=(const global<U>& from) noexcept {
    return assign(from.word());
  }
  ref& operator=(std::nullptr_t) noexcept { return assign(0); }
  ref& operator=(immediate from) noexcept
    requires std::same_as<T, value>
  {
    return assign(from.bits());
  }
  // Requires: `from` is good now, that is, it was read after the last safepoint.
  void set(pointer from) noexcept { assign(value(from).bits()); }

  // Good until the next safepoint of this thread.
  [[nodiscard]] pointer get() const noexcept { return detail::handed_out<T>::from(word_); }
  [[nodiscard]] T* operator->() const noexcept
    requires(!std::same_as<T, value>)
  {
    return get();
  }
  explicit operator bool() const noexcept { return word_ != 0; }

  [[nodiscard]] std::uintptr_t word() const noexcept { return word_; }

 private:
  friend class visitor;

  ref& assign(std::uintptr_t word) noexcept {
    detail::store(&word_, word);
    return *this;
  }

  std::uintptr_t word_ = 0;
};

static_assert(sizeof(ref<value>) == sizeof(std::uintptr_t));

// What an object's trace() and the program's own roots show their references to.
class visitor {
 public:
  // Fields of objects (ref), and words outside of objects that are roots (value).
  template <class... Words>
  void visit(Words&... words) {
    (see(words), ...);
  }

  visitor(const visitor&) = delete;
  visitor& operator=(const visitor&) = delete;
  virtual ~visitor() = default;

 protected:
  // One that sees only references into condemned blocks, or all.
  explicit visitor(bool sees_all) noexcept : sees_all_(sees_all) {}

  // The word is a reference. The visitor may write another one there.
  virtual void reference(std::uintptr_t* word) = 0;

  void see_word(std::uintptr_t* word) {
    if (!detail::is_reference(*word)) return;
    if (detail::front_of(*word)->condemned == 0 && !sees_all_) return;
    reference(word);
  }

 private:
  template <class T>
  void see(ref<T>& field) {
    see_word(&field.word_);
  }
  void see(value& root) {
    std::uintptr_t word = root.bits();
    see_word(&word);
    root = value::from_bits(word);
  }

  bool sees_all_;
};

}  // namespace cleave::gc
