# make            build everything into build/bin/
# make check      build, unit tests, lint, whole-program tests (the core of them again as another
#                 user and for older kernels), all scenarios; installs missing packages first
# make check-all  the same with nothing left out of those repetitions, and lint at full depth
# make check-san  the same tests with AddressSanitizer and UBSan
# make demo       explore real programs
# make bench      figures, as ratios against peers in the same run
# make scenarios  kill the reference systems at every place that their scenarios name
# make evidence   run the journal's scenarios and keep what was seen in scenarios/evidence
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
LIBS     := -ljansson -lsqlite3 -lcrypto -lxxhash -lseccomp -lunwind-ptrace -lunwind-generic -lunwind -ldw -lelf
ifdef SAN
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
endif

LIB_DIRS := tracer/base tracer/trace tracer/ptrace tracer/states tracer/runner tracer/findings scenarios reports
DIRS     := $(LIB_DIRS) tracer/cli
SRC      := $(filter-out %_test.c,$(wildcard $(LIB_DIRS:=/*.c)))
CLI_SRC  := $(filter-out %_test.c,$(wildcard tracer/cli/*.c))
TEST_SRC := $(wildcard $(DIRS:=/*_test.c))
OBJ      := $(SRC:%.c=$(BUILD)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/%.o)

# Programs for the tests to explore. What one needs beyond the usual stands in NAME_LIBS.
WORKERS  := $(OUT)/workers
WORK_SRC := $(wildcard tests/workers/*.c)
WORK_BIN := $(WORK_SRC:tests/workers/%.c=$(WORKERS)/%) $(WORKERS)/replace-static \
            $(WORKERS)/replace-musl $(WORKERS)/replace-asan $(WORKERS)/replace-go \
            $(WORKERS)/Replace.class
lmdb_LIBS := -llmdb
gdbm_LIBS := -lgdbm

# A reference system that includes nothing of brink. Each mutant is the same program with one piece
# replaced: what it defines is then not taken out of the archive.
JOURNAL      := scenarios/journal
JOURNAL_SRC  := $(filter-out %_test.c %/main.c $(JOURNAL)/mutant_%,$(wildcard $(JOURNAL)/*.c))
JOURNAL_OBJ  := $(JOURNAL_SRC:%.c=$(BUILD)/%.o)
JOURNAL_TEST := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(JOURNAL)/*_test.c))
JOURNAL_LIB  := $(BUILD)/libjournal.a
# Static, because loading libcrypto takes half of the few milliseconds that one put needs.
JOURNAL_LIBS := -Wl,-Bstatic -lcrypto -lz -Wl,-Bdynamic
JOURNAL_MUT  := $(patsubst $(JOURNAL)/mutant_%.c,%,$(wildcard $(JOURNAL)/mutant_*.c))
JOURNAL_BIN  := $(BIN)/journal $(BIN)/journal-audit \
                $(foreach m,$(JOURNAL_MUT),$(BIN)/journal-mutant-$(subst _,-,$m))

# The other reference system: a worker, the service that it talks to, and who looks into their books.
TICKET      := scenarios/ticket
TICKET_SRC  := $(filter-out %_test.c %_main.c $(TICKET)/mutant_%,$(wildcard $(TICKET)/*.c))
TICKET_OBJ  := $(TICKET_SRC:%.c=$(BUILD)/%.o)
TICKET_TEST := $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(TICKET)/*_test.c))
TICKET_LIB  := $(BUILD)/libticket.a
# libcurl has no static form that links on Debian; what else it would load at the start is static.
TICKET_LIBS := -Wl,-Bstatic -ljansson -lz -Wl,-Bdynamic -lcrypto -lpthread
TICKET_MUT  := $(patsubst $(TICKET)/mutant_%.c,%,$(wildcard $(TICKET)/mutant_*.c))
TICKET_BIN  := $(patsubst $(TICKET)/%_main.c,$(BIN)/ticket-%,$(wildcard $(TICKET)/*_main.c)) \
               $(addprefix $(BIN)/,ledger-audit ticket-normalise) \
               $(foreach m,$(TICKET_MUT),$(BIN)/ticket-mutant-$(subst _,-,$m))

all: $(BIN)/brink $(JOURNAL_BIN) $(TICKET_BIN)

deps:
	@tools/deps build
deps-check:
	@tools/deps build lint test

$(BUILD)/%.o: %.c | deps
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CFLAGS) $(SANFLAGS) -c $< -o $@

$(BIN)/brink: $(OBJ) $(CLI_OBJ)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ $(LIBS) -o $@

$(BUILD)/unit_tests: $(OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(TEST_OBJ)
	$(CC) $(SANFLAGS) $^ $(LIBS) -lcriterion -o $@

$(JOURNAL_LIB): $(JOURNAL_OBJ)
	rm -f $@ && ar rcs $@ $^
$(BIN)/journal: $(BUILD)/$(JOURNAL)/main.o $(JOURNAL_LIB)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ $(JOURNAL_LIBS) -o $@
$(BIN)/journal-audit: $(JOURNAL)/journal-audit
	install -D -m 755 $< $@
define JOURNAL_MUTANT
$(BIN)/journal-mutant-$(subst _,-,$1): $(BUILD)/$(JOURNAL)/main.o $(BUILD)/$(JOURNAL)/mutant_$1.o $(JOURNAL_LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(SANFLAGS) $$^ $(JOURNAL_LIBS) -o $$@
endef
$(foreach m,$(JOURNAL_MUT),$(eval $(call JOURNAL_MUTANT,$m)))
$(BUILD)/journal_tests: $(JOURNAL_TEST) $(JOURNAL_LIB)
	$(CC) $(SANFLAGS) $^ $(JOURNAL_LIBS) -lcriterion -o $@

$(TICKET_LIB): $(TICKET_OBJ)
	rm -f $@ && ar rcs $@ $^
$(BIN)/ticket-service: $(BUILD)/$(TICKET)/service_main.o $(TICKET_LIB)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ -lmicrohttpd -lsqlite3 $(TICKET_LIBS) -o $@
$(BIN)/ticket-worker: $(BUILD)/$(TICKET)/worker_main.o $(TICKET_LIB)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ -lcurl $(TICKET_LIBS) -o $@
$(BIN)/ticket-log: $(BUILD)/$(TICKET)/log_main.o $(TICKET_LIB)
	@mkdir -p $(@D)
	$(CC) $(SANFLAGS) $^ $(TICKET_LIBS) -o $@
$(BIN)/ledger-audit $(BIN)/ticket-normalise: $(BIN)/%: $(TICKET)/%
	install -D -m 755 $< $@
define TICKET_MUTANT
$(BIN)/ticket-mutant-$(subst _,-,$1): $(BUILD)/$(TICKET)/worker_main.o $(BUILD)/$(TICKET)/mutant_$1.o $(TICKET_LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(SANFLAGS) $$^ -lcurl $(TICKET_LIBS) -o $$@
endef
$(foreach m,$(TICKET_MUT),$(eval $(call TICKET_MUTANT,$m)))
$(BUILD)/ticket_tests: $(TICKET_TEST) $(TICKET_LIB)
	$(CC) $(SANFLAGS) $^ -lmicrohttpd -lcurl -lsqlite3 $(TICKET_LIBS) -lcriterion -o $@

unit: $(BUILD)/unit_tests
	$(BUILD)/unit_tests
journal: $(JOURNAL_BIN) $(BUILD)/journal_tests
ticket: $(TICKET_BIN) $(BUILD)/ticket_tests

check: deps-check all $(BUILD)/unit_tests $(BUILD)/journal_tests $(BUILD)/ticket_tests workers
	@tools/check $(OUT) usual

check-all: deps-check all $(BUILD)/unit_tests $(BUILD)/journal_tests $(BUILD)/ticket_tests workers
	@tools/check $(OUT) all

check-san: deps-check workers
	@$(MAKE) --no-print-directory SAN=1 all $(OUT)/san/unit_tests $(OUT)/san/journal_tests $(OUT)/san/ticket_tests
	@SAN=1 tools/check $(OUT) core

lint: deps-check all
	@tools/lint $(BUILD)

fmt:
	clang-format -i $$(git ls-files --cached --others --exclude-standard '*.c' '*.h')

demo: all
	@tools/deps demo
	@tools/demo $(BIN)/brink

scenarios: all
	@$(BIN)/brink run scenarios/journal scenarios/ticket --out $(OUT)/scenarios

evidence: all
	@tools/evidence $(BIN)/brink

soak: deps-check all workers
	@tests/soak $(OUT)

bench: all
	@tools/deps bench
	@bench/run

install: all
	install -D -m 755 $(BIN)/brink $(DESTDIR)$(PREFIX)/bin/brink

clean:
	rm -rf $(OUT)

workers: $(WORK_BIN)
$(WORK_BIN): | deps-check
WORK_CC = @mkdir -p $(@D); $(1) -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -pthread
$(WORKERS)/%: tests/workers/%.c tests/workers/worker.h
	$(call WORK_CC,$(CC)) $< $($*_LIBS) -o $@
$(WORKERS)/judge: tests/workers/judge.c # started once for each state: static starts fastest
	$(call WORK_CC,$(CC)) -static $< -o $@
$(WORKERS)/%-static: tests/workers/%.c
	$(call WORK_CC,$(CC)) -static $< -o $@
$(WORKERS)/%-musl: tests/workers/%.c
	$(call WORK_CC,musl-gcc) -static $< -o $@
$(WORKERS)/%-asan: tests/workers/%.c
	$(call WORK_CC,$(CC)) -fsanitize=address $< -o $@
$(WORKERS)/%-go: tests/workers/%.go
	@mkdir -p $(@D)
	CGO_ENABLED=0 GO111MODULE=off GOCACHE=$(abspath $(OUT))/go-cache go build -o $@ $<
$(WORKERS)/%.class: tests/workers/%.java
	@mkdir -p $(@D)
	javac -d $(@D) $<

-include $(OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(wildcard $(BUILD)/$(JOURNAL)/*.d $(BUILD)/$(TICKET)/*.d)
.PHONY: all journal ticket deps deps-check unit check check-all check-san lint fmt demo scenarios evidence soak bench install clean workers
