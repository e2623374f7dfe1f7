package mcp

import (
	"context"
	"strings"
)

// Completer suggests values for an argument of a prompt or a variable of a resource
// template while a user types (2026-07-28 server/utilities/completion). It may run
// many times at once, once a key stroke, and [Call.Principal] says for whom: suggest
// only what that user may see. [Call.Name] is the name of the prompt or template. A
// nil Completion suggests nothing. Errors are answered as those of a
// [PromptHandler].
type Completer func(ctx context.Context, c *Call, in Completing) (*Completion, error)

// Completing is what is to be completed.
type Completing struct {
	// Argument is the name of the argument or variable, Value what stands in it.
	Argument, Value string
	// Context holds the arguments that are filled in already; nil when the client
	// says nothing of them, as before 2025-06-18.
	Context map[string]string
}

// Completion holds suggestions, the best first.
type Completion struct {
	// Values are whole values of the argument. Of more than 100 the first 100 are
	// sent, and the client is told how many there are.
	Values []string
	// Total is how many there are in all, those in Values included, or 0 when
	// that is not known.
	Total int
	// HasMore: there are more than Values. A Total that is larger says so too.
	HasMore bool
}

// mostValues is how many one answer may hold (2026-07-28 server/utilities/completion,
// Completion Results).
const mostValues = 100

func (n *Completion) write(w *writer, _ *Form) {
	total, sent := n.Total, n.Values
	if len(sent) > mostValues {
		sent = sent[:mostValues]
		total = max(total, len(n.Values))
	}
	w.open("completion", '{')
	w.list("values", sent)
	if total > 0 {
		w.integer("total", int64(max(total, len(sent))))
	}
	w.ifTrue("hasMore", n.HasMore || total > len(sent))
	w.close('}')
}

// CompleteFrom suggests those of values that begin with what has been typed, in the
// order given; case does not count. Values that contain it elsewhere come behind
// them.
func CompleteFrom(values ...string) Completer {
	folded := make([]string, len(values))
	for i, v := range values {
		folded[i] = strings.ToLower(v)
	}
	return func(_ context.Context, _ *Call, in Completing) (*Completion, error) {
		typed := strings.ToLower(in.Value)
		var first, later []string
		for i, v := range values {
			switch strings.Index(folded[i], typed) {
			case -1:
			case 0:
				first = append(first, v)
			default:
				later = append(later, v)
			}
		}
		all := append(first, later...)
		return &Completion{Values: all, Total: len(all)}, nil
	}
}
