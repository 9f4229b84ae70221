// mutator.hpp -- a thread's door to the collector: it makes objects, and stops for collections.
//
//   gc::mutator m(c);                                  // this thread takes part, from now on
//   gc::local<node> n = m.make<node>(left, right);     // left and right are locals
//   m.forget(scratch);
//   { gc::blocking away(m);  read(file, ...); }        // collections do not wait for us here
//
// The rules, all of them:
//   H1  A SAFEPOINT is a call that may collect: make(), make_bytes(), make_refs(), give(),
//       collect(), safepoint(), run_finalizers(), and the beginning and end of `blocking`.
//       At a safepoint every object may move, and one that no root reaches is gone.
//   H2  Roots are: locals, globals, and what a `roots` callback shows. Nothing else is; no
//       stack or register is searched.
//   H3  Plain pointers and values (get(), ->, this in a member function of an object) are
//       good until the next safepoint of this thread. `no_safepoint` guards a piece of
//       code that relies on it. C++ evaluates the a of a->f(m.make<node>()) before the
//       argument, so that f is called on an object that may have moved: name the new
//       object first. The assignment a->field = m.make<node>() is right as it stands.
//   H4  A ref lives in an object. Each is shown by the object's trace().
//   H5  The constructor of an object does not call the mutator.
//   H6  A mutator, and its locals, are used by one thread, and a thread has one mutator of
//       a collector. Objects may be shared between attached threads; what orders their
//       accesses is the program's business.
//   H7  A thread that runs long without allocating calls safepoint() now and then; one
//       that waits for something does so in `blocking`, and one that ends destroys its
//       mutator. Collections wait for all others. A thread that is attached to several
//       collectors is in `blocking` of all but the one that it uses: a safepoint of one
//       is a wait to the others.
// With CLEAVE_COLLECTOR=stress,poison in the environment each allocation collects, and what
// has moved is overwritten: a broken rule shows at once.
#pragma once

#include <cleave/array.hpp>
#include <cleave/collector/arrays.hpp>
#include <cleave/collector/local.hpp>
#include <cleave/collector/ref.hpp>
#include <cleave/collector/value.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace cleave::gc {

