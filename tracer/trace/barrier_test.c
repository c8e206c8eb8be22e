#include "barrier.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/own.h"

Test(barrier, all_words_are_understood)
{
    struct barrier barrier;
    struct err err = {0};
    cr_assert(
        barrier_parse("pwrite64 path='a b*.log' contains=\"it's\" nth=2 where=inside bytes=17 "
                      "sync do=exit:23 name=torn",
                      &barrier, &err),
        "%s", err.text);
    cr_expect_str_eq(barrier.call, "pwrite64");
    cr_expect_str_eq(barrier.path, "a b*.log");
    cr_expect_str_eq(barrier.contains.text, "it's");
    cr_expect_not(barrier.contains.is_regex);
    cr_expect_eq(barrier.nth, 2);
    cr_expect_eq(barrier.where, BARRIER_INSIDE);
    cr_expect_eq(barrier.bytes, 17);
    cr_expect(barrier.want_sync);
    cr_expect(barrier.does_exit);
    cr_expect_eq(barrier.exit_status, 23);
    cr_expect_str_eq(barrier.name, "torn");
    barrier_fini(&barrier);
}

Test(barrier, what_is_not_said_is_the_first_time_before_the_call_by_sigkill)
{
    struct barrier barrier;
    struct err err = {0};
    cr_assert(barrier_parse("  sync ", &barrier, &err), "%s", err.text);
    cr_expect_eq(barrier.nth, 1);
    cr_expect_eq(barrier.where, BARRIER_BEFORE);
    cr_expect_not(barrier.does_exit);
    cr_expect_not(barrier.want_sync, "the first word is the call");
    cr_expect_null(barrier.path);
    barrier_fini(&barrier);
}

Test(barrier, inside_after_no_byte_is_before_the_call)
{
    struct barrier barrier;
    struct err err = {0};
    cr_assert(barrier_parse("write where=inside bytes=0", &barrier, &err), "%s", err.text);
    cr_expect_eq(barrier.where, BARRIER_BEFORE);
    barrier_fini(&barrier);
}

Test(barrier, a_sync_can_be_switched_off)
{
    struct barrier barrier;
    struct err err = {0};
    cr_assert(barrier_parse("write sync=false", &barrier, &err), "%s", err.text);
    cr_expect_not(barrier.want_sync);
    barrier_fini(&barrier);
}

Test(barrier, what_is_described_is_read_the_same_again)
{
    static const char *const words[] = {
        "write",
        "send peer=127.0.0.1:* contains=/a b+/ where=after",
        "write path='x y' contains=it's nth=3 where=inside bytes=9 sync do=exit:0",
        "fsync covers=\"it's \" where=after",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct barrier first, second;
        struct err err = {0};
        if (i == 1) { /* a blank in an expression needs quotes */
            cr_expect_not(barrier_parse(words[i], &first, &err));
            continue;
        }
        cr_assert(barrier_parse(words[i], &first, &err), "%s: %s", words[i], err.text);
        char *once OWN(own_mem) = barrier_describe(&first);
        cr_assert(barrier_parse(once, &second, &err), "%s: %s", once, err.text);
        char *twice OWN(own_mem) = barrier_describe(&second);
        cr_expect_str_eq(once, twice);
        cr_expect_eq(first.contains.text == NULL, second.contains.text == NULL);
        barrier_fini(&first);
        barrier_fini(&second);
    }
}

static const struct {
    const char *words, *message;
} MISTAKES[] = {
    {"", "barrier: no call is named; there are write, send,"},
    {"wriet", "barrier: no call is named wriet; there are write, send,"},
    {"path=x", "barrier: no call is named; there are"},
    {"write pfad=x", "barrier: unknown word pfad=; allowed are path, peer,"},
    {"write read", "barrier: the word read has no value; only sync and the call, which is write"},
    {"write path=", "barrier: path= has no value"},
    {"write path=a path=b", "barrier: path stands there twice"},
    {"write sync sync", "barrier: sync stands there twice"},
    {"write path='a", "barrier: the quote in 'a is not closed"},
    {"write path='a'b", "barrier: a space must follow the quote in 'a'b"},
    {"write nth=0", "barrier: nth=0 is no number from 1 up"},
    {"write nth=2x", "barrier: nth=2x is no number from 1 up"},
    {"write nth=99999999999999999999", "barrier: nth=99999999999999999999 is no number"},
    {"write where=between", "barrier: where=between; allowed are before, inside and after"},
    {"write where=inside", "barrier: where=inside needs bytes=N"},
    {"write where=inside bytes=-1", "barrier: bytes=-1 is no number"},
    {"write bytes=0", "barrier: bytes= goes with where=inside only"},
    {"write bytes=3", "barrier: bytes= goes with where=inside only"},
    {"write do=exit", "barrier: do=exit; allowed are kill and exit:0 to exit:255"},
    {"write do=exit:256", "barrier: do=exit:256; allowed are"},
    {"write do=exit:-1", "barrier: do=exit:-1; allowed are"},
    {"write sync=maybe", "barrier: sync=maybe; allowed are"},
    {"write contains=/(/", "barrier: /(/ is no extended regular expression:"},
    {"write contains=/a*/", "barrier: /a*/ fits nothing at all as well"},
    {"fsync contains=x", "barrier: fsync has no bytes that contains= could look at"},
    {"receive contains=x", "barrier: what is received is known when it is there"},
    {"write covers=x", "barrier: covers= goes with a sync, not with write"},
    {"rename where=inside bytes=1", "barrier: where=inside goes with calls that write"},
    {"fsync sync", "barrier: sync goes with calls that write, not with fsync"},
    {"fsync peer=x", "barrier: fsync has no peer"},
    {"send path=x", "barrier: send has no path; peer= says"},
    {"write path=x peer=y", "barrier: path= and peer= exclude each other"},
};

Test(barrier, each_mistake_is_named_with_what_is_allowed)
{
    for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; i++) {
        struct barrier barrier;
        struct err err = {0};
        cr_expect_not(barrier_parse(MISTAKES[i].words, &barrier, &err), "%s", MISTAKES[i].words);
        cr_expect_eq(err.kind, ERR_USAGE);
        cr_expect_eq(strncmp(err.text, MISTAKES[i].message, strlen(MISTAKES[i].message)), 0,
                     "%s: %s", MISTAKES[i].words, err.text);
    }
}
