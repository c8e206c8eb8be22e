/* wording.h - what a window says in words: its sentence, its cause, the step that was missing. */
#ifndef FINDINGS_WORDING_H
#define FINDINGS_WORDING_H

#include "window.h"

/* One sentence: which call, on which file, and between what and what. Caller frees. */
char *wording_sentence(const struct run *run, const struct window *window);

/* The step that would close the window, or NULL when nothing can be said. Caller frees. */
char *wording_missing(const struct run *run, const struct window *window);

/* What can leave such a state behind; for torn ones only, else NULL. Caller frees. */
char *wording_cause(const struct run *run, const struct window *window);

#endif
