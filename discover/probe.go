package discover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// finding is what came of asking a server for server/discover, which servers of the modern
// era have to answer and others do not know.
type finding struct {
	modern   bool   // it is to be spoken to in the modern era
	evidence string // one line
	silent   bool   // there was no answer
	err      error  // nil for an answer that is a result
}

// probe asks the server. It errs only where nothing can be said of the server: ctx has
// ended, or no version can be agreed on with a server that is modern.
func (k *connecting) probe(ctx context.Context, x *modernClient) (finding, error) {
	q := x.newRequest(&mcp.ClientRequest{Method: "server/discover"})
	// A server that does not know the request need not know what cancels it.
	q.out.Quiet = true
	most := k.opts.probeTime(k.eras)
	inTime, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	result, err := x.send(inTime, q)
	if ctx.Err() != nil {
		return finding{}, fmt.Errorf("discover: server/discover was not answered: %w", context.Cause(ctx))
	}
	if err != nil && inTime.Err() != nil && !errors.Is(err, jsonrpc.ErrEchoed) {
		return finding{
			evidence: fmt.Sprintf("server/discover was not answered within %v", most),
			silent:   true, err: err,
		}, nil
	}
	if err != nil {
		return k.weighError(err)
	}
	return k.weighResult(x, result)
}

// weighResult looks whether a result is that of a modern server: it names the versions
// (2026-07-28 basic/transports/stdio, Backward Compatibility).
func (k *connecting) weighResult(x *modernClient, result jsonrpc.Raw) (finding, error) {
	theirs := textsOf(result, "supportedVersions")
	if theirs == nil {
		return finding{evidence: "server/discover was answered with a result that names no supportedVersions: " + oneLine(string(result))}, nil
	}
	found := finding{modern: true, evidence: "server/discover was answered with supportedVersions " + listed(theirs)}
	if f := commonForm(x.forms, theirs); f == nil {
		return k.withoutCommon(found, &noCommonVersion{ours: x.forms, theirs: theirs})
	} else if err := x.reword(func(w *wording) { w.form = f }); err != nil {
		return found, err
	}
	if _, err := x.learn(result); err != nil {
		// It is modern all the same; the error comes up again when somebody asks.
		k.log.Warn("the answer to server/discover cannot be read", "error", err)
	}
	return found, nil
}

// weighError looks whether an error is one of those that the modern era has of its own. No
// other code tells anything (same page; 2026-07-28 basic/transports/streamable-http, Backward
// Compatibility).
func (k *connecting) weighError(err error) (finding, error) {
	found := finding{evidence: "server/discover " + outcome(err), err: err}
	var none *noCommonVersion
	switch {
	case errors.As(err, &none):
		found.modern = true
		return k.withoutCommon(found, none)
	case errors.Is(err, jsonrpc.ErrEchoed):
		return found, fmt.Errorf("discover: server/discover: %w", err)
	case unsupported(err) != nil: // it refuses a version that it says it supports
		return found, err
	}
	found.modern = knownModern(err)
	return found, nil
}

// withoutCommon is the finding about a server of the modern era that has no modern version in
// common with this side: where both know one of the legacy era, that is spoken; else the error
// is none.
func (k *connecting) withoutCommon(found finding, none *noCommonVersion) (finding, error) {
	if !none.legacy() || k.eras&mcp.Legacy == 0 {
		return found, none
	}
	found.modern, found.err = false, none
	return found, nil
}

// outcome says in a line what came in place of a result.
func outcome(err error) string {
	var told *jsonrpc.Error
	var rejected *mcp.Rejected
	switch {
	case errors.As(err, &told):
		return fmt.Sprintf("was answered with the error %d: %s", int(told.Code), oneLine(told.Message))
	case errors.As(err, &rejected):
		return "was rejected: " + oneLine(rejected.Reason)
	case errors.Is(err, mcp.ErrLinkClosed):
		return "had the server end the connection: " + oneLine(err.Error())
	}
	return "has failed: " + oneLine(err.Error())
}

// oneLine makes a text that a peer has chosen fit into one line, on which nothing happens but
// what it says.
func oneLine(text string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	return jsonrpc.Clip([]byte(strings.TrimSpace(clean)))
}
