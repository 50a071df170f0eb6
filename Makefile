# `make` sets up what is missing, then generates, vets and tests.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
TEMPL       = github.com/a-h/templ/cmd/templ@v0.3.1100

# Each package's tests run engines of their own: two packages at a time keep two
# cores busy, and a proof of many rounds takes minutes.
TESTFLAGS ?= -p 2 -timeout 30m

export CGO_ENABLED ?= 0

.PHONY: all setup build run test race golden evidence bench lint vulns fmt generate generated clean

all: generate test

setup: node_modules/.package-lock.json
	@scripts/chromium

# The engine, and nothing else that runs: see package.json.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

build:
	go build -trimpath -o rollsmith .

run: node_modules/.package-lock.json build
	./rollsmith serve --demo

test: setup
	go vet ./...
	go test $(TESTFLAGS) ./...

race: setup
	CGO_ENABLED=1 go test -race $(TESTFLAGS) ./...

# Rewrites the expected files of every golden test; the diff is what is reviewed.
golden: setup
	ROLLSMITH_GOLDEN=write go test $(TESTFLAGS) ./...

# Searches for a proof of every yes and no of the decision and writes the page
# of the handbook that shows them; half an hour or more.
evidence: setup
	go test -timeout 90m -count=1 -run Evidence ./proof -evidence

bench: node_modules/.package-lock.json
	go test -run '^$$' -bench . -benchmem ./...

lint:
	go vet ./...
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go run $(STATICCHECK) ./...

vulns:
	go run $(GOVULNCHECK) ./...

fmt:
	gofmt -w $$(git ls-files '*.go')
	go run $(TEMPL) fmt web

generate:
	go run $(TEMPL) generate -path web

# Fails where committed code is not what `make generate` would write.
generated:
	go run $(TEMPL) generate -path web -check

clean:
	rm -rf rollsmith dist node_modules
