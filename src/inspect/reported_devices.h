/* The devices of a model as a load log reports them. Private to inspect/reported.h. */
#ifndef INSPECT_REPORTED_DEVICES_H
#define INSPECT_REPORTED_DEVICES_H

#include "inspect/reported.h"

/* Sets model->devices from the run's buffers of the model with this index: one for each name of a
 * device's buffers, and "host" for those in system memory. */
void reported_devices(struct arena *arena, const struct load_run *run, size_t index,
                      const struct device_scene *scene, struct model *model);

/* Folds model->devices to one a device, and puts them together with what was estimated before:
 * reported figures hold, estimates of a kind that is reported move to estimated_*. */
void reported_fold_devices(struct arena *arena, const struct model_device *before,
                           size_t before_count, struct model *model);

#endif
