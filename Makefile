# `make run` and `make test` are all that a new machine needs; `make help` says what else there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run build test quick format bench clean packages

PORT ?= 8080
ARGS ?=
BINARY := .build/release/sluice

BUILD_PACKAGES := libevent-dev libcurl4-openssl-dev libyaml-dev libsimdjson-dev zlib1g-dev libbrotli-dev libssl-dev libhiredis-dev \
    libsqlite3-dev libpango1.0-dev libgdk-pixbuf-2.0-dev fonts-open-sans fonts-dejavu-core fonts-wqy-microhei \
    fonts-tlwg-loma-otf fonts-lohit-deva fonts-lohit-beng-bengali fonts-lohit-guru fonts-lohit-gujr fonts-lohit-orya \
    fonts-lohit-taml fonts-lohit-telu fonts-lohit-knda fonts-lohit-mlym fonts-noto-color-emoji pkg-config
TEST_PACKAGES := binutils curl python3 python3-venv redis-server

# The same build as in the container: Swift's own libraries are in the program, Debian's are not.
RELEASE := swift build -c release --static-swift-stdlib --product sluice

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and serve http://127.0.0.1:8080 from the samples (PORT=9000 ARGS='--log-level debug')
	@exec $(BINARY) serve --sample --port $(PORT) $(ARGS)

packages:
	@.ci/prepare $(BUILD_PACKAGES)

build: packages ## build the release program, .build/release/sluice
	@echo '== Building (release; the first time takes a few minutes)'
	@$(RELEASE) || { echo 'The build failed: the first "error:" line above says why.' >&2; exit 1; }

test: ## build everything and run every test: 10 to 20 minutes on two cores
	@.ci/prepare $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@Tests/suite

quick: ## the tests without sanitizers: house rules, unit tests, black-box tests
	@.ci/prepare $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@Tests/suite format rules unit release blackbox

format: ## format the Swift sources
	@echo '== Formatting Sources, Tests and Package.swift'
	@swift format --in-place --parallel --recursive Sources Tests Package.swift

bench: build ## measure the program against thresholds and, where nginx is installed, against it
	@.ci/prepare python3
	@Benchmarks/run

clean: ## remove everything that was built
	@echo '== Removing .build, .build-tsan, .build-asan and .venv'
	@rm -rf .build .build-tsan .build-asan .venv
