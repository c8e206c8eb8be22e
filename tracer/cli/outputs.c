#include "outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include "reports/report.h"
#include "state_folders.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

void outputs_note(struct run *run, char *text)
{
    size_t capacity = run->notes_count;
    mem_grow(&run->notes, &capacity, run->notes_count + 1, sizeof *run->notes);
    run->notes[run->notes_count++] = text;
}

void outputs_forget(struct run *run)
{
    struct run old = {
        .findings = run->findings,
        .findings_count = run->findings_count,
        .notes = run->notes,
        .notes_count = run->notes_count,
    };
    run->findings = NULL;
    run->findings_count = 0;
    run->notes = NULL;
    run->notes_count = 0;
    run_fini(&old);
}

static bool write_report(const struct report *report, const struct run *run, int dir_fd,
                         struct err *err)
{
    int fd OWN(own_fd) =
        openat(dir_fd, report->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL)
        return err_system(err, "write %s", report->file);
    own_take_fd(&fd);
    const bool is_done = report->write(file, run, err);
    const bool is_written = fflush(file) == 0 && ferror(file) == 0;
    if (is_done && !is_written)
        err_system(err, "write %s", report->file);
    fclose(file);
    return is_done && is_written;
}

bool outputs_write(struct run *run, int dir_fd, struct err *err)
{
    static const struct report *const reports[] = {&report_json, &report_junit, NULL};
    char *note = NULL;
    if (!state_folders_write(run, dir_fd, &note, err))
        return false;
    if (note != NULL)
        outputs_note(run, note);
    for (size_t i = 0; reports[i] != NULL; i++) {
        if (!write_report(reports[i], run, dir_fd, err))
            return false;
    }
    return true;
}

bool outputs_show(const struct run *run, FILE *to, struct err *err)
{
    return report_terminal.write(to, run, err);
}
