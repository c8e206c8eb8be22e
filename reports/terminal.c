#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "page.h"
#include "report.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "words.h"

/* What a stranger reads at the end of an exploration: the verdict in one sentence, each finding
 * with the command that repeats it, and how far all that can be trusted. */

enum {
    FINDINGS_SHOWN = 20, /* the rest stands in summary.json */
    OUTPUT_LINES = 6,
    OUTPUT_COLUMNS = 200,
};

static unsigned long long number(uint64_t value)
{
    return value;
}

/* "s" or "": the plural. */
static const char *s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static uint64_t flaky_states(const struct run *run)
{
    uint64_t count = 0;
    for (size_t i = 0; run->verdicts && i < run->states_count; i++)
        count += run->verdicts[i].kind == VERDICT_FLAKY;
    return run->second ? count + flaky_states(run->second) : count;
}

/* "kill and torn": the models that were wanted. Caller frees. */
static char *model_list(const struct run *run)
{
    char *list = mem_string("");
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (!run->model_wanted[i])
            continue;
        char *longer =
            mem_format("%s%s%s", list, *list ? " and " : "", model_name((enum model_kind)i));
        free(list);
        list = longer;
    }
    if (!run->second)
        return list;
    char *whole = mem_format("%s, depth 2", list);
    free(list);
    return whole;
}

static void put_verdict(const struct page *page, const struct run *run)
{
    const uint64_t violations = words_violated(run);
    const uint64_t causes = run->findings_count;
    char *list OWN(own_mem) = model_list(run);
    switch (run_result(run)) {
    case RUN_VIOLATED:
        page_colour(page, PAGE_RED);
        page_format(page, "",
                    "VIOLATED: %llu of %llu crash states (%s) did not hold, by %llu cause%s.",
                    number(violations), number(run_checked(run)), list, number(causes), s(causes));
        break;
    case RUN_HELD:
        page_colour(page, PAGE_GREEN);
        page_format(page, "", "HELD: no violation in the %llu crash states that were checked (%s).",
                    number(run_checked(run)), list);
        break;
    case RUN_PARTIAL:
        page_colour(page, PAGE_YELLOW);
        page_format(page, "",
                    "PARTIAL: no violation in the %llu crash states that were checked (%s).",
                    number(run_checked(run)), list);
        break;
    }
    page_colour(page, PAGE_PLAIN);
    if (!run->complete || (run->second && !run->second->complete)) {
        page_paragraph(page, "",
                       "The run was ended early: there are crash states not checked yet; "
                       "continue with --resume.");
    }
}

static void put_worker(const struct page *page, const struct run *run)
{
    char *const nobody[] = {NULL};
    const struct trace_about *about = &run->trace->about;
    char *const *argv = about->argv ? about->argv : nobody;
    char *worker OWN(own_mem) = text_quote((const char *const *)argv);
    const struct words_recorded recorded = words_recorded(run);
    page_paragraph(page, "  worker:   ", worker);
    page_format(
        page, "  recorded: ", "%u op%s, %u sync%s, %llu byte%s written, by %u process%s in %.3g s",
        recorded.ops, s(recorded.ops), recorded.syncs, s(recorded.syncs), number(recorded.bytes),
        s(recorded.bytes), about->processes, about->processes == 1 ? "" : "es",
        clock_seconds(about->elapsed_ns));
    if (WIFSIGNALED(about->wait_status)) {
        page_format(page, "            ", "the worker was killed by signal %d",
                    WTERMSIG(about->wait_status));
    } else if (WEXITSTATUS(about->wait_status) != 0) {
        page_format(page, "            ", "the worker ended with exit status %d",
                    WEXITSTATUS(about->wait_status));
    }
    if (run->recover)
        page_paragraph(page, "  recovery: ", run->recover);
    page_paragraph(page, "  check:    ",
                   run->check ? run->check
                              : "none given: recovery must end with 0, and a second recovery must "
                                "change nothing");
}

