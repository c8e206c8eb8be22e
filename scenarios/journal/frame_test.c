#include "frame.h"

#include "forge_test.h"

/* Too large for the stack of every test. */
static struct frame frame;
static uint8_t bytes[FRAME_SIZE_MAX + 64];

Test(frame, turn_1_with_add_one_is_the_reference_of_99_bytes)
{
    size_t size = 0;
    cr_assert(frame_encode(forge_text("turn-1"), forge_text("add-one"), 1, bytes, &size));
    cr_assert_eq(size, 99);
    cr_assert_eq(memcmp(bytes, forge_reference, 99), 0);
}

Test(frame, the_reference_decodes_to_what_was_put)
{
    cr_assert_eq(frame_decode(forge_reference, 99, &frame), FRAME_VALID);
    cr_expect_eq(frame.size, 99);
    cr_expect_eq(frame.key.size, 6);
    cr_expect_eq(memcmp(frame.key.bytes, "turn-1", 6), 0);
    cr_expect_eq(frame.body.size, 7);
    cr_expect_eq(memcmp(frame.body.bytes, "add-one", 7), 0);
    cr_expect_str_eq(frame.digest, FORGE_ADD_ONE);
    cr_expect_eq(frame.result, 1);
}

/* The digest is that of F0 9F 98 80; that of the stored six bytes would be another. */
Test(frame, a_character_above_the_basic_plane_takes_six_bytes_and_is_hashed_as_four)
{
    static const char digest[] = "f0443a342c5ef54783a111b51ba56c938e474c32324d90c3a60c9c8e3a37e2d9";
    size_t size = 0;
    cr_assert(frame_encode(forge_text("k"), forge_text("\xF0\x9F\x98\x80"), 1, bytes, &size));
    cr_expect_eq(size, 12 + 3 + 66 + 2 + 6 + 4);
    cr_expect_eq(memcmp(bytes + 12 + 3 + 2, digest, 64), 0);
    cr_assert_eq(frame_decode(bytes, size, &frame), FRAME_VALID);
    cr_expect_eq(frame.body.size, 4);
}

Test(frame, a_payload_of_65536_bytes_is_valid_and_one_of_65537_is_refused)
{
    static char body[65536];
    memset(body, 'b', sizeof body);
    /* 4 for the key, 66 for the digest, 2 before the body, 4 behind it. */
    const size_t fits = 65536 - 4 - 66 - 2 - 4;
    size_t size = 0;
    cr_assert(frame_encode(forge_text("kk"), (struct utf_text){body, fits}, 1, bytes, &size));
    cr_expect_eq(size, FRAME_SIZE_MAX);
    cr_expect_eq(frame_decode(bytes, size, &frame), FRAME_VALID);
    cr_expect_eq(frame.body.size, fits);
    cr_expect(!frame_encode(forge_text("kk"), (struct utf_text){body, fits + 1}, 1, bytes, &size));
    cr_expect(!frame_encode(forge_text("kk"), (struct utf_text){body, 65536}, 1, bytes, &size));
}

Test(frame, the_792_single_bit_flips_are_refused_or_taken_for_torn_in_the_known_numbers)
{
    int counts[FRAME_BAD_SEQUENCE + 1] = {0};
    for (int bit = 0; bit < 792; bit++) {
        memcpy(bytes, forge_reference, 99);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        counts[frame_decode(bytes, 99, &frame)]++;
    }
    cr_expect_eq(counts[FRAME_BAD_MAGIC], 32);
    cr_expect_eq(counts[FRAME_BAD_LENGTH], 16);
    cr_expect_eq(counts[FRAME_BAD_CRC], 733);
    cr_expect_eq(counts[FRAME_TORN], 11);
}

Test(frame, none_of_the_99_prefixes_filled_up_with_zeros_is_valid_or_torn)
{
    int refused = 0;
    int different = 0;
    for (size_t size = 0; size < 99; size++) {
        memset(bytes, 0, 99);
        memcpy(bytes, forge_reference, size);
        const enum frame_state state = frame_decode(bytes, 99, &frame);
        refused += state != FRAME_VALID && state != FRAME_TORN;
        different += forge_reference[size] != 0;
    }
    cr_expect_eq(refused, 99);
    cr_expect_eq(different, 90);
}

