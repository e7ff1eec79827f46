/* Stands in front of streamap_register (LD_PRELOAD) and prints each task that is registered, a line each: its file and name.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <streamap/abi.h>

void streamap_register(const streamap_unit *unit)
{
    void (*next)(const streamap_unit *) = (void (*)(const streamap_unit *))dlsym(RTLD_NEXT, "streamap_register");
    for (uint32_t k = 0; k < unit->ntasks; k++)
        fprintf(stderr, "registered %s %s\n", unit->tasks[k]->file, unit->tasks[k]->name);
    next(unit);
}
