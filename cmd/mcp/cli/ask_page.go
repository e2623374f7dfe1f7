package cli

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// openPage has the user go to a page of the server's. It is never opened by itself: what is
// behind it is for the user to judge (2026-07-28 client/elicitation, Safe URL Handling).
func (r *request) openPage(ctx context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	page := q.Page
	r.screen.end()
	if !r.env.Terminal {
		fmt.Fprintf(r.env.Err, "The server wants a page opened, and is declined, as there is no terminal: %s\nIt is a page %s", brief(page.Message), ofHost(page))
		return nil, mcp.ErrDeclined
	}
	if err := r.beginDialogue(ctx); err != nil {
		return nil, err
	}
	defer r.endDialogue()
	fmt.Fprintf(r.env.Err, "%s: %s\nIt wants you to open this page %sHave you opened it? [y: yes, n: no, Ctrl-D: not now] ", r.asks(&q.Server), printable(page.Message), ofHost(page))
	line, err := r.line(ctx)
	switch {
	case err != nil:
		return nil, err
	case !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"):
		return nil, mcp.ErrDeclined
	}
	return &mcp.ElicitResult{Action: "accept"}, nil
}

// ofHost is what the user has to see of a page before it is opened: the host, all of the URL, and
// what may deceive (2026-07-28 client/elicitation, Safe URL Handling).
func ofHost(page *mcp.ElicitURL) string {
	text := fmt.Sprintf("of %s:\n  %s\n", oneLine(page.Host()), oneLine(page.URL))
	for _, warning := range page.Warnings() {
		text += "  Beware: " + warning + ".\n"
	}
	return text
}

// urlElicitationRequired is the code of an error that names pages to be visited first (2025-11-25
// client/elicitation, URL Elicitation Required Error).
const urlElicitationRequired jsonrpc.Code = -32042

// adviceOnPages tells of the pages that an error names.
func adviceOnPages(told *jsonrpc.Error) string {
	if told.Code != urlElicitationRequired {
		return ""
	}
	const most = 4
	required, err := mcp.Read[mcp.RequiredElicitations](told.Data, "data")
	pages := required.Elicitations
	if err != nil || len(pages) == 0 {
		return ""
	}
	text := ""
	for i := range pages[:min(len(pages), most)] {
		text += fmt.Sprintf("\n%s\nIt wants you to open this page %s", brief(pages[i].Message), ofHost(&pages[i]))
	}
	if more := len(pages) - most; more > 0 {
		text += fmt.Sprintf("Of %d more mcp wire before the command shows all.\n", more)
	}
	return text + "Then run the command again."
}
