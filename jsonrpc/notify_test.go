package jsonrpc_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

func TestNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		progress := func(x exchange) (string, error) {
			for i := range 3 {
				if err := x.p.Notify("notifications/progress", fmt.Appendf(nil, `{"progress":%d}`, i)); err != nil {
					return "", err
				}
			}
			return "{}", nil
		}
		r := dial(t, &script{
			requests: map[string]func(exchange) (string, error){"x": progress},
			notes:    map[string]func(exchange){"x": func(x exchange) { progress(x) }},
		}, nil)
		want := []string{tell("notifications/progress", `{"progress":0}`), tell("notifications/progress", `{"progress":1}`),
			tell("notifications/progress", `{"progress":2}`)}
		r.send(ask("1", "x", ""))
		r.want(append(want, answer("1", "{}"))...)
		r.send(tell("x", ""))
		r.want(want...)
		if err := r.conn.Notify("notifications/\"\n", nil); err != nil {
			t.Error(err)
		}
		r.want(`{"jsonrpc":"2.0","method":"notifications/\"\n"}`)
		r.inPlace()
		r.finish(nil)
	})
}

// Notifications about a request end with its answer: a late one, from a goroutine
// that the handler left behind, is dropped and never overtaken by the answer.
func TestNotifyAfterTheAnswer(t *testing.T) {
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprintf("beside a blocked handler %v", held), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, answered, told := make(chan struct{}), make(chan struct{}), make(chan error, 1)
				r := dial(t, &script{requests: map[string]func(exchange) (string, error){
					"hold": hold(release),
					"x": func(x exchange) (string, error) {
						go func() {
							<-answered
							told <- x.p.Notify("late", nil)
						}()
						return "{}", nil
					},
				}}, nil)
				if held {
					r.send(ask("0", "hold", "{}"))
				}
				r.send(ask("1", "x", ""))
				r.want(answer("1", "{}"))
				close(answered)
				if err := <-told; err != nil {
					t.Errorf("Notify returned %v, want nil", err)
				}
				r.quiet()
				close(release)
				if held {
					r.want(answer("0", "{}"))
				}
				r.finish(nil)
			})
		})
	}
}
