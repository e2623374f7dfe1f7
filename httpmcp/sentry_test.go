package httpmcp_test

import (
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"isthmus.internal/httpmcp"
)

// deadlines is a writer that notes when it is given a deadline for reading.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestLateLooks: on a machine that is so busy that looks come late a body has no more time for that,
// beyond the look that sees it first, and never less.
func TestLateLooks(t *testing.T) {
	const bodyTime, period = 16 * time.Second, time.Second // which has 16 looks to the shortest of the times
	for _, test := range []struct {
		name   string
		before time.Duration   // with looks in time, after the body has begun
		late   []time.Duration // then each look after so long
		cut    bool
	}{
		{"in time, not over", 15 * period, nil, false},
		{"in time, over", 18 * period, nil, true},
		{"one late, over", 2 * period, []time.Duration{20 * period}, true},
		{"one late, not over", 2 * period, []time.Duration{10 * period}, false},
		{"each late, over", 2 * period, []time.Duration{4 * period, 4 * period, 4 * period, 4 * period}, true},
		{"each late, not over", 2 * period, []time.Duration{4 * period, 4 * period, 4 * period}, false},
		{"begun since the last look", 0, []time.Duration{20 * period}, false},
		{"begun since the last look, over", 0, []time.Duration{20 * period, 20 * period}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := httpmcp.NewWatch(&httpmcp.Options{BodyTime: bodyTime, WriteTime: bodyTime, KeepAlive: bodyTime})
				defer w.Close()
				<-time.After(period/2 + 3*period) // between two looks
				body := &deadlines{ResponseRecorder: httptest.NewRecorder()}
				w.Begin(body)
				<-time.After(test.before)
				synctest.Wait() // for a look on the timer's goroutine, which may note something
				for _, after := range test.late {
					w.Miss()
					<-time.After(after)
					w.Look()
				}
				if cut := len(body.set) > 0; cut != test.cut {
					t.Errorf("%v in time and then %v late: got cut %v, want %v", test.before, test.late, cut, test.cut)
				}
			})
		})
	}
}
