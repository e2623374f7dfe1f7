# Every target works offline and needs Go and nothing else, but for these: race needs a C compiler,
# replicas needs nginx, and conformance and interop need npm, which fetches what they run once.

# Nothing is fetched: there is no requirement to fetch, and this keeps it so.
export GOFLAGS     := -mod=mod
export GOPROXY     := off
export GOTOOLCHAIN := local

ROOMS     := ./jsonrpc/... ./mcp/... ./legacy/... ./discover/... ./stdio/... ./httpmcp/...
# Tests that come into the rooms from outside but in one process, where what ran can be counted.
INSIDE    := $(addprefix ./testfixtures/,asks bridged cases clients eras everything mcptest notes probed revisions transcripts/...)
FUZZTIME  ?= 1m
BENCHTIME ?= 1s
ROUNDS    ?= 25
SOAKTIME  ?= 2m
RACES     ?= 3
SUITES    ?=
UPDATE    ?=

# How commands are built for those who use them: without HTTP/2, what TLS calls once a connection not inlined
# (docs/decisions.md says why of both), and without symbols and paths of files.
RELEASE   := -trimpath -tags nethttpomithttp2 -gcflags=crypto/tls=-l -ldflags='-s -w'

.PHONY: help build test race cover fuzz bench soak suites golden fmt-check vet size tour replicas conformance interop interop-servers clean

help: ## list the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

build: ## build every command into bin/, as it is given to users
	@mkdir -p bin
	CGO_ENABLED=0 go build $(RELEASE) -o bin/ ./cmd/...

test: vet ## vet, then all tests
	go test ./...

race: ## under the race detector (needs a C compiler): the rooms RACES times (RACES=3), all else once
	go test -race -count=$(RACES) $(ROOMS)
	go test -race ./testfixtures/... ./cmd/...

cover: ## statement coverage of each room, and of what is below mcp; fails below 90 %
	@mkdir -p bin
	go test -coverprofile=bin/cover.out -coverpkg=$(shell echo $(ROOMS) | tr ' ' ',') $(ROOMS) $(INSIDE)
	@go run ./testfixtures/tree/cover -min 90 bin/cover.out jsonrpc mcp mcp/jsonschema mcp/seal mcp/uritemplate legacy discover stdio httpmcp

fuzz: ## every fuzz target for FUZZTIME each (FUZZTIME=1m, or a count of inputs, as in 40000x)
	@for file in $$(grep -rl --include='*_test.go' '^func Fuzz' . | sort); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "== $$(dirname $$file) $$name, $(FUZZTIME)"; \
			go test $$(dirname $$file) -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
		done; \
	done

bench: ## benchmarks of the rooms (BENCHTIME=1s), then of whole processes beside the floor (ROUNDS=25)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(ROOMS)
	go test -run '^$$' -bench . -benchtime $(ROUNDS)x ./testfixtures/bench

soak: ## an endpoint under clients of all kinds for SOAKTIME, under the race detector (needs a C compiler); SOAKTIME=2m
	go test -race -count=1 -v -run '^TestSoak$$' -timeout 15m ./testfixtures/soak -soak $(SOAKTIME)

suites: ## outside test data: make suites SUITES=DIR
	@test -n "$(SUITES)" || { echo "make suites: SUITES is not set; name the folder of the test data: make suites SUITES=DIR" >&2; exit 1; }
	@test -d "$(SUITES)" || { echo "make suites: there is no folder $(SUITES); name the folder of the test data: make suites SUITES=DIR" >&2; exit 1; }
	@echo "the optional cases of JSON Schema:"
	@go test -count=1 -v -run '^TestSuiteOptional$$' ./mcp/jsonschema -suites '$(abspath $(SUITES))' | sed -n 's/^ *suite_test.go:[0-9]*: /  /p'
	go test -count=1 -run Suite $$(grep -rl --include='*_test.go' '"suites"' . | xargs -n 1 dirname | sort -u) -suites '$(abspath $(SUITES))'

golden: ## rewrite the golden transcripts that fail, docs/revisions.md, the code in the pages and the table of faults; read the diff before you keep it
	go test ./testfixtures/transcripts/... -update
	go test ./testfixtures/revisions -run '^TestTable$$' -update
	go test ./testfixtures/tree -run '^TestGuide$$' -update
	go test ./testfixtures/fixture/fault -run '^TestPage$$' -update

fmt-check: ## fail when gofmt would change a file
	@files=$$(gofmt -l .) && { test -z "$$files" || { echo "gofmt would change:" >&2; echo "$$files" >&2; exit 1; }; }

vet: ## go vet
	go vet ./...

# Each with the bytes that it may have: 9 MiB and 3 MiB.
size: ## build mcp, and stdioecho, a server without HTTP, as for users; fail above 9 MiB and 3 MiB
	@mkdir -p bin
	CGO_ENABLED=0 go build $(RELEASE) -o bin/ ./cmd/mcp ./testfixtures/echo/stdioecho
	@for limit in mcp:9437184 stdioecho:3145728; do \
		name=$${limit%:*}; most=$${limit#*:}; size=$$(wc -c < bin/$$name); \
		echo "bin/$$name: $$size bytes of $$most"; test $$size -le $$most || exit 1; \
	done

tour: ## the fixture servers in both eras, every message shown
	go run ./cmd/mcp tour

# Where nginx is for all users, it is not in the PATH of most.
replicas: export PATH := $(PATH):/usr/sbin
replicas: ## three servers behind nginx, requests in turn (installs the Debian package nginx if it is missing and may be)
	@command -v nginx >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null; } || \
		{ echo "make replicas: there is no nginx; install it (the package nginx of Debian, as root: apt-get install nginx)" >&2; exit 1; }
	@command -v nginx >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx >/dev/null; }
	go test -count=1 ./testfixtures/replicas -nginx "$$(command -v nginx)"

conformance: bin/conformance/node_modules/.package-lock.json ## the official suite against mcp-everything and a client, counted (needs npm; UPDATE=-update writes the tables)
	CGO_ENABLED=0 go build $(RELEASE) -o bin/ ./cmd/mcp-everything
	CGO_ENABLED=0 go build -trimpath -o bin/conformance-client ./testfixtures/conformance/client
	go run ./testfixtures/conformance $(UPDATE)

# What npm has installed, anew when what is pinned has changed.
bin/conformance/node_modules/.package-lock.json: testfixtures/conformance/package.json testfixtures/conformance/package-lock.json
	@mkdir -p bin/conformance
	cp $^ bin/conformance/
	npm ci --prefix bin/conformance --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

interop: bin/interop/node_modules/.package-lock.json ## the official clients drive mcp-everything, and the client published servers (needs npm; UPDATE=-update writes the tables)
	CGO_ENABLED=0 go build $(RELEASE) -o bin/ ./cmd/mcp-everything
	go run ./testfixtures/interop $(UPDATE)
	go run ./testfixtures/interop/servers $(UPDATE)

interop-servers: bin/interop/node_modules/.package-lock.json ## the second half of interop alone
	go run ./testfixtures/interop/servers $(UPDATE)

bin/interop/node_modules/.package-lock.json: testfixtures/interop/package.json testfixtures/interop/package-lock.json
	@mkdir -p bin/interop
	cp $^ bin/interop/
	npm ci --prefix bin/interop --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
	@touch $@

clean: ## remove what make built
	rm -rf bin
