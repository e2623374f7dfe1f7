package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/guide"
	"isthmus.internal/testfixtures/guide/client"
)

// window is a user at a window.
type window struct {
	answers []string // for FillIn; "" declines
	agrees  bool
	browse  error

	mu    sync.Mutex
	shown []string
}

func (w *window) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shown = append(w.shown, fmt.Sprintf(format, args...))
}

func (w *window) FillIn(title string, form *mcp.ElicitForm, wrong string) (jsonrpc.Raw, bool) {
	w.say("%s: %s %s", title, form.Message, wrong)
	answer := w.answers[0]
	w.answers = w.answers[1:]
	return jsonrpc.Raw(answer), answer != ""
}

func (w *window) Confirm(title, text string) bool {
	w.say("%s: %s", title, text)
	return w.agrees
}

func (w *window) Browse(url string) error {
	w.say("%s", url)
	return w.browse
}

func TestAsking(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []string
		want    string
		asked   int
	}{
		{"filled in", []string{`{"name":"Ada"}`}, "sent to Ada, normal", 1},
		{"wrong at first", []string{`{"name":7}`, `{"name":"Ada","speed":"express"}`}, "sent to Ada, express", 2},
		{"declined", []string{""}, "The user does not want to send it. Nothing was sent.", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &window{}
			everywhere(t, guide.NewAsks, client.Asking(w), func(t *testing.T, ctx context.Context, c *mcp.Client) {
				w.answers, w.shown = test.answers, nil
				text, err := mcp.CallTool[string](ctx, c, "send_parcel", nil, nil)
				if err != nil || text != test.want {
					t.Errorf("got %q, %v, want %q", text, err, test.want)
				}
				if len(w.shown) != test.asked || !strings.Contains(w.shown[0], "asks: Who is the parcel for?") || test.asked == 2 && !strings.Contains(w.shown[1], "/name: expected a string") {
					t.Errorf("shown %q", w.shown)
				}
			})
		})
	}
}

// TestPages: a page is opened when its user has seen where it is, and wants that.
func TestPages(t *testing.T) {
	page := func() *mcp.Server {
		s := mcp.NewServer("vault", "1.0.0", nil)
		mcp.AddTool(s, mcp.Tool{Name: "unlock"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			err := c.ElicitURL(ctx, "key", &mcp.ElicitURL{Message: "Enter the key.", URL: "https://a@xn--vault.example/key"})
			if errors.Is(err, mcp.ErrDeclined) || errors.Is(err, mcp.ErrCancelled) {
				return err.Error(), nil
			}
			return "unlocked", err
		})
		return s
	}
	for _, test := range []struct {
		name string
		w    *window
		want string
	}{
		{"agreed", &window{agrees: true}, "unlocked"},
		{"declined", &window{}, "the user has declined"},
		{"no browser", &window{agrees: true, browse: errors.New("none")}, "the user has cancelled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			everywhere(t, page, client.Asking(test.w), func(t *testing.T, ctx context.Context, c *mcp.Client) {
				text, err := mcp.CallTool[string](ctx, c, "unlock", nil, nil)
				if err != nil || text != test.want {
					t.Errorf("got %q, %v, want %q", text, err, test.want)
				}
				for _, want := range []string{"Enter the key.", "Open a page of xn--vault.example?", "https://a@xn--vault.example/key", "Punycode", "@ is not where"} {
					if !strings.Contains(test.w.shown[0], want) {
						t.Errorf("shown %q, want %q in it", test.w.shown, want)
					}
				}
			})
		})
	}
}

func TestLending(t *testing.T) {
	asks := func() *mcp.Server {
		s := mcp.NewServer("poet", "1.0.0", nil)
		mcp.AddTool(s, mcp.Tool{Name: "rhyme"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (string, error) {
			roots, err := c.Roots(ctx, "roots")
			if err != nil {
				return "", err
			}
			r, err := c.Sample(ctx, "rhyme", &mcp.SampleRequest{Messages: []mcp.SamplingMessage{mcp.SamplingText(mcp.RoleUser, "moon")}, MaxTokens: 5})
			if err != nil {
				return "", err
			}
			return r.Text() + " " + roots[0].Name, nil
		})
		return s
	}
	complete := func(_ context.Context, _, prompt string, tokens int) (string, error) {
		return fmt.Sprintf("%s June %d", prompt, tokens), nil
	}
	everywhere(t, asks, client.Lending(t.TempDir()+"/my poems", &window{agrees: true}, complete), func(t *testing.T, ctx context.Context, c *mcp.Client) {
		if text, err := mcp.CallTool[string](ctx, c, "rhyme", nil, nil); err != nil || text != "moon June 5 my poems" {
			t.Errorf("got %q, %v", text, err)
		}
	})
	everywhere(t, asks, client.Lending("/", &window{}, complete), func(t *testing.T, ctx context.Context, c *mcp.Client) {
		_, err := mcp.CallTool[string](ctx, c, "rhyme", nil, nil)
		// A legacy server hears of it, and its tool fails; a modern one cannot be told.
		if modern := c.Era() == mcp.Modern; err == nil || errors.Is(err, mcp.ErrDeclined) != modern {
			t.Errorf("declined: %v", err)
		}
	})
}
