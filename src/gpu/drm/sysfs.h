/* Small files of the kernel below one folder, each with the reason when it cannot be read. Also the
 * guards against values that cannot be true (fixed sentinels, torn reads). */
#ifndef GPU_DRM_SYSFS_H
#define GPU_DRM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "os/root.h"
#include "reading/measured.h"

enum { SYSFS_PATH_SIZE = 512, SYSFS_TEXT_SIZE = 4096 };

struct sysfs_files;

struct sysfs_folder {
    const struct root *root;
    const char *path; /* without leading and trailing slash */
    /* amdgpu since Linux 6.15 answers EPERM for a sensor of a sleeping card; elsewhere EPERM is a
     * missing permission. */
    bool eperm_is_asleep;
    struct sysfs_files *files; /* keeps files open between reads; NULL: each read opens anew */
};

/* Files that are read in every pass, kept open by path (os/kept_file.h). */
struct sysfs_files *sysfs_files_new(void);
void sysfs_files_free(struct sysfs_files **files);
/* Closes all of them: the devices have changed. */
void sysfs_files_clear(struct sysfs_files *files);
/* True when, since the last call, a file turned out to belong to a device that is gone. */
bool sysfs_files_take_lost(struct sysfs_files *files);

/* One read of a file of the folder. *length bytes are in `buffer`. */
enum root_result sysfs_read(const struct sysfs_folder *folder, const char *file, char *buffer,
                            size_t size, size_t *length, int *error);
/* "FOLDER/FILE"; false when it does not fit. */
bool sysfs_path(char out[SYSFS_PATH_SIZE], const char *folder, const char *file);
/* Why a read did not work, as a reason for people. */
enum reason sysfs_reason(enum root_result result, int error, bool eperm_is_asleep);

/* The whole file, trimmed, in `buffer`; bytes NULL when it cannot be read (*why, may be NULL). */
struct raw_text sysfs_text(const struct sysfs_folder *folder, const char *file, char *buffer,
                           size_t size, enum reason *why);
/* A file that holds one decimal number. An empty file is not_reported; digits that do not fit are
 * incredible_value; anything else is call_failed. */
struct measured sysfs_number(const struct sysfs_folder *folder, const char *file);
/* The same on text already read. */
struct measured sysfs_parse_number(struct raw_text text);

/* Guards. An unknown value stays unknown; one that cannot be true becomes incredible_value. */
struct said sysfs_percent(struct measured percent, enum how how);    /* 0-100, to millipercent */
struct said sysfs_temperature(struct measured millicelsius);         /* -40 to 150 degrees */
struct said sysfs_power(struct measured microwatts);                 /* up to 4 kW */
struct said sysfs_frequency(struct measured value, int64_t unit_hz); /* up to 10 GHz, to Hz */
struct said sysfs_fan(struct measured rpm);                          /* below 65535 */

#endif
