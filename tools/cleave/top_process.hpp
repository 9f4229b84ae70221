// top_process.hpp -- the processes that show their heap (include/cleave/detail/shown.hpp).
//
//   for (const pid_t process : shown_processes()) ...
//   detail::shown seen;
//   if (const std::string why = look_at(process, seen); !why.empty()) throw command_error(why);
//
// Nothing is ever written into a process or its file. A file counts when it belongs to this user
// (or this user is root), is locked by the process that it names, has the right size, and its
// checksum holds; so links, files of others, files of dead processes and cut ones do not.
#pragma once

#include <sys/types.h>

#include <cleave/detail/shown.hpp>
#include <cleave/heap.hpp>
#include <string>
#include <vector>

namespace cleave::tool {

// Reads what the process shows. Returns an empty string, or why there is nothing, as one line.
std::string look_at(pid_t process, cleave::detail::shown& to);

// By number. Removes the files of this user's processes that have ended.
std::vector<pid_t> shown_processes();

// Whether there is a process of this number.
bool is_running(pid_t process);

// The program's name, as plain letters; "?" if it is not known.
std::string program_of(pid_t process);

// As the process itself would have got them.
heap::statistics statistics_of(const cleave::detail::shown& seen);

}  // namespace cleave::tool
