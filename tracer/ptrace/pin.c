#include "pin.h"

void pin_set(struct pin *pin, bool want_pin)
{
    pin->is_set = false;
    const int cpu = sched_getcpu();
    if (!want_pin || cpu < 0 || sched_getaffinity(0, sizeof pin->before, &pin->before) == -1)
        return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    pin->is_set = sched_setaffinity(0, sizeof one, &one) == 0;
}

void pin_restore(const struct pin *pin)
{
    if (pin->is_set)
        sched_setaffinity(0, sizeof pin->before, &pin->before);
}
