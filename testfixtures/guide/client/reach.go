package client

import (
	"context"
	"net/http"

	"isthmus.internal/discover"
	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// Reach connects to a server over HTTP. known is what it returned the last time, nil for the
// first time; keep has what holds now written down.
func Reach(ctx context.Context, url, token string, known *discover.Verdict, keep func(*discover.Verdict)) (*mcp.Client, error) {
	server := httpmcp.Dial(url, &httpmcp.DialOptions{
		Header: http.Header{"Authorization": {"Bearer " + token}},
	})
	c, verdict, err := discover.Connect(ctx, server, &discover.ConnectOptions{
		Client:  &mcp.ClientOptions{Info: mcp.Implementation{Name: "reach", Version: "1.0.0"}},
		Known:   known,
		Renewed: keep, // when known proves wrong later
	})
	if err == nil {
		keep(verdict)
	}
	return c, err
}
