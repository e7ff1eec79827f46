/* Many launches, for whoever watches the memory of the processes from outside.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: streamap_memory LAUNCHES POINTS WAIT_EVERY
 * Prints a line at each of POINTS equally distant launches and then reads a line, so that the watcher can look. WAIT_EVERY: waits
 * after so many launches; 0: never, until the end. Sums what the tasks did and fails if one is missing.
 */
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1 << 16, WIDTH = 24 };

static long cells[CELLS];

/* Overlapping windows at moving places: the maps of who holds what split and merge all the time. */
#pragma streamap resource 1 : C inout(window[0 : WIDTH])
static void bump(long *window) {
  for (int i = 0; i < WIDTH; i++)
    window[i]++;
}

#pragma streamap resource 1 : C in(from[0 : WIDTH])inout(to[0])
static void peek(const long *from, long *to) {
  *to += from[0] - from[0];
}

int main(int argc, char **argv) {
  long launches = argc > 1 ? atol(argv[1]) : 0, points = argc > 2 ? atol(argv[2]) : 0, every = argc > 3 ? atol(argv[3]) : -1;
  long bumps = 0, sum = 0;
  char line[8];
  if (argc != 4 || points < 1 || launches < points || every < 0) {
    fprintf(stderr, "usage: %s LAUNCHES POINTS WAIT_EVERY\n", argv[0]);
    return 2;
  }
  for (long n = 1; n <= launches; n++) {
    long *window = &cells[(n * 7) % (CELLS - WIDTH)];
    if (n % 4 == 0) {
      peek(window, &cells[(n * 13) % CELLS]);
    } else {
      bump(window);
      bumps++;
    }
    if (every > 0 && n % every == 0) {
#pragma streamap wait
    }
    if (n % (launches / points) == 0) {
      printf("%ld\n", n);
      fflush(stdout);
      if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    }
  }
#pragma streamap wait
  for (int i = 0; i < CELLS; i++)
    sum += cells[i];
  if (sum != bumps * WIDTH) {
    fprintf(stderr, "wrong sum: %ld instead of %ld\n", sum, bumps * WIDTH);
    return 1;
  }
  return 0;
}
