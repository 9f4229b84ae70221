// collector.cpp -- the collector's C functions: shells over cleave/collector.hpp.
//
// Each turns what C++ throws into a code. A cl_root holds a root of the same list that
// locals stand in, so that C and C++ can share a thread's mutator.
#include <cleave_collector.h>

#include <cleave/collector.hpp>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "capi/growth.hpp"

namespace gc = cleave::gc;

struct cl_type {
  gc::type described;
  const cl_collector* owner = nullptr;
  std::vector<std::size_t> offsets;
};

struct cl_collector {
  explicit cl_collector(const gc::options& chosen) : c(chosen) {}
  gc::collector c;
  std::mutex lock;
  std::deque<cl_type> types;
};

struct cl_mutator {
  explicit cl_mutator(cl_collector& to) : owner(to), m(to.c) {}
  cl_collector& owner;
  gc::mutator m;
  std::optional<gc::blocking> away;
};

struct cl_shown {
  cl_shown(cl_collector& owner, std::function<void(gc::visitor&)> show)
      : r(owner.c, std::move(show)) {}
  gc::roots r;
};

namespace {

using gc::detail::root_link;

static_assert(sizeof(cl_root) == sizeof(root_link) && alignof(cl_root) == alignof(root_link));

root_link& link_of(cl_root* root) noexcept {
  return *std::launder(reinterpret_cast<root_link*>(root));
}
const root_link& link_of(const cl_root* root) noexcept {
  return *std::launder(reinterpret_cast<const root_link*>(root));
}

gc::value value_of(const cl_root* root) noexcept {
  return gc::value::from_bits(link_of(root).word);
}

gc::local<gc::value> local_of(cl_mutator* mutator, const cl_root* root) noexcept {
  return gc::local<gc::value>(mutator->m, value_of(root));
}

gc::local<gc::byte_array> bytes_of(cl_mutator* mutator, const cl_root* root) noexcept {
  return gc::local<gc::byte_array>(mutator->m, value_of(root).try_as<gc::byte_array>());
}

cl_release answer_of(gc::release answer) noexcept {
  return static_cast<cl_release>(answer);
}
static_assert(static_cast<int>(gc::release::out_of_range) == cl_release_out_of_range);
static_assert(static_cast<int>(gc::release::lent) == cl_release_lent);

// What the function throws, as a code.
template <class Function>
cl_status guarded(Function function) noexcept {
  try {
    function();
    return cl_ok;
  } catch (const std::bad_alloc&) {
    return cl_out_of_memory;
  } catch (const std::exception&) {
    return cl_bad_argument;
  }
}

template <class Number>
void use(Number& option, std::size_t wanted) noexcept {
  if (wanted != 0) option = static_cast<Number>(wanted);
}

void see(void* to, cl_word* word) {
  gc::value shown = gc::value::from_bits(*word);
  static_cast<gc::visitor*>(to)->visit(shown);
  *word = shown.bits();
}

}  // namespace

cl_status cl_collector_create(const cl_collector_options* options, cl_collector** out) {
  return guarded([&] {
    gc::options chosen;
    if (options != nullptr) {
      if (options->size < sizeof(cl_collector_options) || cleave::capi::asks_for_more(*options)) {
        throw std::exception();
      }
      use(chosen.nursery, options->nursery);
      use(chosen.large_threshold, options->large_threshold);
      use(chosen.large_budget, options->large_budget);
      use(chosen.old_minimum, options->old_minimum);
      use(chosen.limit, options->limit);
      use(chosen.tenure, options->tenure);
      chosen.debug.verify = options->verify != 0;
      chosen.debug.stress = options->stress;
    }
    *out = std::make_unique<cl_collector>(chosen).release();
  });
}

void cl_collector_destroy(cl_collector* collector) {
  const std::unique_ptr<cl_collector> ends(collector);
}

cl_status cl_type_add(cl_collector* collector, const char* name, size_t bytes,
                      const size_t* offsets, size_t count, const cl_type** out) {
  if (bytes < 8 || bytes % 8 != 0 || bytes > gc::max_object_bytes) return cl_bad_argument;
  if (name == nullptr || (offsets == nullptr && count != 0)) return cl_bad_argument;
  for (std::size_t i = 0; i < count; ++i) {
    if (offsets[i] % sizeof(cl_word) != 0 || offsets[i] > bytes - sizeof(cl_word)) {
      return cl_bad_argument;
    }
  }
  return guarded([&] {
    std::vector<std::size_t> copied(offsets, offsets + count);
    const std::lock_guard guard(collector->lock);
    cl_type& made = collector->types.emplace_back();
    made.owner = collector;
    made.offsets = std::move(copied);
    made.described.name = name;
    made.described.bytes = bytes;
    made.described.offsets = made.offsets.data();
    made.described.offset_count = count;
    *out = &made;
  });
}

cl_status cl_shown_add(cl_collector* collector, cl_show show, void* context, cl_shown** out) {
  if (show == nullptr) return cl_bad_argument;
  return guarded([&] {
    auto call = [show, context](gc::visitor& to) { show(context, &see, &to); };
    *out = std::make_unique<cl_shown>(*collector, call).release();
  });
}

void cl_shown_remove(cl_shown* shown) {
  const std::unique_ptr<cl_shown> ends(shown);
}

cl_status cl_mutator_attach(cl_collector* collector, cl_mutator** out) {
  return guarded([&] { *out = std::make_unique<cl_mutator>(*collector).release(); });
}

