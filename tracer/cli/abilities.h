/* abilities.h - which newer features this kernel has, each tried for real. */
#ifndef CLI_ABILITIES_H
#define CLI_ABILITIES_H

#include <stdbool.h>

/* userfaultfd in WP_ASYNC mode and PAGEMAP_SCAN (Linux 6.7): stores through mappings. */
bool ability_uffd(void);

/* Every write to a file of a memory file system changes its times (Linux 6.13). */
bool ability_mgtime(void);

/* PTRACE_SET_SYSCALL_INFO (Linux 6.16). */
bool ability_setinfo(void);

/* O_DIRECT and user extended attributes on memory file systems (Linux 6.6). */
bool ability_tmpfs(void);

/* kcmp: whether two descriptors share an open file description. */
bool ability_kcmp(void);

#endif
