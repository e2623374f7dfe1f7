package asks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// Server is the server, and what can be seen of it from outside of the protocol.
type Server struct {
	*mcp.Server
	// Done counts what [mcp.Once] has done, Runs how often the handler of three has run.
	Done, Runs atomic.Int64
	// Price is what deletes names in its question.
	Price atomic.Int64
}

// Name is a form of one text.
type Name struct {
	Name string `json:"name" mcp:"what to call you" minLength:"1"`
}

// Age is a form of one number.
type Age struct {
	Age int `json:"age" minimum:"0" maximum:"150"`
}

// Color is a choice with titles.
type Color string

// JSONSchema implements jsonschema.Described.
func (Color) JSONSchema() jsonrpc.Raw {
	return mcp.Choices(mcp.Choice{Value: "#f00", Title: "Red"}, mcp.Choice{Value: "#0f0", Title: "Green"})
}

// Look is a form with a choice of one.
type Look struct {
	Color Color  `json:"color" default:"#0f0"`
	Email string `json:"email,omitempty" format:"email"`
}

// Palette is a form with a choice of several.
type Palette struct {
	Colors []Color `json:"colors" minItems:"1"`
}

// NewServer makes the server. keys and o may be nil.
func NewServer(keys mcp.Sealer, o *mcp.AskOptions) *Server {
	options := &mcp.ServerOptions{Logger: slog.New(slog.DiscardHandler), Keys: keys}
	if o != nil {
		options.Ask = *o
	}
	options.Cache.TTL = 60e9
	s := &Server{Server: mcp.NewServer("asks", "1", options)}
	for name, h := range map[string]mcp.ToolHandler{
		"name": name, "three": s.three, "look": look, "palette": palette, "page": page,
		"sample": sample, "tools": tools, "roots": roots, "all": all, "explicit": explicit,
		"without": without, "many": many, "swallow": swallow, "endless": endless, "kinds": kinds,
		"deletes": s.deletes,
	} {
		s.AddTool(mcp.Tool{Name: name}, h)
	}
	s.AddPrompt(mcp.Prompt{Name: "name"}, func(ctx context.Context, c *mcp.Call) (*mcp.PromptResult, error) {
		in, err := mcp.Ask[Name](ctx, c, "name", "Who are you?")
		if err != nil {
			return nil, err
		}
		return mcp.PromptText("hello " + in.Name), nil
	})
	s.AddResource(mcp.Resource{URI: "asks://name", Name: "name"}, func(ctx context.Context, c *mcp.Call) ([]mcp.ResourceContents, error) {
		in, err := mcp.Ask[Name](ctx, c, "name", "Who are you?")
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{&mcp.TextResource{URI: c.URI(), Text: "hello " + in.Name}}, nil
	})
	return s
}

// name asks one question.
func name(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	in, err := mcp.Ask[Name](ctx, c, "name", "Who are you?")
	if err != nil {
		return nil, err
	}
	return mcp.TextResult("hello " + in.Name), nil
}

// three asks three questions, one after the other, and does something once.
func (s *Server) three(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	s.Runs.Add(1)
	who, err := mcp.Ask[Name](ctx, c, "name", "Who are you?")
	if err != nil {
		return nil, err
	}
	ticket, err := mcp.Once(c, "ticket", func() (int64, error) { return s.Done.Add(1), nil })
	if err != nil {
		return nil, err
	}
	age, err := mcp.Ask[Age](ctx, c, "age", "How old are you, "+who.Name+"?")
	if err != nil {
		return nil, err
	}
	said, err := c.Sample(ctx, "poem", &mcp.SampleRequest{
		Messages:  []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, fmt.Sprintf("%s is %d", who.Name, age.Age))},
		MaxTokens: 10,
	})
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(fmt.Sprintf("%s, %d, ticket %d: %s", who.Name, age.Age, ticket, said.Text())), nil
}

func look(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	in, err := mcp.Ask[Look](ctx, c, "look", "What should it look like?")
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(string(in.Color) + " " + in.Email), nil
}

func palette(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	in, err := mcp.Ask[Palette](ctx, c, "palette", "Which colors?")
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(fmt.Sprint(in.Colors)), nil
}

func page(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	err := c.ElicitURL(ctx, "key", &mcp.ElicitURL{Message: "Enter the key there.", URL: "https://example.com/key", ID: "e1"})
	if err != nil {
		return nil, err
	}
	return mcp.TextResult("agreed"), nil
}

func sample(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	half := 0.5
	said, err := c.Sample(ctx, "poem", &mcp.SampleRequest{
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingContent{
			&mcp.TextContent{Text: "Go on."}, &mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"},
		}}},
		MaxTokens: 10, SystemPrompt: "Be brief.", IncludeContext: "thisServer", Temperature: &half, StopSequences: []string{"."},
		Metadata: jsonrpc.Raw(`{"p":1}`), Preferences: &mcp.ModelPreferences{Hints: []string{"small"}, CostPriority: &half},
	})
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(said.Model + ": " + said.Text() + " " + said.StopReason), nil
}

