// local.hpp -- references that the program holds: in functions, and for long.
//
//   gc::local<node> root = m.make<node>();      // a root of this thread, while it lives
//   gc::local<node> left(m, root->left);        // from a field
//   root->right = left;                         // to a field
//   gc::global<node> kept(c, root);             // a root of the collector, for any thread
//
// The object that a local or global names stays alive and the handle follows it when it
// moves. `->` and get() give its address of the moment, which is good until the next
// safepoint of this thread (mutator.hpp): use it at once, do not keep it.
//
// Locals may be made, copied, assigned and dropped in any order, also in containers; they
// are used by the thread of their mutator alone, and end before it. A global is used by
// attached threads; it ends before its collector. Making or dropping a local costs a few
// stores, a global takes a lock.
#pragma once

#include <cleave/collector/ref.hpp>
#include <cleave/collector/value.hpp>
#include <cleave/heap.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace cleave::gc {

class collector;
class mutator;

namespace detail {

// A word in a circular list of roots.
class root_link {
 public:
  root_link() noexcept : previous_(this), next_(this) {}
  root_link(const root_link&) = delete;
  root_link& operator=(const root_link&) = delete;

  [[nodiscard]] root_link* next() const noexcept { return next_; }
  [[nodiscard]] bool alone() const noexcept { return next_ == this; }

  std::uintptr_t word = 0;

  // g++ takes the link of a temporary for one that stays; its destructor unlinks it.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
  void insert_behind(root_link& other) noexcept {
    previous_ = &other;
    next_ = other.next_;
    next_->previous_ = this;
    other.next_ = this;
  }
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#  pragma GCC diagnostic pop
#endif
  void unlink() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = this;
  }

 private:
  root_link* previous_;
  root_link* next_;
};

// The list of a mutator's locals; mutator.hpp has the rest of it.
class local_list {
 public:
  root_link locals;

 protected:
  local_list() = default;
  ~local_list() = default;
};

CLEAVE_API void link_global(collector& owner, root_link& root) noexcept;
CLEAVE_API void point_weak(collector& owner, root_link& root, std::uintptr_t object) noexcept;
CLEAVE_API void link_weak(collector& owner, root_link& root) noexcept;
CLEAVE_API void unlink_root(root_link& root, collector& owner) noexcept;

}  // namespace detail

template <class T>
class [[nodiscard]] local {
 public:
  using pointer = typename detail::handed_out<T>::type;

  // Null.
  explicit local(detail::local_list& m) noexcept { link_.insert_behind(m.locals); }
  // Requires: `from` is good now.
  local(detail::local_list& m, pointer from) noexcept : local(m) {
    link_.word = value(from).bits();
  }
  template <class U>
    requires detail::stands_for<U, T>
  local(detail::local_list& m, const ref<U>& from) noexcept : local(m) {
    link_.word = from.word();
  }
  template <class U>
    requires detail::stands_for<U, T>
  local(detail::local_list& m, const global<U>& from) noexcept : local(m) {
    link_.word = from.word();
  }

  local(const local& from) noexcept { copy(from); }
  // A value of any type, from a local of a known one.
  template <class U>
    requires(detail::stands_for<U, T> && !std::same_as<U, T>)
  local(const local<U>& from) noexcept {
    copy(from);
  }
  ~local() { link_.unlink(); }

  local& operator=(const local& from) noexcept {
    link_.word = from.link_.word;
    return *this;
  }
  template <class U>
    requires detail::stands_for<U, T>
  local& operator=(const local<U>& from) noexcept {
    link_.word = from.word();
    return *this;
  }
  template <class U>
    requires detail::stands_for<U, T>
  local& operator=(const ref<U>& from) noexcept {
    link_.word = from.word();
    return *this;
  }
  template <class U>
    requires detail::stands_for<U, T>
  local& operator=(const global<U>& from) noexcept {
    link_.word = from.word();
    return *this;
  }
  local& operator=(std::nullptr_t) noexcept {
    link_.word = 0;
    return *this;
  }
  local& operator=(immediate from) noexcept
    requires std::same_as<T, value>
  {
    link_.word = from.bits();
    return *this;
  }
  // Requires: `from` is good now.
  void set(pointer from) noexcept { link_.word = value(from).bits(); }

