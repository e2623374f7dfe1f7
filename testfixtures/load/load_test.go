package load_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/mcp"
	"isthmus.internal/testfixtures/load"
)

var errRefused = errors.New("refused")

// script answers the n-th request, counted from 0.
func script(answer func(n int64) (string, error)) load.Ask {
	var n atomic.Int64
	return func(_ context.Context, dst []byte) ([]byte, error) {
		text, err := answer(n.Add(1) - 1)
		return append(dst, text...), err
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		bounds load.Bounds
		answer func(n int64) (string, error)
		want   string // requests and errors, or the error
	}{
		{"one at a time", load.Bounds{Count: 10}, func(int64) (string, error) { return "a", nil }, "10 and 0"},
		{"some in flight", load.Bounds{Count: 10, InFlight: 3}, func(int64) (string, error) { return "a", nil }, "10 and 0"},
		{"more in flight than there are", load.Bounds{Count: 2, InFlight: 8}, func(int64) (string, error) { return "a", nil }, "2 and 0"},
		{"an answer that is empty", load.Bounds{Count: 2}, func(int64) (string, error) { return "", nil }, "2 and 0"},
		{"written in another way", load.Bounds{Count: 10}, func(n int64) (string, error) {
			return [2]string{`{"a":1,"b":[2.0,"ü"]}`, `{ "b": [2.0, "\u00fc"], "a": 1 }`}[n%2], nil
		}, "10 and 0"},
		{"another number", load.Bounds{Count: 10}, func(n int64) (string, error) { return fmt.Sprint(9007199254740992 + n/4), nil },
			"got the answer 9007199254740993, want 9007199254740992"},
		{"a member twice", load.Bounds{Count: 10}, func(n int64) (string, error) { return [2]string{`{"a":1,"a":2}`, `{"a":2}`}[n%2], nil },
			`got the answer {"a":2}, want {"a":1,"a":2}`},
		{"text after it", load.Bounds{Count: 10}, func(n int64) (string, error) { return [2]string{`{}`, `{} x`}[n%2], nil },
			"got the answer {} x, want {}"},
		{"some fail", load.Bounds{Count: 10}, func(n int64) (string, error) {
			if n%5 == 4 {
				return "", errRefused
			}
			return "a", nil
		}, "8 and 2"},
		{"all fail", load.Bounds{Count: 5000}, func(n int64) (string, error) {
			if n > 0 {
				return "", errRefused
			}
			return "a", nil
		}, "more than 1000 requests have failed, the first: refused"},
		{"the connection ends", load.Bounds{Count: 10, InFlight: 2}, func(n int64) (string, error) {
			if n > 4 {
				return "", fmt.Errorf("%w: gone", mcp.ErrLinkClosed)
			}
			return "a", nil
		}, mcp.ErrLinkClosed.Error() + ": gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := load.New(t.Context(), script(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.Run(t.Context(), tt.bounds)
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d and %d", r.Requests, r.Errors)
				if n := l.Done(); n != int64(r.Requests) {
					t.Errorf("Done tells of %d", n)
				}
				if (r.Err == nil) != (r.Errors == 0) {
					t.Errorf("%d errors, the first: %v", r.Errors, r.Err)
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSame(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"space and order", ` {"a":[1,true,null],"b":{}}`, `{"b": {}, "a": [1, true, null]}` + "\n", true},
		{"escapes", `{"\u0061":"\u00fc\/"}`, `{"a":"ü/"}`, true},
		{"how a number is written", `{"a":1.0}`, `{"a":1}`, false},
		{"the case of a name", `{"a":1}`, `{"A":1}`, false},
		{"kinds", `{"a":[]}`, `{"a":{}}`, false},
		{"a member more", `{"a":1}`, `{"a":1, "b":null}`, false},
		{"a member less", `{"a":1, "b":null}`, `{"a":1}`, false},
		{"an item more", `[1]`, `[1, 2]`, false},
		{"an item less", `[1, 2]`, `[1]`, false},
		{"another text", `["a"]`, `[ "b"]`, false},
		{"no JSON, the same", `{"a"`, `{"a"`, true},
		{"no JSON", `{"a":1`, `{"a": 1`, false},
		{"no JSON inside", `[nul]`, `[ nul]`, false},
		{"text after it", `"a"x`, `"\u0061"x`, false},
		{"nothing", ``, ` `, false},
		{"no number", `1x`, ` 1x`, false},
	}
	for _, test := range tests {
		if got := load.Same([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%s: Same(%q, %q) is %v, want %v", test.name, test.a, test.b, got, test.want)
		}
	}
}

func TestNewFails(t *testing.T) {
	if l, err := load.New(t.Context(), script(func(int64) (string, error) { return "", errRefused })); l != nil || err != errRefused {
		t.Errorf("got %v, %v", l, err)
	}
}

// A round of a fixed time begins no request when that is over, and waits for those that are there.
func TestRunForTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := load.New(t.Context(), func(ctx context.Context, dst []byte) ([]byte, error) {
			<-time.After(300 * time.Millisecond)
			return dst, ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.Run(t.Context(), load.Bounds{Time: time.Second, InFlight: 2})
		if err != nil || r.Requests != 8 || r.Took != 1200*time.Millisecond || r.Latency.Max() != 300*time.Millisecond {
			t.Errorf("got %+v, %v", r, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r, err := l.Run(ctx, load.Bounds{}); r != nil || err != context.DeadlineExceeded {
			t.Errorf("the context ended: got %+v, %v", r, err)
		}
	})
}

func TestHistogram(t *testing.T) {
	var h, other load.Histogram
	if h.Quantile(0.5) != 0 || h.Max() != 0 {
		t.Errorf("empty: %v, %v", h.Quantile(0.5), h.Max())
	}
	for i := range 1000 {
		into := &h
		if i%2 == 1 {
			into = &other
		}
		into.Add(time.Duration(i+1) * time.Millisecond)
	}
	h.Merge(&other)
	for _, tt := range []struct {
		part float64
		want time.Duration
	}{{0, 1}, {0.5, 501}, {0.9, 901}, {0.99, 991}, {1, 1000}} {
		got, want := h.Quantile(tt.part), tt.want*time.Millisecond
		if got < want*99/100 || got > want*101/100 {
			t.Errorf("Quantile(%v) = %v, want about %v", tt.part, got, want)
		}
	}
	if h.Max() != time.Second {
		t.Errorf("Max = %v", h.Max())
	}
	for _, d := range []time.Duration{-1, 0, 1, 127, 128, 129, 255, 256, 1<<63 - 1} {
		var one load.Histogram
		one.Add(d)
		if got := one.Quantile(0.5); got > max(d, 0) || got < max(d, 0)/100*99 {
			t.Errorf("the quantile of %d is %d", d, got)
		}
	}
}

func TestSpread(t *testing.T) {
	if got := load.SpreadOf(nil); got != (load.Spread{}) {
		t.Errorf("of none: %v", got)
	}
	if got, want := load.SpreadOf([]float64{3, 1, 2}), (load.Spread{Median: 2, Least: 1, Most: 3}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := load.SpreadOf([]float64{4, 1}), (load.Spread{Median: 2.5, Least: 1, Most: 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