// A line of the program, for reports. Is filled in by the default argument.
struct place {
  const char* file = "";
  int line = 0;
  static constexpr place here(const char* file = __builtin_FILE(),
                              int line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

enum class extent { young, all };

namespace detail {

class heap_state;

template <class A>
struct is_stale : std::false_type {};
template <>
struct is_stale<value> : std::true_type {};
template <class T>
struct is_stale<T*> {
  static constexpr bool value = managed<std::remove_cv_t<T>>;
};

// A plain pointer to an object, or the object itself by reference, would be stale in the
// constructor.
template <class A>
concept outlives_a_safepoint =
    !is_stale<std::remove_cvref_t<A>>::value && !managed<std::remove_cvref_t<A>>;

}  // namespace detail

class CLEAVE_API mutator : public detail::local_list {
 public:
  // Attaches this thread. Waits for a collection that is running.
  // Throws std::bad_alloc.
  explicit mutator(collector& owner);
  // Detaches it. Requires: none of its locals is left.
  ~mutator();
  mutator(const mutator&) = delete;
  mutator& operator=(const mutator&) = delete;

  [[nodiscard]] collector& owner() const noexcept { return owner_; }

  // --- Objects: safepoints. Throw std::bad_alloc when a full collection has not helped;
  //     then no object was made ---

  // A new T, constructed with the arguments, which must not be plain references.
  template <managed T, class... A>
    requires(!detail::built_in<T>)
  local<T> make(A&&... arguments) {
    static_assert((detail::outlives_a_safepoint<A> && ...),
                  "a plain reference is stale after a safepoint; pass a local");
    void* const memory = allocate(type_of<T>(), type_of<T>().bytes);
    if constexpr (std::is_constructible_v<T, A...>) {
      return local<T>(*this, ::new (memory) T(std::forward<A>(arguments)...));
    } else {
      return local<T>(*this, ::new (memory) T{std::forward<A>(arguments)...});
    }
  }

  // An object of a type that was described by hand, all zeros.
  local<value> make_object(const type& described);

  // An array of `size` bytes, all zero, or left as the memory has them.
  local<byte_array> make_bytes(std::size_t size, place at = place::here());
  local<byte_array> make_bytes_for_overwrite(std::size_t size, place at = place::here());
  // An array of null references.
  template <class T>
  local<ref_array<T>> make_refs(std::size_t size, place at = place::here()) {
    return local<ref_array<T>>(*this, static_cast<ref_array<T>*>(make_references(size, at)));
  }

  // Makes a managed array of an owned one: O(1), or a copy if it is small.
  // If it throws, the bytes are what they were.
  local<byte_array> give(array<std::byte>&& bytes, place at = place::here()) {
    bool kept = false;
    local<byte_array> given = give_bytes(bytes.data(), bytes.size(), kept, at);
    if (kept) {
      static_cast<void>(bytes.release());
    } else {
      bytes.clear();
    }
    return given;
  }

  // --- Letting go: O(1), no safepoint, never fails half-way ---

  // Returns the payload to the heap now. The array is empty for everyone who has it.
  release forget(const local<value>& bytes, place at = place::here()) noexcept;
  release forget(const local<byte_array>& bytes, place at = place::here()) noexcept;
  // The same, but the payload becomes the caller's.
  taken_bytes take(const local<byte_array>& bytes, place at = place::here()) noexcept;
  // Keeps [0, size), and returns the rest to the heap.
  release trim(const local<byte_array>& bytes, std::size_t size, place at = place::here()) noexcept;

  // --- Collections ---

  // Collects now.
  void collect(extent what = extent::all);
  // Stops here if another thread wants to collect. A load and a branch if not.
  void safepoint();

  // Calls `function(object, context)` once after the object was found to be reachable by
  // no root, in a run_finalizers() of any thread. The object, and all it refers to, live
  // until then. Throws std::bad_alloc, and std::invalid_argument for what is no object of
  // this collector.
  using finalizer = void (*)(mutator& m, const local<value>& object, void* context);
  void finalize(const local<value>& object, finalizer function, void* context = nullptr);
  // Runs what waits, and returns how many there were. Finalizers may allocate. What one
  // throws passes through; it is not run again, and the others still wait.
  std::size_t run_finalizers();

 private:
  friend class blocking;
  friend class no_safepoint;
  friend class detail::heap_state;

  void* allocate(const type& made, std::size_t bytes) {
    const std::size_t whole = bytes + sizeof(std::uintptr_t);
    if (limit_ - top_ < whole) [[unlikely]]
      refill(whole);
    auto* const header = reinterpret_cast<std::uintptr_t*>(top_);
    top_ += whole;
    *header = reinterpret_cast<std::uintptr_t>(&made) | 1;
    return header + 1;
  }

  void refill(std::size_t bytes);
  void* make_references(std::size_t size, place at);
  // A managed array of these bytes. `kept`: it owns them now, else it has copies.
  local<byte_array> give_bytes(std::byte* bytes, std::size_t size, bool& kept, place at);

  std::uintptr_t top_ = 0;
  std::uintptr_t limit_ = 0;
  collector& owner_;
  struct inside;
  std::unique_ptr<inside> inside_;
};

// While it lives, this thread touches no object, no local and no global, and no
// collection waits for it; a safepoint, and so another `blocking`, stops the program with
// a message. Its destructor waits for a running collection to end.
class CLEAVE_API blocking {
 public:
  [[nodiscard]] explicit blocking(mutator& m);
  ~blocking();
  blocking(const blocking&) = delete;
  blocking& operator=(const blocking&) = delete;

 private:
  mutator& m_;
};

// While it lives, a call of this mutator that is a safepoint stops the program with a
// message, whether it would have collected or not.
class CLEAVE_API no_safepoint {
 public:
  [[nodiscard]] explicit no_safepoint(mutator& m) noexcept;
  ~no_safepoint();
  no_safepoint(const no_safepoint&) = delete;
  no_safepoint& operator=(const no_safepoint&) = delete;

 private:
  mutator& m_;
};

// Keeps the bytes of a large array alive and in place, and refuses to let them go, while
// native code uses them, also during `blocking`. O(1).
class CLEAVE_API lend {
 public:
  // Throws std::invalid_argument for an array that is not large, and forgotten_array.
  [[nodiscard]] lend(mutator& m, const local<byte_array>& bytes);
  // May be called in `blocking`.
  ~lend();
  lend(const lend&) = delete;
  lend& operator=(const lend&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  collector& owner_;
  detail::payload* payload_ = nullptr;
  detail::root_link root_;
  std::span<std::byte> bytes_;
};

}  // namespace cleave::gc
