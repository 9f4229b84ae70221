#include <cleave/runtime/cell.hpp>

namespace cleave::runtime {

bool many_threads = false;
program_counts counted;

namespace detail {

thread_local constinit cell_bins this_thread_cells;

namespace {

// What a thread keeps of one size: 16 KiB. A refill asks the heap for as many cells as make
// 2 KiB, and what is too much goes back by halves, so that both are rare.
constexpr std::size_t bytes_kept = 16384;
constexpr std::size_t bytes_refilled = 2048;

// Gives this thread's cells to the heap when it ends. What is freed later, by destructors of
// other thread-local objects, goes to the heap at once.
class bins_of_thread {
 public:
  bins_of_thread() noexcept = default;
  bins_of_thread(const bins_of_thread&) = delete;
  bins_of_thread& operator=(const bins_of_thread&) = delete;
  ~bins_of_thread() {
    open_ = false;
    for (std::size_t i = 0; i <= largest_kept / 8; ++i) {
      give_back(this_thread_cells.of[i], i * 8, SIZE_MAX);
      this_thread_cells.of[i].room = 0;
    }
  }

  [[nodiscard]] bool open() const noexcept { return open_; }

  static void give_back(cell_bin& bin, std::size_t size, std::size_t most) noexcept {
    for (; bin.top != nullptr && most != 0; --most) {
      void* const free = bin.top;
      bin.top = next_of(free);
      ++bin.room;
      heap::free(free, size);
    }
  }

 private:
  bool open_ = true;
};

thread_local bins_of_thread owner;

}  // namespace

void* take_run(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment > heap::default_alignment || bytes >= heap::default_alignment) {
    alignment = heap::default_alignment;
  }
  void* const run = heap::try_allocate(bytes, alignment);
  if (run == nullptr) stop(message::out_of_memory);
  return run;
}

void* take_cell_slowly(std::size_t size) noexcept {
  size = (size + 7) / 8 * 8;
  void* const cell = heap::try_allocate(size, 8);
  if (cell == nullptr) stop(message::out_of_memory);
  if (size > largest_kept || !owner.open()) return cell;
  cell_bin& bin = this_thread_cells.of[size / 8];
  if (bin.room == 0) bin.room = bytes_kept / size;
  // Linked at the end, so that they are handed out in the order of the heap.
  void* last = nullptr;
  for (std::size_t i = bytes_refilled / size; i > 1; --i) {
    void* const more = heap::try_allocate(size, 8);
    if (more == nullptr) break;
    set_next(more, nullptr);
    if (last == nullptr) {
      bin.top = more;
    } else {
      set_next(last, more);
    }
    last = more;
    --bin.room;
  }
  return cell;
}

void free_cell_slowly(void* memory, std::size_t size) noexcept {
  size = (size + 7) / 8 * 8;
  if (size > largest_kept || !owner.open()) return heap::free(memory, size);
  cell_bin& bin = this_thread_cells.of[size / 8];
  if (bin.top == nullptr) {
    bin.room = bytes_kept / size;  // the first of this size
  } else {
    bins_of_thread::give_back(bin, size, bytes_kept / size / 2);
  }
  free_cell(memory, size);
}

}  // namespace detail

void pile::take_apart() noexcept {
  constexpr std::uint64_t address = (std::uint64_t{1} << 48) - 1;
  while (top_ != nullptr) {
    header* const cell = top_;
    std::uint64_t link = 0;
    std::memcpy(&link, static_cast<const void*>(cell), sizeof link);
    top_ = reinterpret_cast<header*>(static_cast<std::uintptr_t>(link & address));
    const descriptor& of = descriptors[link >> 48];
    if (of.scan != nullptr) of.scan(cell, *this);
    free_cell(cell, of.size);
  }
}

}  // namespace cleave::runtime
