#ifndef SLUICE_CLIBEVENT_SHIM_H
#define SLUICE_CLIBEVENT_SHIM_H
// features.h stands first on purpose: libevent's own configuration header defines _GNU_SOURCE, and glibc's fd_set
// would then differ from the one Swift's Glibc module was built with.
#include <features.h>
#include <event2/event.h>
#include <event2/util.h>
#include <sys/eventfd.h>
#endif
