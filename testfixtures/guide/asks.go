package guide

import (
	"context"
	"errors"

	"isthmus.internal/mcp"
)

// recipient is a form: one line for each field, with the tags of arguments.
type recipient struct {
	Name  string `json:"name" mcp:"who the parcel is for"`
	Speed string `json:"speed" mcp:"how fast" enum:"normal,express" default:"normal"`
}

// NewAsks makes a server whose tool asks the user.
func NewAsks() *mcp.Server {
	if err := mcp.CheckForm[recipient](); err != nil {
		panic(err) // now, and not when somebody calls the tool
	}
	s := mcp.NewServer("post", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "send_parcel", Description: "Sends a parcel. It asks the user for the recipient."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			to, err := mcp.Ask[recipient](ctx, c, "recipient", "Who is the parcel for?")
			var missing *mcp.MissingCapability
			switch {
			case errors.Is(err, mcp.ErrDeclined):
				return "The user does not want to send it. Nothing was sent.", nil
			case errors.Is(err, mcp.ErrCancelled):
				return "The user has made no choice. Nothing was sent; ask again later.", nil
			case errors.As(err, &missing): // there is another way
				return "", errors.New("this client cannot ask its user; ask for the recipient yourself and call send_parcel_to")
			case err != nil:
				return "", err
			}
			return "sent to " + to.Name + ", " + to.Speed, nil
		})
	return s
}
