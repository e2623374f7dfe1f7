package notes_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/fixture/fixturetest"
	"isthmus.internal/testfixtures/notes"
)

const (
	note1 = `{"id":1,"tag":"release","text":"v2.1 shipped with streaming fixes"}`
	note2 = `{"id":2,"tag":"incident","text":"gateway 502 spike traced to upstream pool"}`
	note3 = `{"id":3,"tag":"release","text":"v2.2 rolled out canary to 5%"}`
	all   = `[` + note1 + `,` + note2 + `,` + note3 + `]`

	tools = `"tools":[{"name":"notes_query","description":"Finds notes, by tag if one is given.",` +
		`"inputSchema":{"type":"object","properties":{"tag":{"type":"string","description":"Only notes with exactly this tag."}}}}]`
	resources = `"resources":[{"uri":"notes://all","name":"all-notes","description":"All notes.","mimeType":"application/json"}]`
	templates = `"resourceTemplates":[{"uriTemplate":"notes://{id}","name":"note","description":"One note, by its id.","mimeType":"application/json"}]`

	capabilities = `"capabilities":{"resources":{},"tools":{}}`
	serverInfo   = `{"name":"notes-server","version":"1.0.0"}`
	modernMeta   = `"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}`
	stale        = `,"ttlMs":0,"cacheScope":"private"`
)

func server(n []notes.Note) *mcp.Server { return notes.NewServer(slog.New(slog.DiscardHandler), n) }

// The lines of the exchanges, by short names.
var (
	call   = fixturetest.Request
	result = fixturetest.Result
	fault  = fixturetest.Error
)

// quote spells a text of plain letters as JSON does.
func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// form is what an era puts around the same requests and results.
type form struct {
	meta          string // ends the params of a request
	before, after string // enclose the members of a result
	cache         string // ends the members of a result that may be cached
}

var (
	legacy = form{}
	modern = form{"," + fixturetest.Meta, `"resultType":"complete",`, "," + modernMeta, stale}
)

func (f form) result(id, members string) string {
	return result(id, f.before+members+f.after)
}

func TestLegacy(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			exchanges := []fixturetest.Exchange{
				{"handshake", fixturetest.Initialize(version),
					result("0", `"protocolVersion":"`+version+`",`+capabilities+`,"serverInfo":`+serverInfo)},
				{"initialized", fixturetest.Initialized, ""},
			}
			exchanges = append(exchanges, queries(legacy)...)
			fixturetest.Play(t, server(notes.Default()), append(exchanges, reads(legacy)...))
		})
	}
}

func TestModern(t *testing.T) {
	exchanges := []fixturetest.Exchange{
		{"discover", call("0", "server/discover", fixturetest.Meta),
			modern.result("0", `"supportedVersions":["2026-07-28"],`+capabilities+stale)},
	}
	exchanges = append(exchanges, queries(modern)...)
	fixturetest.Play(t, server(notes.Default()), append(exchanges, reads(modern)...))
}

func queries(f form) []fixturetest.Exchange {
	query := func(id, arguments string) string {
		return call(id, "tools/call", `"name":"notes_query","arguments":`+arguments+f.meta)
	}
	hits := func(id, notes string) string {
		return f.result(id, `"content":[{"type":"text","text":`+quote(notes)+`}]`)
	}
	const wrong = "arguments.tag must be a string"
	return []fixturetest.Exchange{
		{"list", call("1", "tools/list", `"a":1`+f.meta), f.result("1", tools+f.cache)},
		{"all", query("2", `{}`), hits("2", all)},
		{"all, without arguments", call("3", "tools/call", `"name":"notes_query"`+f.meta), hits("3", all)},
		{"two hits", query("4", `{"tag":"release"}`), hits("4", `[`+note1+`,`+note3+`]`)},
		{"one hit", query("5", `{"tag":"incident"}`), hits("5", `[`+note2+`]`)},
		{"tag with escapes", query("6", `{"tag":"\u0069ncident"}`), hits("6", `[`+note2+`]`)},
		{"no hit", query("7", `{"tag":"none"}`), hits("7", `[]`)},
		{"other case", query("8", `{"tag":"Release"}`), hits("8", `[]`)},
		{"part of a tag", query("9", `{"tag":"rel"}`), hits("9", `[]`)},
		{"empty tag", query("10", `{"tag":""}`), hits("10", `[]`)},
		{"argument in other case", query("11", `{"Tag":"release"}`), hits("11", all)},
		{"number", query("12", `{"tag":1}`), fault("12", "-32602", wrong)},
		{"null", query("13", `{"tag":null}`), fault("13", "-32602", wrong)},
		{"array", query("14", `{"tag":["release"]}`), fault("14", "-32602", wrong)},
		{"arguments are an array", query("15", `["release"]`), fault("15", "-32602", "params.arguments must be an object")},
		{"unknown tool", call("16", "tools/call", `"name":"nope"`+f.meta), fault("16", "-32602", "Unknown tool: nope")},
		{"unknown method", call("17", "no/such", `"a":1`+f.meta), fault("17", "-32601", "Method not found: no/such")},
	}
}

