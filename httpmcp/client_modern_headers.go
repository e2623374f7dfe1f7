package httpmcp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// mirrored scans the messages that headers repeat parts of.
var mirrored = jsonrpc.Scanner{Inner: []string{"_meta", "arguments"}, Depth: jsonrpc.MaxDepth}

// mirrors are messages that have been scanned: they know a _meta again.
var mirrors = sync.Pool{New: func() any { return new(jsonrpc.Message) }}

// setMirrors sets the headers that repeat what the message says (2026-07-28
// basic/transports/streamable-http, Request Metadata). They are read from the message as a server
// does, by the same table, so that they cannot say anything else. A message that no server could
// read is an error.
func setMirrors(h http.Header, message []byte, out *mcp.Outgoing) error {
	m := mirrors.Get().(*jsonrpc.Message)
	defer func() {
		m.Reset()
		mirrors.Put(m)
	}()
	if fault := mirrored.Scan(message, m); fault != nil {
		return errors.New(fault.Message)
	}
	version, ok := m.Inner("_meta", mcp.MetaProtocolVersion).Text()
	if !ok {
		version = out.Version
	}
	if version != "" {
		h[headerVersion] = []string{version}
	}
	h["Mcp-Method"] = []string{out.Method}
	if name, ok := NameHeader(m); ok {
		h["Mcp-Name"] = []string{name}
	}
	for i := range out.Marks {
		if err := setParam(h, m, &out.Marks[i]); err != nil {
			return err
		}
	}
	return nil
}

// NameHeader is what the header Mcp-Name has to say of a modern message, as Base64 where it could be
// misread otherwise; ok is false where there is nothing to say (2026-07-28
// basic/transports/streamable-http, Standard Request Headers). It is for programs that send messages
// of their own making.
func NameHeader(m *jsonrpc.Message) (value string, ok bool) {
	for i := range named {
		if row := &named[i]; row.method == string(m.Method) {
			if text, ok := m.Param(row.member).Text(); ok {
				return headerText(text), true
			}
		}
	}
	return "", false
}

// setParam sets the header that repeats an argument. One that is null, absent, or of a type that no
// header can say has none (2026-07-28 basic/transports/streamable-http, Server Behavior for
// Custom Headers).
func setParam(h http.Header, m *jsonrpc.Message, p *mcp.HeaderParam) error {
	delete(h, p.Name)
	value, ok := argument(m, p.Path)
	if !ok {
		return fmt.Errorf("an object on the way to arguments.%s has a member twice", strings.Join(p.Path, "."))
	}
	switch value.Kind() {
	case jsonrpc.KindString:
		text, _ := value.Text()
		h[p.Name] = []string{headerText(text)}
	case jsonrpc.KindNumber:
		h[p.Name] = []string{decimal(value)}
	case jsonrpc.KindBool:
		h[p.Name] = []string{string(value)}
	}
	return nil
}

// headerText is a text as a header has it: as it is, or as Base64 if it could be misread so
// (2026-07-28 basic/transports/streamable-http, Value Encoding). That is also done for a tab,
// which a header may have, but which does not always arrive.
func headerText(text string) string {
	plain := !strings.HasPrefix(text, openMark) || !strings.HasSuffix(text, closeMark)
	if plain && isVisible(text) && strings.IndexByte(text, '\t') < 0 && trimSpace(text) == text {
		return text
	}
	return openMark + base64.StdEncoding.EncodeToString([]byte(text)) + closeMark
}

// longestWhole is how many digits a number may have to be written out: more than those
// that an integer in a header may have.
const longestWhole = 20

// decimal is a number as a header has it: an integer without point and exponent, whichever way the
// message spells it. What is none is left as it is, for the server to judge.
func decimal(value jsonrpc.Raw) string {
	n := readNumber(value)
	switch {
	case n.ok && n.digits == 0:
		return "0"
	case !n.ok, n.power < int64(n.digits-1), n.power >= longestWhole:
		return string(value)
	}
	var text strings.Builder
	if n.negative {
		text.WriteByte('-')
	}
	for i, left := n.first, n.digits; left > 0; i++ {
		if value[i] != '.' {
			text.WriteByte(value[i])
			left--
		}
	}
	for range n.power - int64(n.digits-1) {
		text.WriteByte('0')
	}
	return text.String()
}
