/* help.h - the help pages: one for brink, one for each verb, made from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "verbs.h"

void help_brink(FILE *to);
void help_verb(FILE *to, const struct verb *verb);

#endif
