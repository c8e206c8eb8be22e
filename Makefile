# make            build everything into build/bin/
# make check      lint, build, and run every test (installs missing packages first)
# make check-san  the same tests with AddressSanitizer and UBSan
# make demo       explore real programs
# make bench      figures, as ratios against peers in the same run
# make soak       1,000 real kills against their predicted states
# make lint       formatting, includes, sizes, clang-tidy, cppcheck
# make fmt        rewrite the sources to the house format
# make install    PREFIX (/usr/local), DESTDIR
# SAN=1           put the sanitizers in; the objects go to their own build folder

CC       ?= gcc
PREFIX   ?= /usr/local
OUT      ?= build
BUILD    := $(OUT)/$(if $(SAN),san,plain)
BIN      := $(if $(SAN),$(BUILD)/bin,$(OUT)/bin)
VERSION  := 0.1.0
WARN     := -Wall -Wextra -Werror -Wshadow -Wundef -Wvla -Wformat=2 -Wwrite-strings -Wcast-qual \
            -Wpointer-arith -Wstrict-prototypes -Wold-style-definition -Wmissing-prototypes \
            -Wswitch-enum -Wimplicit-fallthrough \
            -Wconversion -Wno-sign-conversion -Wdouble-promotion -Wnull-dereference
CFLAGS   ?= -O2 -g
OURS     := -std=gnu17 -D_GNU_SOURCE -DBRINK_VERSION='"$(VERSION)"' -I. -MMD -MP -fno-common \
            -fno-omit-frame-pointer $(WARN)
LIBS     := -ljansson -lsqlite3 -lxxhash -lseccomp -lunwind-ptrace -lunwind-generic -lunwind -ldw -lelf
ifdef SAN
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
endif

LIB_DIRS := tracer/base tracer/trace tracer/ptrace tracer/states tracer/runner tracer/findings reports
DIRS     := $(LIB_DIRS) tracer/cli
SRC      := $(filter-out %_test.c,$(wildcard $(LIB_DIRS:=/*.c)))
CLI_SRC  := $(filter-out %_test.c,$(wildcard tracer/cli/*.c))
TEST_SRC := $(wildcard $(DIRS:=/*_test.c))
OBJ      := $(SRC:%.c=$(BUILD)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/%.o)

all: $(BIN)/brink

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CFLAGS) $(SANFLAGS) -c $< -o $@

$(BIN)/brink: $(OBJ) $(CLI_OBJ)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ $(LIBS) -o $@

$(BUILD)/unit_tests: $(OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(TEST_OBJ)
	$(CC) $(SANFLAGS) $^ $(LIBS) -lcriterion -o $@

unit: $(BUILD)/unit_tests
	$(BUILD)/unit_tests

clean:
	rm -rf $(OUT)

-include $(OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d)
.PHONY: all unit clean
