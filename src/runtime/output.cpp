#include "runtime/output.hpp"

#include <atomic>
#include <chrono>
#include <cleave/runtime/stop.hpp>
#include <cstring>
#include <mutex>

#include "os/stream.hpp"
#include "os/thread.hpp"

namespace cleave::runtime {
namespace {

constexpr int standard_output = 1;
constexpr int standard_error = 2;

// Set by the thread that ends the process. Relaxed: it hands nothing to the others.
constinit std::atomic<bool> ending{false};
thread_local constinit bool ending_here = false;

[[nodiscard]] bool begin_to_end() noexcept {
  ending_here = ending_here || !ending.exchange(true, std::memory_order_relaxed);
  return ending_here;
}

void write_error(std::string_view bytes) noexcept {
  static_cast<void>(os::write_all(standard_error, bytes.data(), bytes.size()));
}

class output_buffer {
 public:
  // Holds the buffer, unless this thread does already: then it was interrupted by a signal.
  class hold {
   public:
    explicit hold(output_buffer& buffer) noexcept : buffer_(buffer), mine_(!held_here) {
      if (!mine_) return;
      buffer_.lock_.lock();
      held_here = true;
    }
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() {
      if (!mine_) return;
      held_here = false;
      buffer_.lock_.unlock();
    }
    [[nodiscard]] explicit operator bool() const noexcept { return mine_; }

   private:
    output_buffer& buffer_;
    const bool mine_;
  };

  // All of these are called while it is held.
  void open() noexcept { seen_ = os::is_terminal(standard_output); }

  void put(std::string_view bytes) noexcept {
    if (bytes.size() > sizeof bytes_ - used_) {
      flush();
      if (bytes.size() >= sizeof bytes_) return write_out(bytes);
    }
    std::memcpy(bytes_ + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  // What belongs together is complete.
  void end_piece() noexcept {
    if (seen_) flush();
  }

  void flush() noexcept {
    write_out({bytes_, used_});
    used_ = 0;
  }

 private:
  static void write_out(std::string_view bytes) noexcept {
    if (bytes.empty()) return;
    const int error = os::write_all(standard_output, bytes.data(), bytes.size());
    // Whoever ends the process already has something else to say.
    if (error == 0 || ending.load(std::memory_order_relaxed) || !begin_to_end()) return;
    write_error("bend: standard output: " + os::reason(error) + "\n");
    os::exit_now(1);
  }

  static thread_local constinit bool held_here;

  std::mutex lock_;
  bool seen_ = false;  // by somebody at a terminal
  std::size_t used_ = 0;
  char bytes_[65536] = {};
};

thread_local constinit bool output_buffer::held_here = false;

constinit output_buffer standard;

// A piece of text by itself: not mixed with others, after what was printed.
template <class Write>
void flush_and_write_error(Write write) noexcept {
  const output_buffer::hold held(standard);
  if (held) standard.flush();
  write();
}

void write_error(string s) noexcept {
  for_each_valid_piece(s, [](std::string_view bytes) { write_error(bytes); });
}

template <class Text>
[[noreturn]] void end(int code, Text message, std::string_view newline,
                      std::string_view after = "") noexcept {
  while (!begin_to_end()) os::sleep(std::chrono::hours(1));
  flush_and_write_error([&] {
    write_error(message);
    write_error(newline);
    write_error(after);
  });
  os::exit_now(code);
}

}  // namespace

namespace output {

void open() noexcept {
  const output_buffer::hold held(standard);
  standard.open();
}

void put(string s, bool newline) noexcept {
  const output_buffer::hold held(standard);
  for_each_valid_piece(s, [](std::string_view bytes) { standard.put(bytes); });
  if (newline) standard.put("\n");
  standard.end_piece();
}

void flush() noexcept {
  const output_buffer::hold held(standard);
  standard.flush();
}

void put_error(string s, bool newline) noexcept {
  flush_and_write_error([=] {
    write_error(s);
    if (newline) write_error("\n");
  });
}

void put_error(std::string_view s) noexcept {
  flush_and_write_error([=] { write_error(s); });
}

}  // namespace output

void end_process(int code, std::string_view message) noexcept {
  end(code, message, "");
}

void end_process(int code, string message, std::string_view after) noexcept {
  end(code, message, "\n", after);
}

void stop(const char* message) noexcept {
  end(1, std::string_view(message), "\n");
}

}  // namespace cleave::runtime