/* The first lines of what recovery and check said. */
static void put_output(const struct page *page, const char *output)
{
    int lines = 0;
    for (const char *line = output; *line && lines < OUTPUT_LINES; lines++) {
        size_t size = strcspn(line, "\n");
        const bool has_end = line[size] == '\n';
        const size_t shown = size < OUTPUT_COLUMNS ? size : OUTPUT_COLUMNS;
        char *escaped OWN(own_mem) = text_escape(line, shown);
        fprintf(page->to, "      | %s%s\n", escaped, shown < size ? " ..." : "");
        line += size + has_end;
        if (*line && lines == OUTPUT_LINES - 1)
            fputs("      | ...\n", page->to);
    }
}

static void put_op(const struct page *page, const struct run *run, const struct finding *finding)
{
    if (finding->depth > 1) {
        page_format(page, "    began on: ", "state %.10s: %s", finding->first,
                    finding->first_is ? finding->first_is : "");
        page_format(page, "    op:       ", "%u of the recovery, %s", words_op(run, finding),
                    finding->op_is ? finding->op_is : "its end");
        return;
    }
    if (finding->op >= run->trace->count)
        return;
    char *what OWN(own_mem) = trace_sentence(run->trace, &run->trace->ops[finding->op]);
    page_format(page, "    op:       ", "%u, %s", words_op(run, finding), what);
}

static void put_finding(const struct page *page, const struct run *run,
                        const struct finding *finding)
{
    char *replay OWN(own_mem) = words_replay(run, finding);
    char *lead OWN(own_mem) = mem_format("%s  ", finding->id);
    fputc('\n', page->to);
    page_colour(page, PAGE_BOLD);
    page_paragraph(page, lead, finding->sentence ? finding->sentence : "");
    page_colour(page, PAGE_PLAIN);
    put_op(page, run, finding);
    if (finding->where) {
        char *where OWN(own_mem) = text_escape(finding->where, SIZE_MAX);
        page_paragraph(page, "    where:    ", where);
    }
    if (finding->missing)
        page_paragraph(page, "    missing:  ", finding->missing);
    if (finding->cause)
        page_paragraph(page, "    cause:    ", finding->cause);
    page_format(page, "    states:   ", "%llu, the weakest model that shows it is %s",
                number(finding->states), model_name(finding->weakest));
    if (finding->why)
        page_paragraph(page, "    outcome:  ", finding->why);
    if (finding->output)
        put_output(page, finding->output);
    fprintf(page->to, "    again:    %s\n", replay); /* whole, to be copied */
}

static void put_findings(const struct page *page, const struct run *run)
{
    for (size_t i = 0; i < run->findings_count && i < FINDINGS_SHOWN; i++)
        put_finding(page, run, &run->findings[i]);
    if (run->findings_count > FINDINGS_SHOWN) {
        page_format(page, "\n", "and %zu more findings, see summary.json",
                    run->findings_count - FINDINGS_SHOWN);
    }
}

static void put_counts(const struct page *page, const struct run *run, enum model_kind model)
{
    const struct model_counts *counts = &run->models[model];
    char *legal OWN(own_mem) =
        mem_format("%s%llu", counts->legal_is_bound ? ">=" : "", number(counts->legal));
    fprintf(page->to, "  %-6s %12s %12llu %10llu %9llu %8llu %6llu %6llu\n", model_name(model),
            legal, number(counts->tried), number(counts->distinct), number(counts->violated),
            number(counts->crashed), number(counts->hung), number(counts->flaky));
}

static void put_models(const struct page *page, const struct run *run, const char *title)
{
    fprintf(page->to, "\n  %-6s %12s %12s %10s %9s %8s %6s %6s\n", title, "legal", "tried",
            "distinct", "violated", "crashed", "hung", "flaky");
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (run->model_wanted[i])
            put_counts(page, run, (enum model_kind)i);
    }
}

