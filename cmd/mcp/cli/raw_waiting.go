package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
)

// waiting says how many requests are not answered, by the keys of their ids.
type waiting map[string]int

// sent notes what is to be answered of a line that goes to the server.
func (w waiting) sent(line []byte) {
	messages(line, func(m *jsonrpc.Message, wrong bool) {
		switch {
		case wrong:
		case m.Kind == jsonrpc.Request:
			w[m.ID.Key()]++
		case m.Kind == jsonrpc.Notification && string(m.Method) == "notifications/cancelled":
			if id, ok := jsonrpc.ParseID(m.Param("requestId")); ok {
				w.answered(id.Key())
			}
		}
	})
}

// came notes what is answered by a line of the server.
func (w waiting) came(line []byte) {
	messages(line, func(m *jsonrpc.Message, _ bool) {
		if m.Kind == jsonrpc.Response {
			w.answered(m.ID.Key())
		}
	})
}

// answered: no answer to the request is waited for. An error without an id is that of the only
// request that waits.
func (w waiting) answered(key string) {
	if key == "" && len(w) == 1 {
		clear(w)
	}
	if w[key]--; w[key] <= 0 {
		delete(w, key)
	}
}

// String names the requests that wait, some of them if they are many.
func (w waiting) String() string {
	const most = 10
	ids := slices.Sorted(maps.Keys(w))
	more := ""
	if n := len(ids) - most; n > 0 {
		ids, more = ids[:most], fmt.Sprintf(" and %d more", n)
	}
	for i, id := range ids {
		if id[0] == '"' {
			id += `"` // which a key has not
		}
		ids[i] = "id " + brief(id)
	}
	return "not answered: " + strings.Join(ids, ", ") + more
}

// messages has each message of a line looked at, those of a batch, too; wrong: it is not what it should be.
func messages(line []byte, look func(m *jsonrpc.Message, wrong bool)) {
	var scan jsonrpc.Scanner
	all := []jsonrpc.Raw{line}
	if jsonrpc.IsArray(line) {
		all, _ = scan.Split(line)
	}
	var m jsonrpc.Message
	for _, one := range all {
		wrong := scan.Scan(one, &m) != nil
		look(&m, wrong)
	}
}
