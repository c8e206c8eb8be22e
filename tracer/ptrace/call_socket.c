/* Calls on sockets. */
#include "calls.h"

enum call_next socket_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool socket_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next connect_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool connect_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next bind_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool bind_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next send_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool send_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next receive_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool receive_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next shutdown_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool shutdown_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next close_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)err;
    return CALL_FREE;
}

bool close_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}
