// launch.cpp -- runs a command and says what it took: time, memory, page faults.
//
//   launch FILE COMMAND [ARGUMENT...]
//
// writes one line to FILE: seconds by the clock, of the processor for the program and for the
// system, kilobytes at the most, page faults, and the exit status as wait() gives it.
//
// It exists because the system counts what a process had before it became another program: a
// child of a large interpreter never seems smaller than the interpreter. This one is small.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace {

double now() {
  std::timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: launch FILE COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const double before = now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[2], words + 2);
    std::perror(words[2]);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  pid_t ended = child;
  if (child > 0) {
    do {
      ended = wait4(child, &status, 0, &used);
    } while (ended < 0 && errno == EINTR);
  }
  const double after = now();
  if (ended < 0) {
    std::perror("launch");
    return 1;
  }
  std::FILE* const file = std::fopen(words[1], "w");
  if (file == nullptr) {
    std::perror(words[1]);
    return 1;
  }
  std::fprintf(file, "%.9f %.6f %.6f %ld %ld %d\n", after - before, seconds(used.ru_utime),
               seconds(used.ru_stime), used.ru_maxrss, used.ru_minflt, status);
  return std::fclose(file) == 0 ? 0 : 1;
}
