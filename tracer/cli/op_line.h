/* op_line.h - one op as one line of brink trace. */
#ifndef CLI_OP_LINE_H
#define CLI_OP_LINE_H

#include <stdio.h>

#include "tracer/trace/trace.h"

/* "NUMBER\tTHREAD\tCALL\tMARK\tSENTENCE\tWHERE\n", all fields without control bytes. */
void op_line_print(const struct trace *trace, uint32_t index, FILE *to);

/* "sync", "acked", "sent", or "-". */
const char *op_line_mark(const struct op *op);

#endif
