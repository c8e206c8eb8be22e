#include "model.h"

#include "model_kill.h"
#include "model_torn.h"
#include "tracer/base/check.h"

const struct model *model_of(enum model_kind kind)
{
    switch (kind) {
    case MODEL_KILL:
        return &model_kill;
    case MODEL_TORN:
        return &model_torn;
    case MODEL_COUNT:
        break;
    }
    UNREACHABLE("a model without functions");
}
