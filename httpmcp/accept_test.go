package httpmcp_test

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
)

func TestContentType(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"as clients send it", []string{"application/json"}, true},
		{"with a charset", []string{"application/json; charset=utf-8"}, true},
		{"in capitals, quoted", []string{`Application/JSON;charset="UTF-8"`}, true},
		{"with space all around", []string{" application/json \t; charset=UTF-8 ;"}, true},
		{"with another parameter", []string{`application/json;a="x;charset=latin1\"";b=c`}, true},
		{"empty parameters", []string{"application/json;;;"}, true},
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"twice", []string{"application/json", "application/json"}, false},
		{"a list", []string{"application/json, text/plain"}, false},
		{"in a parameter", []string{"text/plain; x=application/json"}, false},
		{"a longer name", []string{"application/jsonp"}, false},
		{"a suffix", []string{"application/problem+json"}, false},
		{"a path more", []string{"application/json/x"}, false},
		{"a name before", []string{"xapplication/json"}, false},
		{"space within", []string{"application / json"}, false},
		{"a range", []string{"application/*"}, false},
		{"another charset", []string{"application/json; charset=iso-8859-1"}, false},
		{"another charset behind", []string{"application/json; charset=utf-8; charset=utf-7"}, false},
		{"a charset that is not one", []string{"application/json; charset=utf-16le"}, false},
		{"no value", []string{"application/json; charset"}, false},
		{"an empty value", []string{"application/json; charset="}, false},
		{"an empty quoted value", []string{`application/json; charset=""`}, false},
		{"no semicolon", []string{"application/json charset=utf-8"}, false},
		{"an open quote", []string{`application/json; charset="utf-8`}, false},
		{"text behind a quote", []string{`application/json; charset="utf-8"x`}, false},
		{"a slash in a name", []string{`application/json; a/b=c`}, false},
		{"a slash in a value", []string{`application/json; a=b/c`}, false},
		{"no name", []string{`application/json; =c`}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := httpmcp.IsJSON(http.Header{"Content-Type": tt.lines}); got != tt.want {
				t.Errorf("Content-Type %q: got %t, want %t", tt.lines, got, tt.want)
			}
		})
	}
}

func TestAccept(t *testing.T) {
	const j, e = "application/json", "text/event-stream"
	for _, tt := range []struct {
		name         string
		lines        []string
		json, events bool
	}{
		{"as clients send it", []string{j + ", " + e}, true, true},
		{"absent", nil, true, true},
		{"empty", []string{""}, true, true},
		{"empty elements", []string{" , ,"}, true, true},
		{"anything", []string{"*/*"}, true, true},
		{"both kinds", []string{"application/*, text/*"}, true, true},
		{"JSON alone", []string{j}, true, false},
		{"events alone", []string{e}, false, true},
		{"case, parameters and space", []string{"application/json;charset=utf-8 , TEXT/event-stream;q=0.9"}, true, true},
		{"two lines", []string{j, e}, true, true},
		{"a line that says no more", []string{j + ", " + e, e + ";q=0"}, true, true},
		{"neither", []string{"text/html"}, false, false},
		{"kinds in capitals", []string{"TEXT/*"}, false, true},
		{"a kind that begins alike", []string{"app/*, texts/*"}, false, false},
		{"a type that begins alike", []string{"application/jsonp"}, false, false},
		{"no weight", []string{j + ";q=0, " + e}, false, true},
		{"no weight, with digits", []string{j + "; Q=0.000, */*"}, false, true},
		{"no weight for a kind", []string{"text/*;q=0,*/*;q=0.1"}, true, false},
		{"no weight for all but one", []string{"*/*;q=0, " + e}, false, true},
		{"the closest range decides", []string{e + ", text/*;q=0"}, false, true},
		{"the least of weights", []string{e + ";q=0.001"}, false, true},
		{"a weight that is none", []string{e + ";q=x"}, false, true},
		{"a weight with nothing behind", []string{e + ";q="}, false, true},
		{"no weight behind a parameter", []string{e + `;a="b,c;q=1";q=0`}, false, false},
		{"commas in quotes", []string{`text/plain;a="x,application/json", ` + e}, false, true},
		{"an open quote", []string{`text/plain;a="x,application/json`}, true, false},
		{"a parameter that is none", []string{e + ";="}, false, true},
		{"no media range", []string{"json"}, true, true},
		{"half a media range", []string{"application/, /json"}, true, true},
		{"no media range beside one", []string{"json, " + e}, false, true},
		{"words behind a range", []string{j + " x, " + e}, false, true},
		{"nothing but no", []string{"*/*;q=0"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			json, events := httpmcp.ReadAccept(http.Header{"Accept": tt.lines})
			if json != tt.json || events != tt.events {
				t.Errorf("Accept %q: got JSON %t, events %t, want %t, %t", tt.lines, json, events, tt.json, tt.events)
			}
		})
	}
}

// FuzzContentType holds what is taken as JSON to another reader of media types.
func FuzzContentType(f *testing.F) {
	for _, s := range []string{"application/json", `Application/JSON;charset="UTF-8"`, "application/json;;a=b; charset=utf-8", `application/json; a="\"";`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !httpmcp.IsJSON(http.Header{"Content-Type": {s}}) {
			return
		}
		kind, parameters, err := mime.ParseMediaType(s)
		if err != nil && kind == "" {
			t.Skip("duplicate or unusual parameters, which the other reader does not take")
		}
		if charset := parameters["charset"]; kind != "application/json" || err == nil && charset != "" && !strings.EqualFold(charset, "utf-8") {
			t.Errorf("Content-Type %q is taken as JSON, and is %q with charset %q", s, kind, charset)
		}
	})
}

// FuzzAccept: what a client says does not depend on whether it says it in one line, nor on what else it says
// of types that nobody sends.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"application/json, text/event-stream", "*/*;q=0, text/*", `a/b;c="d,e";q=0`, "application/json;q=0.0"} {
		f.Add(s, "text/html")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		json, events := httpmcp.ReadAccept(http.Header{"Accept": {a, b}})
		if strings.Count(a, `"`) == 0 {
			j, e := httpmcp.ReadAccept(http.Header{"Accept": {a + "," + b}})
			if j != json || e != events {
				t.Errorf("%q and %q: as two lines JSON %t, events %t, as one %t, %t", a, b, json, events, j, e)
			}
		}
		j, e := httpmcp.ReadAccept(http.Header{"Accept": {a, b, "image/png", "*/*", "*/*;q=0"}})
		if json && !j || events && !e {
			t.Errorf("%q and %q: with more types there is less: JSON %t, events %t, before %t, %t", a, b, j, e, json, events)
		}
	})
}

func BenchmarkAccept(b *testing.B) {
	for _, bb := range []struct{ name, accept, content string }{
		{"common", "application/json, text/event-stream", "application/json"},
		{"long", "application/json;charset=utf-8 , TEXT/event-stream;q=0.9, */*;q=0.1", `application/json; charset="UTF-8"`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			h := http.Header{"Accept": {bb.accept}, "Content-Type": {bb.content}}
			b.ReportAllocs()
			for b.Loop() {
				if json, _ := httpmcp.ReadAccept(h); !json || !httpmcp.IsJSON(h) {
					b.Fatal("not acceptable")
				}
			}
		})
	}
}
