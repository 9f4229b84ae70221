/* runtime.c -- what the runtime of a language does with the heap: a limit, an answer
 * when memory is out, a piece given back, and the numbers. */
#include <cleave.h>
#include <stdio.h>

enum { mib = 1 << 20 };

static void show(const char* step, cl_status status) {
  cl_statistics s;
  s.size = sizeof(s);
  if (cl_get_statistics(&s) != cl_ok) return;
  printf("%-20s %s; live %zu MiB, held %zu MiB\n", step, cl_status_text(status), s.live / mib,
         s.held / mib);
}

int main(void) {
  cl_options options = cl_options_default();
  options.held_limit = (size_t)64 * mib;
  options.purge_delay_ms = -1; /* only cl_purge() gives memory back */
  if (cl_start(&options) != cl_ok) return 1;

  cl_run array, other;
  cl_status status = cl_allocate((size_t)48 * mib, &array);
  show("allocate 48 MiB:", status);

  /* More than the limit: an answer, and nothing has changed. */
  status = cl_allocate((size_t)32 * mib, &other);
  show("allocate 32 MiB:", status);

  /* A collector would run now. Here the program lets go of two thirds of its array. */
  cl_run rest;
  status = cl_cut(array, (size_t)16 * mib, &array, &rest);
  cl_free(rest);
  show("free the last 32:", status);
  status = cl_allocate((size_t)32 * mib, &other);
  show("allocate 32 MiB:", status);

  cl_free(array);
  cl_free(other);
  cl_purge();
  show("free all, purge:", cl_ok);

  char wrong[120];
  return cl_verify(wrong, sizeof(wrong)) == cl_ok ? 0 : 1;
}