/* The crashes of the recovery, in a block of their own. */
static void put_second(const struct page *page, const struct run *run)
{
    const struct run *second = run->second;
    uint64_t known = 0;
    if (!second)
        return;
    for (int i = 0; i < MODEL_COUNT; i++)
        known += second->models[i].known;
    fprintf(page->to, "\n  the recovery, killed in its turn: recorded on %u state%s\n",
            second->trace->recoveries_count, s(second->trace->recoveries_count));
    put_models(page, second, "");
    if (known > 0) {
        page_format(page, "  ", "(%llu of those tried are states of the worker, checked above)",
                    number(known));
    }
}

static void put_untried(const struct page *page, const struct run *run, const char *where)
{
    for (int i = 0; i < MODEL_COUNT; i++) {
        const struct model_counts *counts = &run->models[i];
        if (!run->model_wanted[i] || counts->tried >= counts->legal)
            continue;
        page_format(page, "  not tried: ", "%llu of %s%llu %s states%s (%s)",
                    number(counts->legal - counts->tried),
                    counts->legal_is_bound ? "at least " : "", number(counts->legal),
                    model_name((enum model_kind)i), where,
                    run->complete ? "--budget 0 tries all" : "the run was ended early");
    }
}

static void put_verified(const struct page *page, const struct run *run)
{
    const struct verified *verified = &run->verified;
    static const char lead[] = "  verified by kill: ";
    if (verified->tried > 0) {
        page_format(page, lead, "%u of %u real kills left the predicted workspace (seed %llu)",
                    verified->equal, verified->tried, number(verified->seed));
    }
    if (verified->same_shape > 0) {
        page_format(page, lead,
                    "%u compared by shape only, for two recordings of this worker differ",
                    verified->same_shape);
    }
    if (verified->unstable > 0) {
        page_format(page, lead, "%u not to be compared: this worker does something else each time",
                    verified->unstable);
    }
    if (*verified->skipped) {
        page_format(page, lead, "%s%s", verified->tried ? "" : "skipped: ", verified->skipped);
    } else if (verified->tried == 0) {
        page_paragraph(page, lead, "nothing was");
    }
}

static void put_trust(const struct page *page, const struct run *run)
{
    put_untried(page, run, "");
    if (run->second)
        put_untried(page, run->second, " of the recovery");
    put_verified(page, run);
    if (flaky_states(run) > 0) {
        page_format(page, "  flaky: ", "%llu state%s gave two different answers in two runs",
                    number(flaky_states(run)), s(flaky_states(run)));
    }
    if (run->canary == CANARY_UNNOTICED) {
        page_colour(page, PAGE_YELLOW);
        page_paragraph(page, "  warning: ",
                       "the check noticed neither an empty workspace, nor emptied files, nor a "
                       "flipped byte in each file: it may never fail at all");
        page_colour(page, PAGE_PLAIN);
    }
    const char **notes OWN(own_mem) = words_notes(run);
    for (const char **note = notes; *note; note++) {
        char *escaped OWN(own_mem) = text_escape(*note, SIZE_MAX);
        page_paragraph(page, "  note: ", escaped);
    }
    if (run->out) {
        page_format(page, "  report: ", "%s (summary.json, junit.xml, run.db%s), %.3g s", run->out,
                    run_violations(run) ? ", states/" : "", clock_seconds(run->elapsed_ns));
    }
}

static bool write_terminal(FILE *to, const struct run *run, struct err *err)
{
    const struct page page = page_of(to);
    put_verdict(&page, run);
    put_worker(&page, run);
    put_findings(&page, run);
    put_models(&page, run, "model");
    put_second(&page, run);
    fputc('\n', to);
    put_trust(&page, run);
    return !ferror(to) || err_system(err, "write the report");
}

const struct report report_terminal = {.name = "terminal", .file = NULL, .write = write_terminal};