Test(frame, each_of_the_98_prefixes_that_are_not_empty_is_torn)
{
    for (size_t size = 1; size < 99; size++) {
        /* A copy of that very size, so that a sanitizer sees any step beyond it. */
        uint8_t *prefix = malloc(size);
        memcpy(prefix, forge_reference, size);
        cr_expect_eq(frame_decode(prefix, size, &frame), FRAME_TORN, "%zu bytes", size);
        free(prefix);
    }
}

Test(frame, a_tail_that_is_no_beginning_of_a_frame_is_damage_and_not_torn)
{
    cr_expect_eq(frame_decode((const uint8_t *)"X", 1, &frame), FRAME_BAD_MAGIC);
    cr_expect_eq(frame_decode((const uint8_t *)"BRJ2", 4, &frame), FRAME_BAD_MAGIC);
    cr_expect_eq(frame_decode((const uint8_t *)"BRJ1\xff\xff\xff\xff", 8, &frame),
                 FRAME_BAD_LENGTH);
    cr_expect_eq(frame_decode((const uint8_t *)"BRJ1\0\1\0\1", 8, &frame), FRAME_BAD_LENGTH);
    cr_expect_eq(frame_decode((const uint8_t *)"BRJ1\0\1\0\0", 8, &frame), FRAME_TORN);
}

Test(frame, a_length_and_a_crc_of_zero_are_no_empty_record)
{
    static const uint8_t empty[99] = "BRJ1";
    cr_expect_eq(frame_decode(empty, 12, &frame), FRAME_BAD_PAYLOAD);
    cr_expect_eq(frame_decode(empty, 99, &frame), FRAME_BAD_PAYLOAD);
}

struct wrong {
    const char *label;
    struct forge forge;
    enum frame_state state;
};

Test(frame, a_wrong_string_under_a_right_crc_is_refused)
{
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
#define ZERO_DIGEST "0000000000000000000000000000000000000000000000000000000000000000"
    static const struct wrong wrongs[] = {
        {"other body", {TEXT("k"), FORGE_ADD_ONE, TEXT("add-two"), 1}, FRAME_BAD_BODY_HASH},
        {"other digest", {TEXT("k"), ZERO_DIGEST, TEXT("add-one"), 1}, FRAME_BAD_BODY_HASH},
        {"short digest", {TEXT("k"), "d80d", TEXT("add-one"), 1}, FRAME_BAD_PAYLOAD},
        {"malformed key", {TEXT("\xff"), FORGE_ADD_ONE, TEXT("add-one"), 1}, FRAME_BAD_PAYLOAD},
        {"malformed body", {TEXT("k"), FORGE_ADD_ONE, TEXT("\0"), 1}, FRAME_BAD_PAYLOAD},
        {"all right", {TEXT("k"), FORGE_ADD_ONE, TEXT("add-one"), 1}, FRAME_VALID},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const size_t size = forge_frame(bytes, &wrongs[i].forge);
        cr_expect_eq(frame_decode(bytes, size, &frame), wrongs[i].state, "%s", wrongs[i].label);
    }
}

Test(frame, a_payload_of_any_shorter_or_longer_size_under_a_right_crc_is_refused)
{
    for (size_t size = 0; size < 87; size++) {
        uint8_t *cut = malloc(12 + size);
        memcpy(cut + 12, forge_reference + 12, size);
        forge_header(cut, size);
        cr_expect_eq(frame_decode(cut, 12 + size, &frame), FRAME_BAD_PAYLOAD, "%zu", size);
        free(cut);
    }
    memcpy(bytes, forge_reference, 99);
    bytes[99] = 0;
    cr_expect_eq(frame_decode(bytes, forge_header(bytes, 88), &frame), FRAME_BAD_PAYLOAD);
}

Test(frame, each_state_has_the_word_that_messages_use)
{
    static const char *const words[] = {"valid",         "torn",          "bad-magic",
                                        "bad-length",    "bad-crc",       "bad-payload",
                                        "bad-body-hash", "duplicate-key", "bad-sequence"};
    for (int state = FRAME_VALID; state <= FRAME_BAD_SEQUENCE; state++)
        cr_expect_str_eq(frame_word((enum frame_state)state), words[state]);
}