// tools lets the model use a tool until it has an answer.
func tools(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	messages := []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "How warm is it?")}
	for turn := range 5 {
		said, err := c.Sample(ctx, fmt.Sprint("turn ", turn), &mcp.SampleRequest{
			Messages: messages, MaxTokens: 10, ToolChoice: "auto",
			Tools: []mcp.Tool{{Name: "weather", Description: "How warm it is somewhere."}},
		})
		if err != nil {
			return nil, err
		}
		uses := said.ToolUses()
		if len(uses) == 0 {
			return mcp.TextResult(said.Text()), nil
		}
		results := mcp.SamplingMessage{Role: mcp.RoleUser}
		for _, u := range uses {
			results.Content = append(results.Content, &mcp.ToolResult{ToolUseID: u.ID,
				Content: []mcp.Content{&mcp.TextContent{Text: "18 at " + string(u.Input)}}, Structured: jsonrpc.Raw(`{"t":18}`)})
		}
		messages = append(messages, said.SamplingMessage, results)
	}
	return nil, errors.New("the model has no end of tools to use")
}

func roots(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	list, err := c.Roots(ctx, "roots")
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, r := range list {
		uris = append(uris, r.URI+" "+r.Name)
	}
	return mcp.TextResult(strings.Join(uris, ", ")), nil
}

// all asks three questions in one round.
func all(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	who := mcp.QuestionFor[Name]("name", "Who are you?")
	poem := mcp.SampleQuestion("poem", &mcp.SampleRequest{
		Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "Go on.")}, MaxTokens: 10})
	where := mcp.RootsQuestion("roots")
	if err := c.AskAll(ctx, who, poem, where); err != nil {
		return nil, err
	}
	name, err := who.Answer()
	if err != nil {
		return nil, err
	}
	said, _ := poem.Answer()
	list, _ := where.Answer()
	return mcp.TextResult(fmt.Sprintf("%s %s %d", name.Name, said.Text(), len(list))), nil
}

// explicit keeps its own account of what it has asked, in two rounds.
func explicit(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	switch state := string(c.RequestState()); {
	case state == "":
		return nil, c.RequireInput([]byte("first"), mcp.QuestionFor[Name]("name", "Who are you?"), mcp.RootsQuestion("roots"))
	case state == "first":
		answer := c.InputResponse("name")
		if answer == nil {
			return nil, c.RequireInput([]byte("first"), mcp.QuestionFor[Name]("name", "Who are you, again?"))
		}
		kept := "second" + string(answer) + string(c.InputResponse("roots"))
		return nil, c.RequireInput([]byte(kept), mcp.QuestionFor[Age]("age", "How old are you?"))
	default:
		return mcp.TextResult(state + string(c.InputResponse("age")) + string(c.InputResponse("name"))), nil
	}
}

// kinds says which of its questions have answers.
func kinds(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	if c.RequestState() == nil {
		return nil, c.RequireInput([]byte{},
			mcp.URLQuestion("page", &mcp.ElicitURL{Message: "Go there.", URL: "https://example.com"}),
			mcp.SampleQuestion("a model", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "Go on.")}, MaxTokens: 1}))
	}
	text := ""
	for _, key := range []string{"page", "a model", "other"} {
		if c.InputResponse(key) != nil {
			text += key + " "
		}
	}
	return mcp.TextResult(text), nil
}

// Consent is a form of one box to tick.
type Consent struct {
	Sure bool `json:"sure"`
}

// deletes asks for consent to what may change while the user thinks.
func (s *Server) deletes(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	price := s.Price.Load()
	in, err := mcp.Ask[Consent](ctx, c, "sure", fmt.Sprintf("Delete it for %d cents?", price))
	if err != nil {
		return nil, err
	}
	return mcp.TextResult(fmt.Sprintf("deleted for %d: %t", price, in.Sure)), nil
}

// without can do without an answer.
func without(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	in, err := mcp.Ask[Name](ctx, c, "name", "Who are you?")
	var missing *mcp.MissingCapability
	switch {
	case errors.As(err, &missing):
		return mcp.TextResult("somebody, for want of " + missing.Capability), nil
	case errors.Is(err, mcp.ErrDeclined):
		return mcp.TextResult("declined"), nil
	case errors.Is(err, mcp.ErrCancelled):
		return mcp.TextResult("cancelled"), nil
	case err != nil:
		return nil, err
	}
	return mcp.TextResult(in.Name), nil
}

// many asks from several goroutines at once.
func many(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	const n = 10
	names, errs := [n]string{}, make(chan error, n)
	for i := range n {
		go func() {
			in, err := mcp.Ask[Name](ctx, c, fmt.Sprint("n", i), fmt.Sprint("Who is number ", i, "?"))
			names[i] = in.Name
			errs <- err
		}()
	}
	var first error
	for range n {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		return nil, first
	}
	return mcp.TextResult(strings.Join(names[:], " ")), nil
}

// swallow asks, and does not mind what comes of it.
func swallow(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	in, _ := mcp.Ask[Age](ctx, c, "age", "How old are you?")
	return mcp.TextResult(fmt.Sprint("age ", in.Age)), nil
}

// endless asks for ever.
func endless(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	return nil, c.RequireInput(append(c.RequestState(), 'x'))
}