func reads(f form) []fixturetest.Exchange {
	read := func(id, uri string) string {
		return call(id, "resources/read", `"uri":`+quote(uri)+f.meta)
	}
	contents := func(id, uri, text string) string {
		return f.result(id, `"contents":[{"uri":"`+uri+`","mimeType":"application/json","text":`+quote(text)+`}]`+f.cache)
	}
	unknown := func(id, uri string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":` + quote("Unknown resource: "+uri) +
			`,"data":{"uri":` + quote(uri) + `}}}`
	}
	return []fixturetest.Exchange{
		{"resources", call("30", "resources/list", `"a":1`+f.meta), f.result("30", resources+f.cache)},
		{"templates", call("31", "resources/templates/list", `"a":1`+f.meta), f.result("31", templates+f.cache)},
		{"all", read("32", "notes://all"), contents("32", "notes://all", all)},
		{"first", read("33", "notes://1"), contents("33", "notes://1", note1)},
		{"last", read("34", "notes://3"), contents("34", "notes://3", note3)},
		{"no such note", read("35", "notes://4"), unknown("35", "notes://4")},
		{"number spelt otherwise", read("36", "notes://01"), unknown("36", "notes://01")},
		{"nothing after the scheme", read("37", "notes://"), unknown("37", "notes://")},
		{"below a note", read("38", "notes://1/x"), unknown("38", "notes://1/x")},
		{"other scheme", read("39", "file://all"), unknown("39", "file://all")},
		{"scheme in other case", read("40", "NOTES://all"), unknown("40", "NOTES://all")},
		{"malformed escape", read("41", "notes://%zz"), unknown("41", "notes://%zz")},
		{"empty", read("42", ""), unknown("42", "")},
		{"quotes and line ends", read("43", "a\"b\nc"), unknown("43", "a\"b\nc")},
		{"uri of another type", call("44", "resources/read", `"uri":1`+f.meta), fault("44", "-32602", "params.uri must be a string")},
		{"no uri", call("45", "resources/read", `"a":1`+f.meta), fault("45", "-32602", "params.uri must be a string")},
	}
}

// TestOtherNotes shows that the server goes by the notes it was given, and keeps
// them when the caller changes the slice afterwards.
func TestOtherNotes(t *testing.T) {
	given := []notes.Note{{40, "ä\"b", "<1>\n\u2028"}, {2, "", ""}}
	s := server(given)
	given[0], given[1] = notes.Note{}, notes.Note{}
	first := `{"id":40,"tag":"ä\"b","text":"<1>\n\u2028"}`
	both := `[` + first + `,{"id":2,"tag":"","text":""}]`
	text := func(json string) string { // the same text once more as a string
		quoted := []byte{'"'}
		for _, b := range []byte(json) {
			if b == '"' || b == '\\' {
				quoted = append(quoted, '\\')
			}
			quoted = append(quoted, b)
		}
		return string(append(quoted, '"'))
	}
	query := func(id, arguments string) string {
		return call(id, "tools/call", `"name":"notes_query","arguments":`+arguments+modern.meta)
	}
	fixturetest.Play(t, s, []fixturetest.Exchange{
		{"all", query("1", `{}`), modern.result("1", `"content":[{"type":"text","text":`+text(both)+`}]`)},
		{"by tag", query("2", `{"tag":"ä\"b"}`), modern.result("2", `"content":[{"type":"text","text":`+text(`[`+first+`]`)+`}]`)},
		{"one", call("3", "resources/read", `"uri":"notes://40"`+modern.meta),
			modern.result("3", `"contents":[{"uri":"notes://40","mimeType":"application/json","text":`+text(first)+`}]`+stale)},
		{"not a note any more", call("4", "resources/read", `"uri":"notes://1"`+modern.meta),
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown resource: notes://1","data":{"uri":"notes://1"}}}`},
	})
	fixturetest.Play(t, server(nil), []fixturetest.Exchange{
		{"no notes", query("1", `{}`), modern.result("1", `"content":[{"type":"text","text":"[]"}]`)},
	})
}
