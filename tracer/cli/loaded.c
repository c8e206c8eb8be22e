#include "loaded.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "tracer/base/own.h"

enum { ID_DIGITS_MIN = 4 };

static bool read_all(struct loaded *loaded, struct store *store, struct err *err)
{
    trace_init(&loaded->trace);
    loaded->run = (struct run){.trace = &loaded->trace};
    return kept_read(store, &loaded->kept, err) && store_read_trace(store, &loaded->trace, err) &&
           store_read_run(store, &loaded->run, err);
}

bool loaded_read(struct loaded *loaded, struct store *store, struct err *err)
{
    *loaded = (struct loaded){0};
    return read_all(loaded, store, err);
}

bool loaded_open(struct loaded *loaded, const char *path, struct err *err)
{
    *loaded = (struct loaded){0};
    trace_init(&loaded->trace);
    const int fd OWN(own_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return err_usage(err, "%s: there is no such run; name the output folder of brink explore",
                         path);
    }
    if (fd < 0)
        return err_system(err, "open the run %s", path);
    if (faccessat(fd, "run.db", F_OK, AT_EACCESS) != 0)
        return err_usage(err, "%s: holds no run.db; name the output folder of brink explore", path);
    if (!store_open(fd, false, &loaded->store, err) || !read_all(loaded, loaded->store, err))
        return err_while(err, "%s", path);
    return true;
}

void loaded_fini(struct loaded *loaded)
{
    run_fini(&loaded->run);
    trace_fini(&loaded->trace);
    kept_fini(&loaded->kept);
    store_close(loaded->store);
    *loaded = (struct loaded){0};
    trace_init(&loaded->trace);
}

bool loaded_state(const struct loaded *loaded, const char *id, size_t *index, struct err *err)
{
    const size_t size = strlen(id);
    size_t found = 0;
    if (size < ID_DIGITS_MIN)
        return err_usage(err, "state %s: give at least its first %d digits", id, ID_DIGITS_MIN);
    for (size_t i = 0; i < loaded->run.states_count; i++) {
        if (strncmp(loaded->run.states[i].id, id, size) != 0)
            continue;
        *index = i;
        found++;
    }
    if (found == 1)
        return true;
    if (found > 1)
        return err_usage(err, "state %s: %zu states begin so; give more digits", id, found);
    return err_usage(err,
                     "state %s: the run has none of this id; its ids stand in the table state "
                     "of run.db",
                     id);
}
