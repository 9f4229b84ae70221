// frame_stream.cpp -- length-prefixed messages out of chunks of any size.
//
// A peer sends messages, each behind its length in two bytes, and they arrive in
// chunks that know nothing of messages. Whole messages are split off the front of
// one buffer, in O(1) and without a copy. Most are read and dropped, some are kept,
// and in the end memory is in use for what is kept and for nothing else.
#include <cleave/byte_buffer.hpp>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

using cleave::byte_buffer;

namespace {

// The other end of the connection: 1000 messages of 0 to 999 bytes.
class peer {
 public:
  peer() {
    for (std::size_t message = 0; message < 1000; ++message) {
      const std::size_t length = message * 389 % 1000;
      sent_.push_back(static_cast<std::byte>(length / 256));
      sent_.push_back(static_cast<std::byte>(length % 256));
      sent_.insert(sent_.end(), length, static_cast<std::byte>(message % 256));
    }
  }

  // Like read(): writes up to room.size() bytes, and says how many; 0 at the end.
  // Each call has another number of bytes ready, 1 to 2039.
  std::size_t read(std::span<std::byte> room) {
    ready_ = ready_ * 31 % 2039 + 1;
    std::size_t count = 0;
    while (count < room.size() && count < ready_ && next_ < sent_.size()) {
      room[count++] = sent_[next_++];
    }
    return count;
  }

 private:
  std::vector<std::byte> sent_;
  std::size_t next_ = 0;
  std::size_t ready_ = 1;
};

// The next whole message at the front, or nothing while it is not complete.
std::optional<byte_buffer> next_message(byte_buffer& in) {
  constexpr std::size_t prefix = 2;
  if (in.size() < prefix) return std::nullopt;
  const auto length =
      std::to_integer<std::size_t>(in[0]) * 256 + std::to_integer<std::size_t>(in[1]);
  if (in.size() < prefix + length) return std::nullopt;
  in.advance(prefix);
  return in.split_to(length);
}

}  // namespace

int main() {
  const std::size_t live_before = cleave::heap::live_bytes();
  peer connection;
  std::vector<byte_buffer> kept;
  std::size_t messages = 0;
  std::size_t bytes = 0;
  std::size_t kept_bytes = 0;
  std::size_t most_live = 0;
  {
    byte_buffer in;
    for (;;) {
      in.reserve(1024);
      const std::size_t count = connection.read(in.spare());
      if (count == 0) break;
      in.commit(count);
      while (std::optional<byte_buffer> message = next_message(in)) {
        ++messages;
        bytes += message->size();
        if (messages % 50 != 0) continue;
        kept_bytes += message->size();
        kept.push_back(*std::move(message));
      }
      const std::size_t working = cleave::heap::live_bytes() - live_before - kept_bytes;
      if (working > most_live) most_live = working;
    }
  }
  const std::size_t live = cleave::heap::live_bytes() - live_before;
  std::printf("received  %zu messages, %zu bytes\n", messages, bytes);
  std::printf("kept      %zu messages, %zu bytes\n", kept.size(), kept_bytes);
  std::printf("in use    %zu bytes\n", live);
  std::printf("besides, while it ran, never more than 8 KiB: %s\n",
              most_live <= 8192 ? "yes" : "no");
  kept.clear();
  std::printf("in the end %zu bytes\n", cleave::heap::live_bytes() - live_before);
}
