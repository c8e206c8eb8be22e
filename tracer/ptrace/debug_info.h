/* debug_info.h - elfutils, told to look for debug information on this machine only.
 *
 * It would ask the servers named in DEBUGINFOD_URLS: slow, and nobody's business. The variable must
 * stay for the worker and its recovery, so it is hidden only while elfutils looks. */
#ifndef PTRACE_DEBUG_INFO_H
#define PTRACE_DEBUG_INFO_H

#include <elfutils/libdwfl.h>

/* For dwfl_begin. Modules are to be reported with their files. */
extern const Dwfl_Callbacks debug_info_callbacks;

#endif
