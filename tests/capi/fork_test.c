/* fork_test.c -- a runtime that makes its children without the C library's fork(). */
#define _GNU_SOURCE /* syscall() */
#include <cleave.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int use_the_heap(cl_run inherited) {
  cl_run run;
  if (cl_live_bytes() != inherited.bytes) return 1;
  cl_free(inherited);
  if (cl_allocate(100000, &run) != cl_ok) return 2;
  cl_free(run);
  return cl_live_bytes() == 0 && cl_verify(NULL, 0) == cl_ok ? 0 : 3;
}

static int exit_code_of(long child) {
  int status = 0;
  if (child < 0 || waitpid((pid_t)child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  cl_run run;
  CHECK(cl_allocate(1000, &run) == cl_ok);

  cl_before_fork();
  const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) {
    cl_after_fork_in_child();
    _exit(use_the_heap(run));
  }
  cl_after_fork_in_parent();
  CHECK(exit_code_of(child) == 0);

  /* Nested with the handlers of fork(), and with the heap in use between. */
  cl_before_fork();
  cl_run between;
  CHECK(cl_allocate(50, &between) == cl_ok);
  cl_free(between);
  const pid_t other = fork();
  if (other == 0) {
    cl_after_fork_in_child();
    _exit(use_the_heap(run));
  }
  cl_after_fork_in_parent();
  CHECK(exit_code_of(other) == 0);

  CHECK(cl_live_bytes() == 1000);
  cl_free(run);
  return check_result();
}
