#ifndef SLUICE_CSPAWN_SHIM_H
#define SLUICE_CSPAWN_SHIM_H
#include <spawn.h>
// glibc has it since 2.34, and shows it to programs with _GNU_SOURCE alone, which Swift's view of <spawn.h> is without.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
#endif
