package client

import (
	"context"
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Window is what a program has to ask its user with.
type Window interface {
	// FillIn shows a form, and what was wrong with it the last time. false: the user has
	// declined.
	FillIn(title string, form *mcp.ElicitForm, wrong string) (jsonrpc.Raw, bool)
	// Confirm shows a text and a button for yes.
	Confirm(title, text string) bool
	// Browse opens a page outside of the program.
	Browse(url string) error
}

// Asking are the options of a client that lets servers ask.
func Asking(w Window) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitURL: true, // pages, too
		Elicit: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			title := r.Server.Name + " asks" // the server's own word
			if r.Page != nil {
				return openPage(w, title, r.Page)
			}
			return fillIn(w, title, r.Form)
		},
	}
}

// fillIn asks until what is filled in fits the form, or the user has enough.
func fillIn(w Window, title string, form *mcp.ElicitForm) (*mcp.ElicitResult, error) {
	wrong := ""
	for {
		content, ok := w.FillIn(title, form, wrong)
		if !ok {
			return nil, mcp.ErrDeclined
		}
		filled, err := form.Fill(content) // with the defaults of the form
		if err == nil {
			return &mcp.ElicitResult{Action: "accept", Content: filled}, nil
		}
		wrong = err.Error()
	}
}

// openPage opens a page once the user has seen where it is.
func openPage(w Window, title string, page *mcp.ElicitURL) (*mcp.ElicitResult, error) {
	text := fmt.Sprintf("%s\n\nOpen a page of %s?\n%s\n%s", page.Message, page.Host(), page.URL, strings.Join(page.Warnings(), "\n"))
	if !w.Confirm(title, text) {
		return nil, mcp.ErrDeclined
	}
	if err := w.Browse(page.URL); err != nil {
		return nil, mcp.ErrCancelled
	}
	return &mcp.ElicitResult{Action: "accept"}, nil
}
