package stdio_test

import (
	"bufio"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
)

// lingering takes its time with each notification, as on a machine that is busy.
type lingering struct {
	*visitor
	taken atomic.Int32
}

func (l *lingering) Notification(context.Context, *jsonrpc.Message, jsonrpc.Peer) {
	<-time.After(20 * time.Millisecond)
	l.taken.Add(1)
}

// TestLinkKeepsOrder: what a server tells before an answer has been taken in when the call
// returns, however long that takes.
func TestLinkKeepsOrder(t *testing.T) {
	ours, theirs := net.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() {
		defer theirs.Close()
		for in := bufio.NewScanner(theirs); in.Scan(); {
			const note = `{"jsonrpc":"2.0","method":"a"}` + "\n"
			if _, err := theirs.Write([]byte(note + note + note + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")); err != nil {
				return
			}
		}
	})
	h := &lingering{visitor: newVisitor()}
	l := open(t, stdio.Stream(ours, nil), h, nil)
	if _, err := l.Call(bounded(t), &mcp.Outgoing{Method: "m"}); err != nil {
		t.Fatal(err)
	}
	if got := h.taken.Load(); got != 3 {
		t.Errorf("%d of 3 notifications were taken in before the answer", got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	serving.Wait()
}
