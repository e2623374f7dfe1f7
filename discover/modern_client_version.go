package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// send sends a request, and again where the server does not take the version, in one that
// it says it takes (2026-07-28 basic/versioning, Protocol Version Negotiation).
func (x *modernClient) send(ctx context.Context, q *modernRequest) (jsonrpc.Raw, error) {
	for tries := 0; ; tries++ {
		q.words = x.words.Load()
		if q.as != nil {
			var err error
			if q.words, err = newWording(q.as, q.words.form, q.as.LogLevel()); err != nil {
				return nil, err
			}
		}
		q.out.Version = q.words.form.Revision
		result, err := x.link.Call(ctx, &q.out)
		q.delist()
		if err == nil {
			return result, nil
		}
		theirs := unsupported(err)
		if theirs == nil {
			return nil, err
		}
		if err := x.adopt(q.words.form, theirs, err); err != nil {
			return nil, err
		}
		if tries == len(x.forms) {
			return nil, fmt.Errorf("discover: the server refuses version %s, although it says that it supports %s: %w",
				q.words.form.Revision, listed(theirs), err)
		}
	}
}

// adopt has requests speak a version that both sides know. used is the one that was refused,
// with err.
func (x *modernClient) adopt(used *mcp.Form, theirs []string, err error) error {
	f := commonForm(x.forms, theirs)
	switch f {
	case nil:
		return &noCommonVersion{ours: x.forms, theirs: theirs, cause: err}
	case used:
		return nil // the server contradicts itself; it may not do so twice
	}
	return x.reword(func(w *wording) { w.form = f })
}

// unsupported are the versions that a server names when it refuses that of a request, nil when
// err is another error. One that has the code and names none is not known to be of the modern
// era, in which the data must name them (2026-07-28 schema, UnsupportedProtocolVersionError).
func unsupported(err error) []string {
	if err == nil {
		return nil
	}
	var told *jsonrpc.Error
	if !errors.As(err, &told) || told.Code != UnsupportedProtocolVersion {
		return nil
	}
	return textsOf(told.Data, "supported")
}

// textsOf are the strings of the array that is this member of an object, nil for none.
func textsOf(object jsonrpc.Raw, name string) []string {
	var texts []string
	for a := jsonrpc.ReadArray(object.Member(name)); a.Next(); {
		if text, ok := a.Value().Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// commonForm is the first of the forms whose revision is among theirs, nil when there is
// none.
//
//go:noinline
func commonForm(forms []*mcp.Form, theirs []string) *mcp.Form {
	for _, f := range forms {
		if slices.Contains(theirs, f.Revision) {
			return f
		}
	}
	return nil
}

// noCommonVersion is the error of a modern server that speaks none of the modern revisions
// of this side.
type noCommonVersion struct {
	ours   []*mcp.Form
	theirs []string
	cause  error // nil when the server has said so without an error
}

// Error names both sides.
func (e *noCommonVersion) Error() string {
	text := "discover: no modern version in common: the server supports " + listed(e.theirs) + ", and this client " + listed(revisions(e.ours))
	if e.legacy() {
		text += "; the server has a handshake for an older one that this client has, too: leave the era and the version open"
	}
	return text
}

func (e *noCommonVersion) Unwrap() error { return e.cause }

// legacy reports whether the handshake would lead to a version that both sides know.
func (e *noCommonVersion) legacy() bool { return slices.ContainsFunc(e.theirs, legacy.Serves) }

func revisions(forms []*mcp.Form) []string {
	var names []string
	for _, f := range forms {
		names = append(names, f.Revision)
	}
	return names
}

// listed shows versions that a peer has named: the first few of them, and of each as much as
// a version needs.
func listed(versions []string) string {
	const most, longest = 8, 32
	var shown []string
	for i, v := range versions {
		if i == most {
			shown = append(shown, "…")
			break
		}
		if len(v) > longest {
			v = v[:longest] + "…"
		}
		shown = append(shown, fmt.Sprintf("%q", v))
	}
	if shown == nil {
		return "none"
	}
	return strings.Join(shown, ", ")
}
