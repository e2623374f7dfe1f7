package outside

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestReport: one line for each fault, and a last one that counts them; an error is one line.
func TestReport(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []string
		err    error
		status int
		want   string
	}{
		{"all well", nil, nil, 0, ""},
		{"faults", []string{"a", "b"}, nil, 1, "x: a\nx: b\nx: 2 faults; what servers said is in logs\n"},
		{"an error", []string{"a"}, errors.New("broken"), 1, "x: broken\n"},
	} {
		var out strings.Builder
		if status := report(&out, "x", "logs", test.faults, test.err); status != test.status || out.String() != test.want {
			t.Errorf("%s: got %d and %q, want %d and %q", test.name, status, &out, test.status, test.want)
		}
	}
}

// TestMainTime: the time of a command is bounded.
func TestMainTime(t *testing.T) {
	status := Main("x", "logs", time.Millisecond, func(ctx context.Context, _ io.Writer) ([]string, error) {
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(10 * time.Second):
			return nil, errors.New("nothing has ended it")
		}
	})
	if status != 0 {
		t.Errorf("got status %d, want 0", status)
	}
}

// TestTake: outcomes are in the order of the runs, whichever ends first, no more than two are under
// way, and an error says whose it is.
func TestTake(t *testing.T) {
	label := func(n int) string { return "run " + strconv.Itoa(n) }
	var under atomic.Int32
	second := make(chan struct{})
	got, err := Take([]int{1, 20, 21, 22}, "2", label, func(n int) (int, error) {
		defer under.Add(-1)
		if now := under.Add(1); now > atOnce {
			t.Errorf("%d are taken at once, want %d at most", now, atOnce)
		}
		switch n {
		case 20: // ends behind the next one
			select {
			case <-second:
			case <-time.After(10 * time.Second):
				t.Error("the next one is not taken meanwhile")
			}
		case 21:
			close(second)
		case 22:
			return 0, io.EOF
		}
		return -n, nil
	})
	if want := []int{-20, -21, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !errors.Is(err, io.EOF) || err.Error() != "run 22: EOF" {
		t.Errorf("got the error %v, want run 22: EOF", err)
	}
}
