# A thin layer over Meson and Ninja. `make run` and `make test` set up everything they need.
BUILD ?= build
PREFIX ?= /usr/local
# `make test SANITIZE=address,undefined` tests a build with sanitizers; `SANITIZE=thread` the threads.
SANITIZE ?=
MESON_FLAGS ?=

ifeq ($(SANITIZE),)
TEST_BUILD = build-test
TEST_FLAGS = --buildtype=release
else
TEST_BUILD = build-$(subst $(comma),-,$(SANITIZE))
TEST_FLAGS = --buildtype=debugoptimized -Db_sanitize=$(SANITIZE) -Db_lundef=false
endif
comma := ,
# Homebrew's ncurses stands aside for the older one of macOS: it is found by its own folder.
ifeq ($(shell uname -s),Darwin)
export PKG_CONFIG_PATH := $(shell brew --prefix ncurses 2>/dev/null)/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

.PHONY: all run test test-llama lint fuzz bench portability dist packages install uninstall clean

all:
	@tools/setup.sh build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --buildtype=release --prefix=$(PREFIX) -Dtests=false $(MESON_FLAGS)
	@ninja -C $(BUILD)

# The live screen. Without a GPU it says what was looked for and offers the demo.
run: all
	@tools/run.sh $(BUILD)/src/gputaskman

# Everything that needs no hardware; ends in "N passed, N failed".
test:
	@tools/setup.sh test
	@test -f $(TEST_BUILD)/build.ninja || meson setup $(TEST_BUILD) $(TEST_FLAGS) $(MESON_FLAGS)
	@ninja -C $(TEST_BUILD)
	@tests/run $(TEST_BUILD)

# A real llama-server, built from source (minutes), inspected on this machine; exit status 77: it cannot be built here.
test-llama:
	@tools/setup.sh test
	@test -f $(TEST_BUILD)/build.ninja || meson setup $(TEST_BUILD) $(TEST_FLAGS) $(MESON_FLAGS)
	@ninja -C $(TEST_BUILD)
	@tests/llama/server.sh $(TEST_BUILD)

# Layout, warnings as errors with gcc and clang, shell scripts.
lint:
	@tools/setup.sh lint
	@tools/lint.sh

# What clang-tidy has to say; slow, and not yet clean, so not part of lint.
tidy: lint
	@git ls-files 'src/*.c' | grep -v /windows/ | xargs -P "$$(nproc)" -n 4 clang-tidy -quiet -p build-lint-clang

# Every fuzz target for FUZZ_SECONDS each.
FUZZ_SECONDS ?= 600
fuzz:
	@tools/setup.sh fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

# Ratios and figures measured in one run; PEER=another monitor on the same screen.
bench: all
	@tools/bench.sh $(BUILD) "$(PEER)"

# The program for Windows: x64 with its tests under wine, ARM64 compiled and linked.
portability:
	@tools/setup.sh portability
	@tools/portability.sh

# The source archive and the recipes of packaging/ filled in for it (RELEASE_URL: where it will be found).
dist:
	@tools/dist.sh dist "$(RELEASE_URL)"

# What is shipped, built and tried: archives for x64 and arm64, the Debian package, the recipes.
packages:
	@tools/setup.sh packages
	@packaging/test.sh

install: all
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

uninstall:
	@ninja -C $(BUILD) uninstall

clean:
	rm -rf build build-*