void cl_mutator_detach(cl_mutator* mutator) {
  const std::unique_ptr<cl_mutator> ends(mutator);
}

void cl_safepoint(cl_mutator* mutator) {
  mutator->m.safepoint();
}

cl_status cl_blocking_begin(cl_mutator* mutator) {
  return guarded([&] { mutator->away.emplace(mutator->m); });
}

void cl_blocking_end(cl_mutator* mutator) {
  mutator->away.reset();
}

void cl_collect(cl_mutator* mutator, int full) {
  mutator->m.collect(full != 0 ? gc::extent::all : gc::extent::young);
}

void cl_root_begin(cl_mutator* mutator, cl_root* root) {
  auto* const made = ::new (static_cast<void*>(root)) root_link;
  made->insert_behind(mutator->m.locals);
}

void cl_root_end(cl_root* root) {
  link_of(root).unlink();
  std::destroy_at(&link_of(root));
}

cl_word cl_root_get(const cl_root* root) {
  return link_of(root).word;
}

void cl_root_set(cl_root* root, cl_word word) {
  link_of(root).word = word;
}

cl_status cl_make_object(cl_mutator* mutator, const cl_type* type, cl_root* out) {
  if (type == nullptr || type->owner != &mutator->owner) return cl_bad_argument;
  return guarded([&] { link_of(out).word = mutator->m.make_object(type->described).word(); });
}

cl_status cl_make_bytes(cl_mutator* mutator, size_t bytes, cl_root* out) {
  return guarded([&] { link_of(out).word = mutator->m.make_bytes(bytes).word(); });
}

cl_status cl_make_references(cl_mutator* mutator, size_t count, cl_root* out) {
  return guarded([&] { link_of(out).word = mutator->m.make_refs<gc::value>(count).word(); });
}

void cl_store(cl_word* field, cl_word word) {
  gc::detail::store(field, word);
}

cl_status cl_references_get(const cl_root* array, size_t i, cl_word* out) {
  const auto* const refs = value_of(array).try_as<gc::ref_array<gc::value>>();
  if (refs == nullptr) return cl_bad_argument;
  if (i >= refs->size()) return cl_out_of_range;
  *out = (*refs)[i].bits();
  return cl_ok;
}

cl_status cl_references_set(const cl_root* array, size_t i, cl_word word) {
  auto* const refs = value_of(array).try_as<gc::ref_array<gc::value>>();
  if (refs == nullptr) return cl_bad_argument;
  if (i >= refs->size()) return cl_out_of_range;
  refs->set(i, gc::value::from_bits(word));
  return cl_ok;
}

cl_status cl_bytes_get(const cl_root* array, cl_run* out) {
  const auto* const bytes = value_of(array).try_as<gc::byte_array>();
  if (bytes == nullptr) return cl_bad_argument;
  *out = {bytes->data(), bytes->size()};
  return cl_ok;
}

const cl_type* cl_type_of(cl_word word) {
  const gc::value any = gc::value::from_bits(word);
  if (!any.is_reference()) return nullptr;
  const gc::type& described = any.object_type();
  if (described.layout != gc::type::kind::object) return nullptr;
  // The description is the first member, and C objects have no other.
  return reinterpret_cast<const cl_type*>(&described);
}

const char* cl_release_text(cl_release answer) {
  return gc::text_of(static_cast<gc::release>(answer));
}

cl_release cl_forget(cl_mutator* mutator, const cl_root* bytes) {
  return answer_of(mutator->m.forget(local_of(mutator, bytes)));
}

cl_release cl_take(cl_mutator* mutator, const cl_root* bytes, cl_run* out) {
  gc::taken_bytes taken = mutator->m.take(bytes_of(mutator, bytes));
  if (taken) {
    const auto owned = taken.bytes.release();
    *out = {owned.data(), owned.size()};
  }
  return answer_of(taken.answer);
}

cl_release cl_trim(cl_mutator* mutator, const cl_root* array, size_t bytes) {
  return answer_of(mutator->m.trim(bytes_of(mutator, array), bytes));
}

cl_status cl_give(cl_mutator* mutator, cl_run run, cl_root* out) {
  auto owned = cleave::array<std::byte>::adopt({static_cast<std::byte*>(run.ptr), run.bytes});
  const cl_status status =
      guarded([&] { link_of(out).word = mutator->m.give(std::move(owned)).word(); });
  (void)owned.release();
  return status;
}

cl_status cl_collector_get_statistics(const cl_collector* collector, cl_collector_statistics* out) {
  if (out->size < sizeof(cl_collector_statistics)) return cl_bad_argument;
  const gc::statistics now = collector->c.stats();
  cl_collector_statistics known{};
  known.young_collections = now.young_collections;
  known.full_collections = now.full_collections;
  known.allocated = now.allocated;
  known.given = now.given;
  known.forgotten = now.forgotten;
  known.taken = now.taken;
  known.swept = now.swept;
  known.large_young = now.large_young;
  known.large_old = now.large_old;
  known.charged = now.charged;
  known.blocks = now.blocks;
  known.pause_total_ns = static_cast<std::uint64_t>(now.pause_total.count());
  known.pause_longest_ns = static_cast<std::uint64_t>(now.pause_longest.count());
  cleave::capi::hand_out(known, out);
  return cl_ok;
}
