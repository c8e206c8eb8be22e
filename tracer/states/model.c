#include "model.h"

#include "model_kill.h"
#include "model_torn.h"
#include "owner_death.h"
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

bool model_apply(const struct model *model, struct tree *tree, const struct trace *trace,
                 struct model_place place, struct err *err)
{
    return model->apply(tree, trace, place.k, place.variant, err) &&
           owner_death_apply(tree, trace, place.k, err);
}
