package legacy_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
)

var someday = time.Unix(0, 0)

func TestBeforeInitialize(t *testing.T) {
	const refused = "-32602 Not initialized: send initialize first"
	tests := []struct{ method, rest, want string }{
		{"ping", ``, `{}`},
		{"ping", `,"params":{"future":true}`, `{}`},
		{"tools/list", ``, refused},
		{"tools/call", `,"params":{"name":"object"}`, refused},
		{"resources/read", `,"params":{"uri":"a:b"}`, refused},
		{"nonexistent/method", ``, refused},
		{"server/discover", ``, refused},
		{"Initialize", ``, refused},
	}
	c := dial(t, server())
	for _, test := range tests {
		same(t, test.method+test.rest, c.ask(test.method, test.rest), test.want)
	}
	if c.Opened() || c.AllowsBatches() || c.Version() != "" {
		t.Errorf("the session is open, in %q", c.Version())
	}
}

// What a client may send does not wait for notifications/initialized (B82), and that
// notification changes nothing.
func TestMethods(t *testing.T) {
	for _, version := range versions {
		c := dial(t, server())
		c.open(version)
		for _, method := range []string{"tools/list", "resources/list", "resources/templates/list"} {
			if got := c.ask(method, ``); !strings.HasPrefix(got, `{"`) {
				t.Errorf("%s: %s before notifications/initialized: got %s", version, method, got)
			}
		}
		var m jsonrpc.Message
		scanner := jsonrpc.Scanner{}
		for _, note := range []string{"notifications/initialized", "notifications/unknown", "initialize"} {
			scanner.Scan([]byte(`{"jsonrpc":"2.0","method":"`+note+`"}`), &m)
			c.Notification(context.Background(), &m, c)
		}
		same(t, version+" ping", c.ask("ping", ``), `{}`)
		same(t, version+" ping in a batch", c.answer("ping", ``, true), `{}`)
		for _, method := range []string{
			"nonexistent/method", "server/discover", "subscriptions/listen", "prompts/list", "logging/setLevel",
			"completion/complete", "tasks/list", "Ping", "notifications/initialized", "roots/list", "sampling/createMessage",
		} {
			same(t, version, c.ask(method, ``), "-32601 Method not found: "+method)
		}
		same(t, version+" version", c.Version(), version)
	}
}

// TestBatches: 2025-03-26 and no other (B85).
func TestBatches(t *testing.T) {
	for _, version := range versions {
		c := dial(t, server())
		c.open(version)
		if got, want := c.AllowsBatches(), version == "2025-03-26"; got != want {
			t.Errorf("%s: AllowsBatches() = %t, want %t", version, got, want)
		}
	}
}

func TestVersions(t *testing.T) {
	got := legacy.Versions()
	if !slices.Equal(got, versions) {
		t.Errorf("Versions() = %q, want %q", got, versions)
	}
	got[0] = "changed" // the caller's own
	same(t, "the newest", legacy.Versions()[0], versions[0])
}

// TestRevisions is the table of what each revision had: a mark in an answer, and the
// first revision that has it. Nothing of the modern era ever shows (B88).
func TestRevisions(t *testing.T) {
	const list, call, read = `tools/list`, `tools/call,"params":{"name":"object","_meta":{"progressToken":1}}`, `resources/read,"params":{"uri":"a:b"}`
	const array = `tools/call,"params":{"name":"array"}`
	tests := []struct{ name, request, mark, since string }{
		{"a list", list, `"name":"object"`, "2024-11-05"},
		{"hints on tools", list, `"annotations":{"readOnlyHint":false}`, "2025-03-26"},
		{"title", list, `"title":"Object"`, "2025-06-18"},
		{"output schema of an object", list, `"outputSchema":{"type":"object"}`, "2025-06-18"},
		{"output schema of another type", list, `"array"}`, "never"},
		{"_meta of a definition", list, `"_meta":{"m":1}`, "2025-06-18"},
		{"icons", list, `"icons":[`, "2025-11-25"},
		{"audio", call, `{"type":"audio"`, "2025-03-26"},
		{"links", call, `{"type":"resource_link"`, "2025-06-18"},
		{"lastModified", call, `"lastModified":`, "2025-06-18"},
		{"audience", call, `"audience":["user"]`, "2024-11-05"},
		{"_meta of a content", call, `"_meta":{"m":1}`, "2025-06-18"},
		{"structured object", call, `"structuredContent":{"o":1}`, "2025-06-18"},
		{"structured array", array, `structuredContent`, "never"},
		{"_meta of a result", array, `"_meta":{"r":2}`, "2024-11-05"},
		{"size of a resource", `resources/list`, `"size":1`, "2024-11-05"},
		{"_meta of contents", read, `"_meta":{"m":1}`, "2025-06-18"},
		{"unknown resource", `resources/read,"params":{"uri":"a:c"}`, `-32002 Unknown resource: a:c {"uri":"a:c"}`, "2024-11-05"},
		{"unknown tool", `tools/call,"params":{"name":"nope"}`, "-32602 Unknown tool: nope", "2024-11-05"},
		{"resultType", list, "resultType", "never"},
		{"caching hints on a list", list, "ttlMs", "never"},
		{"caching scope", read, "cacheScope", "never"},
		{"identity in _meta", call, "serverInfo", "never"},
	}
	for _, version := range versions {
		for _, test := range tests {
			c := dial(t, server())
			c.open(version)
			method, rest, hasParams := strings.Cut(test.request, ",")
			if hasParams {
				rest = "," + rest
			}
			got := c.ask(method, rest)
			if want := slices.Contains(versionsFrom(test.since), version); strings.Contains(got, test.mark) != want {
				t.Errorf("%s: %s: has %s = %t, want %t, in\n%s", version, test.name, test.mark, !want, want, got)
			}
		}
	}
}

// A message beside the progress came with 2025-03-26.
func TestProgressOfRevisions(t *testing.T) {
	for _, version := range versions {
		c := dial(t, server())
		c.open(version)
		c.ask("tools/call", `,"params":{"name":"object","_meta":{"progressToken":"p"}}`)
		want := `notifications/progress {"progressToken":"p","progress":1,"total":2,"message":"half"}`
		if version == "2024-11-05" {
			want = `notifications/progress {"progressToken":"p","progress":1,"total":2}`
		}
		same(t, version, c.sent(), want)
	}
}
