package mutate_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modernCall and modernHeaders say the same.
const modernCall = `{"jsonrpc":"2.0","id":"an id","method":"tools/call","params":{"name":"t","arguments":{"region":"é x","count":42,"opts":{"flag":true}},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

var modernHeaders = []string{
	"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: t",
	"Mcp-Param-Region: =?base64?w6kgeA==?=", "Mcp-Param-Count: 42", "Mcp-Param-Flag: true",
}

// others are what a byte is changed to.
func others(b byte) []byte {
	return []byte{b ^ 1, b ^ 0x20, b ^ 0x80, '"', '\n', 0, '\\', '9', '0', '.', 'e', '{', ']', ',', ' ', '=', '?'}
}

// httpTarget is an endpoint with one tool, whose arguments are repeated in headers.
func httpTarget() http.Handler {
	s := mcp.NewServer("t", "1", &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler)})
	schema := `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"},` +
		`"opts":{"type":"object","properties":{"flag":{"type":"boolean","x-mcp-header":"Flag"}}}}}`
	s.AddTool(mcp.Tool{Name: "t", InputSchema: jsonrpc.Raw(schema)}, func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult("it ran"), nil
	})
	return httpmcp.Handler(s, nil)
}

// attackHTTP sends a body with headers, in the order name, value, and returns what is wrong
// with the answer.
func attackHTTP(to http.Handler, body string, lines []string) error {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header[http.CanonicalHeaderKey(name)] = []string{value}
	}
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	answer := w.Body.Bytes()
	switch {
	case w.Code == http.StatusAccepted && len(answer) == 0: // a notification now
		return nil
	case !slices.Contains([]int{200, 400, 404}, w.Code) || w.Header().Get("Content-Type") != "application/json":
		return fmt.Errorf("%d %v %s", w.Code, w.Header(), answer)
	}
	if err := checkMessage(answer); err != nil {
		return err
	}
	if ran := strings.Contains(string(answer), "it ran"); ran && w.Code == 200 {
		return sayTheSame(body, r.Header)
	}
	return nil
}

// sayTheSame compares the headers of a call with its body, by other means than the server.
func sayTheSame(body string, h http.Header) error {
	var m struct {
		Method string
		Params struct {
			Name      string
			Arguments struct {
				Region *string
				Count  *json.Number
				Opts   struct{ Flag *bool }
			}
			Meta map[string]any `json:"_meta"`
		}
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return fmt.Errorf("it ran, but the body does not decode: %w", err)
	}
	a := m.Params.Arguments
	want := map[string]string{"Mcp-Protocol-Version": fmt.Sprint(m.Params.Meta["io.modelcontextprotocol/protocolVersion"]), "Mcp-Method": m.Method, "Mcp-Name": m.Params.Name}
	if a.Region != nil {
		want["Mcp-Param-Region"] = *a.Region
	}
	if a.Opts.Flag != nil {
		want["Mcp-Param-Flag"] = fmt.Sprint(*a.Opts.Flag)
	}
	if a.Count != nil {
		want["Mcp-Param-Count"] = value(a.Count.String())
	}
	for name := range h {
		got := plain(strings.Trim(h.Get(name), " \t"))
		if name == "Mcp-Param-Count" {
			got = value(got)
		}
		if _, mirrored := want[name]; (mirrored || strings.HasPrefix(name, "Mcp-Param-")) && got != want[name] {
			return fmt.Errorf("it ran although the header %s is %q and the body has %q", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		return fmt.Errorf("it ran without the headers of %v", want)
	}
	return nil
}

// plain decodes what comes as Base64.
func plain(header string) string {
	text, marked := strings.CutPrefix(header, "=?base64?")
	text, closed := strings.CutSuffix(text, "?=")
	if !marked || !closed {
		return header
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return "no Base64: " + header
	}
	return string(decoded)
}

// value is a number as a fraction.
func value(number string) string {
	if r, ok := new(big.Rat).SetString(number); ok && len(number) < 20 {
		return r.RatString()
	}
	return "no number: " + number
}

// TestHTTP changes each byte of a modern call, and of the headers that repeat it: what runs
// has headers that say what the body says, and all else is refused with an error that a
// client can read.
func TestHTTP(t *testing.T) {
	to := httpTarget()
	if err := attackHTTP(to, modernCall, modernHeaders); err != nil {
		t.Fatal(err)
	}
	changed := func(s string, i int, b byte) string { return s[:i] + string([]byte{b}) + s[i+1:] }
	err := spread(len(modernCall), func(i int) error {
		for _, b := range others(modernCall[i]) {
			body := changed(modernCall, i, b)
			if err := attackHTTP(to, body, modernHeaders); err != nil {
				return fmt.Errorf("body %q: %w", body, err)
			}
		}
		return nil
	})
	for n, header := range modernHeaders {
		err = errors.Join(err, spread(len(header), func(i int) error {
			for _, b := range others(header[i]) {
				lines := slices.Clone(modernHeaders)
				lines[n] = changed(header, i, b)
				if err := attackHTTP(to, modernCall, lines); err != nil {
					return fmt.Errorf("header %q: %w", lines[n], err)
				}
			}
			return nil
		}))
	}
	if err != nil {
		t.Errorf("%.2000s", err.Error())
	}
}
