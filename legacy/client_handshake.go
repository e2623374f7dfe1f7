package legacy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// handshake opens a session (2025-11-25 basic/lifecycle, Initialization), which holds from
// the server's answer on: the server may ask as soon as it has heard
// notifications/initialized.
func (x *Client) handshake(ctx context.Context) (*agreed, error) {
	form, err := x.opts.offer()
	if err != nil {
		return nil, err
	}
	s, err := x.initialize(ctx, form)
	if other := x.opts.counterOffer(form, err); other != nil {
		s, err = x.initialize(ctx, other)
	}
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	x.now = s
	x.mu.Unlock()
	if err := x.link.Notify(ctx, s.outgoing("notifications/initialized", nil)); err != nil {
		return nil, fmt.Errorf("legacy: notifications/initialized: %w", err)
	}
	return s, nil
}

// initialize asks for the revision of this form, and takes the one that the server
// answers with (2025-11-25 basic/lifecycle, Version Negotiation).
func (x *Client) initialize(ctx context.Context, f *mcp.Form) (*agreed, error) {
	params, err := mcp.Append(nil, &mcp.InitializeParams{
		ProtocolVersion: f.Revision, Capabilities: x.host.Capabilities(), ClientInfo: x.host.Info(),
	}, f)
	if err != nil {
		return nil, fmt.Errorf("legacy: what the client says of itself cannot be sent: %w", err)
	}
	result, err := x.link.Call(ctx, &mcp.Outgoing{
		Method: "initialize",
		Params: func(dst []byte, _ jsonrpc.ID) []byte { return append(dst, params...) },
		Quiet:  true,
	})
	if err != nil {
		return nil, refused(f, err)
	}
	return x.opts.readSession(f, result)
}

// refused is the error of a handshake that failed, with the versions that the server
// offers in place of the one that was asked for, if it does.
func refused(f *mcp.Form, err error) error {
	if names := supported(err); names != nil {
		return fmt.Errorf("legacy: initialize for version %q: the server supports %q; %s: %w", f.Revision, clipped(names), advice, err)
	}
	return fmt.Errorf("legacy: initialize for version %q: %w", f.Revision, err)
}

// advice is what those can do whose server speaks another revision.
var advice = "this client has a handshake for " + strings.Join(Versions(), ", ") +
	": do not force the version or the era, or use a newer one of either program"

// readSession reads the result of initialize.
func (o *ClientOptions) readSession(asked *mcp.Form, result jsonrpc.Raw) (*agreed, error) {
	r, err := mcp.Read[mcp.InitializeResult](result, "result")
	switch {
	case err != nil:
		return nil, fmt.Errorf("legacy: the answer to initialize for version %q is none: %w", asked.Revision, err)
	case !Serves(r.ProtocolVersion), o.version() != "" && r.ProtocolVersion != asked.Revision:
		return nil, fmt.Errorf("legacy: initialize for version %q was answered with version %q; %s",
			asked.Revision, jsonrpc.Clip([]byte(r.ProtocolVersion)), advice)
	}
	return &agreed{form: negotiate(r.ProtocolVersion), server: discovered(&r, result)}, nil
}

// discovered is what the result of initialize says, as the answer to server/discover would
// have it.
func discovered(r *mcp.InitializeResult, result jsonrpc.Raw) *mcp.DiscoverResult {
	d := &mcp.DiscoverResult{
		SupportedVersions: []string{r.ProtocolVersion},
		Capabilities:      r.Capabilities,
		Instructions:      r.Instructions,
		Meta:              mcp.Meta{},
	}
	maps.Copy(d.Meta, r.Meta)
	if info := result.Member("serverInfo"); info != nil {
		d.Meta[mcp.MetaServerInfo] = bytes.Clone(info)
	}
	return d
}

// offer is the revision to ask for: the newest, or the one that is forced.
func (o *ClientOptions) offer() (*mcp.Form, error) {
	switch version := o.version(); {
	case version == "":
		return revisions[0], nil
	case Serves(version):
		return negotiate(version), nil
	default:
		return nil, fmt.Errorf("legacy: version %q cannot be asked for: it is none of %q", jsonrpc.Clip([]byte(version)), Versions())
	}
}

// counterOffer is what to ask for when the server has refused the revision that was asked
// for, instead of answering with another one, and says which it supports, as the example of
// 2025-11-25 basic/lifecycle, Error Handling, does. It is nil when there is none.
func (o *ClientOptions) counterOffer(asked *mcp.Form, err error) *mcp.Form {
	if o.version() != "" {
		return nil
	}
	names := supported(err)
	for _, f := range revisions {
		for _, name := range names {
			if name == f.Revision && f != asked {
				return f
			}
		}
	}
	return nil
}

// supported are the versions that a server's error names in its data; nil for none.
func supported(err error) []string {
	var told *jsonrpc.Error
	if !errors.As(err, &told) {
		return nil
	}
	var names []string
	for a := jsonrpc.ReadArray(told.Data.Member("supported")); a.Next(); {
		if name, ok := a.Value().Text(); ok {
			names = append(names, name)
		}
	}
	return names
}

// clipped are the first few of the names that a server gives, each cut where it gets long.
func clipped(names []string) []string {
	const most = 8
	shown := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, jsonrpc.Clip([]byte(name)))
	}
	return shown
}