  // Good until the next safepoint of this thread.
  [[nodiscard]] pointer get() const noexcept { return detail::handed_out<T>::from(link_.word); }
  [[nodiscard]] T* operator->() const noexcept
    requires(!std::same_as<T, value>)
  {
    return get();
  }
  explicit operator bool() const noexcept { return link_.word != 0; }

  // The same object as a U. Requires: it is one, or null.
  template <managed U>
  local<U> as() const noexcept {
    local<U> made(*this, 0);
    made.link_.word = link_.word;
    return made;
  }

  [[nodiscard]] std::uintptr_t word() const noexcept { return link_.word; }

 private:
  template <class U>
  friend class local;

  // Null, in the list of the other.
  template <class U>
  local(const local<U>& beside, int) noexcept {
    link_.insert_behind(beside.neighbour());
  }
  template <class U>
  void copy(const local<U>& from) noexcept {
    link_.insert_behind(from.neighbour());
    link_.word = from.word();
  }
  detail::root_link& neighbour() const noexcept { return link_; }

  mutable detail::root_link link_;
};

template <class T>
class [[nodiscard]] global {
 public:
  using pointer = typename detail::handed_out<T>::type;

  explicit global(collector& owner) noexcept : owner_(owner) { detail::link_global(owner_, link_); }
  template <class U>
    requires detail::stands_for<U, T>
  global(collector& owner, const local<U>& from) noexcept : global(owner) {
    link_.word = from.word();
  }
  global(const global&) = delete;
  ~global() { detail::unlink_root(link_, owner_); }

  global& operator=(const global& from) noexcept {
    link_.word = from.link_.word;
    return *this;
  }
  template <class U>
    requires detail::stands_for<U, T>
  global& operator=(const local<U>& from) noexcept {
    link_.word = from.word();
    return *this;
  }
  global& operator=(std::nullptr_t) noexcept {
    link_.word = 0;
    return *this;
  }

  // Good until the next safepoint of this thread.
  [[nodiscard]] pointer get() const noexcept { return detail::handed_out<T>::from(link_.word); }
  [[nodiscard]] T* operator->() const noexcept
    requires(!std::same_as<T, value>)
  {
    return get();
  }
  explicit operator bool() const noexcept { return link_.word != 0; }
  [[nodiscard]] std::uintptr_t word() const noexcept { return link_.word; }

 private:
  collector& owner_;
  detail::root_link link_;
};

// A reference that keeps nothing alive. It becomes null in the collection that finds its
// object reachable by no strong reference; a finalizer that still waits to run does not
// count. Used like a global.
template <class T>
class [[nodiscard]] weak {
 public:
  using pointer = typename detail::handed_out<T>::type;

  explicit weak(collector& owner) noexcept : owner_(owner) { detail::link_weak(owner_, link_); }
  template <class U>
    requires detail::stands_for<U, T>
  weak(collector& owner, const local<U>& from) noexcept : weak(owner) {
    *this = from;
  }
  weak(const weak&) = delete;
  ~weak() { detail::unlink_root(link_, owner_); }

  template <class U>
    requires detail::stands_for<U, T>
  weak& operator=(const local<U>& from) noexcept {
    detail::point_weak(owner_, link_, from.word());
    return *this;
  }
  weak& operator=(const weak&) = delete;

  // A strong reference, or null if the object has died.
  local<T> lock(detail::local_list& m) const noexcept {
    return local<T>(m, detail::handed_out<T>::from(link_.word));
  }
  [[nodiscard]] bool dead() const noexcept { return link_.word == 0; }

 private:
  collector& owner_;
  detail::root_link link_;
};

}  // namespace cleave::gc
