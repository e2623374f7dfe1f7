package guide

import (
	"context"
	"fmt"

	"isthmus.internal/mcp"
)

// NewSeveral makes a server whose tool asks three things in one round.
func NewSeveral() *mcp.Server {
	type topic struct {
		Topic string `json:"topic" mcp:"what the poem is about"`
	}
	s := mcp.NewServer("poet", "1.0.0", nil)
	mcp.AddTool(s, mcp.Tool{Name: "plan_poem", Description: "Plans a poem with the user and the client's model."},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			user := mcp.QuestionFor[topic]("topic", "What should the poem be about?")
			roots := mcp.RootsQuestion("roots")
			model := mcp.SampleQuestion("rhyme", &mcp.SampleRequest{
				Messages:  []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "Name one scheme of rhymes.")},
				MaxTokens: 20,
			})
			if err := c.AskAll(ctx, user, roots, model); err != nil {
				return "", err
			}
			in, err := user.Answer()
			if err != nil { // declined, say
				return "", err
			}
			places, err := roots.Answer()
			if err != nil {
				return "", err
			}
			scheme, err := model.Answer()
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("A poem about %s, %s, for %d folders.", in.Topic, scheme.Text(), len(places)), nil
		})
	return s
}
