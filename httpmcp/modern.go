package httpmcp

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"isthmus.internal/discover"
	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// modern answers a message of the modern era (2026-07-28
// basic/transports/streamable-http, Sending Messages), but for one that stays open: that
// comes back as an exchange of its own.
func (x *exchange) modern() (stream *exchange) {
	x.under()
	defer func() {
		if stream == nil {
			x.ctx.Cancel(context.Canceled)
		}
	}()
	switch x.msg.Kind {
	case jsonrpc.Notification:
		if told := x.checkNotification(); told != nil {
			x.refuse(http.StatusBadRequest, told)
			return nil
		}
		p := &modernPeer{x: x}
		jsonrpc.Notice(x.ctx, x, &x.msg, p, x.endpoint.log)
		p.close()
		x.endpoint.opts.replyStatus(x.w, http.StatusAccepted)
		return nil
	case jsonrpc.Response:
		// Nothing was asked (same section, 4). Its id is one of the client's own, and may be
		// that of a request of it, so the refusal has none.
		refuse(x.w, http.StatusBadRequest, "A response is not taken here: answers travel in params.inputResponses of a request")
		return nil
	}
	if told := x.open(); told != nil {
		x.refuse(http.StatusBadRequest, told)
		return nil
	}
	if string(x.msg.Method) == "subscriptions/listen" {
		return x.lean()
	}
	x.answer()
	return nil
}

// checkNotification says why a notification is not taken: what its headers say is not so, its
// revision is not served, or it names none. Headers are not asked of it, but without any version, in
// the body or beside it, it is one of a legacy client that has left out its session (2026-07-28
// basic/transports/streamable-http, Sending Messages and Protocol Version Header).
func (x *exchange) checkNotification() *jsonrpc.Error {
	if told := checkMirrors(x.r.Header, &x.msg, nil); told != nil {
		return told
	}
	if x.msg.Inner("_meta", mcp.MetaProtocolVersion) == nil && x.r.Header[headerVersion] == nil {
		return jsonrpc.Errorf(jsonrpc.InvalidRequest,
			"The notification names no revision: send it with the header MCP-Protocol-Version, and in a legacy session with Mcp-Session-Id")
	}
	return discover.CheckVersion(&x.msg, x.r.Header.Get(headerVersion))
}

// sender is who has sent the message.
func (x *exchange) sender() discover.Sender {
	return discover.Sender{Principal: x.principal, Headers: x.r.Header}
}

// open checks all that is said beside the request itself: in the headers and in _meta.
func (x *exchange) open() *jsonrpc.Error {
	m := &x.msg
	if m.Inner("_meta", mcp.MetaProtocolVersion) != nil {
		// Before anything is read from the body, it must be sure that whoever stood
		// between has read the same.
		var marks []mcp.HeaderParam
		if string(m.Method) == "tools/call" {
			var buf [128]byte // as long as names are
			if name, ok := m.Param("name").AppendText(buf[:0]); ok {
				marks = x.endpoint.server.HeaderParams(name, x.principal)
			}
		}
		if told := checkMirrors(x.r.Header, m, marks); told != nil {
			return told
		}
	}
	r, err := x.endpoint.modern.Open(m, x.sender())
	var told *jsonrpc.Error
	if errors.As(err, &told) {
		return told
	}
	x.request = r
	return nil
}

// Request implements [jsonrpc.Requester] with the handler table.
func (x *exchange) Request(ctx context.Context, _ *jsonrpc.Message, p jsonrpc.Peer, dst []byte) ([]byte, error) {
	return x.endpoint.modern.Answer(ctx, &x.request, p, dst)
}

// Notification implements [jsonrpc.Noticer] with the handler table.
func (x *exchange) Notification(ctx context.Context, m *jsonrpc.Message, p jsonrpc.Peer) {
	x.endpoint.modern.Notification(ctx, m, p, x.sender())
}

// answer runs the request and sends what comes of it.
func (x *exchange) answer() {
	p := &modernPeer{x: x}
	x.out = jsonrpc.AppendResult(x.out[:0], x.msg.ID)
	returned := false
	defer func() {
		if !returned {
			x.apologize(p)
		}
	}()
	out, told := jsonrpc.Invoke(x.ctx, x, &x.msg, p, x.out, x.endpoint.log)
	returned = true
	x.finish(p, out, told)
}

// finish sends the reply that is in out but for its end, or what is told in its place. It is
// apart from answer because that is on the stack of a stream all the time that it is open.
func (x *exchange) finish(p *modernPeer, out []byte, told *jsonrpc.Error) {
	events := p.close()
	status := http.StatusOK
	if told != nil {
		out, status = jsonrpc.AppendError(out[:0], x.msg.ID, told), statusOf(told.Code)
	} else {
		out = append(out, '}')
	}
	x.out = out
	x.send(events, status, out)
}

// apologize answers for a handler that has ended its goroutine in place of returning. net/http
// closes the connection then, and does not send what is written.
func (x *exchange) apologize(p *modernPeer) {
	x.w.Header().Set("Connection", "close")
	_, told := jsonrpc.Invoke(x.ctx, ended{}, &x.msg, p, nil, x.endpoint.log)
	x.out = jsonrpc.AppendError(x.out[:0], x.msg.ID, told)
	x.send(p.close(), http.StatusOK, x.out)
	_ = http.NewResponseController(x.w).Flush()
}

// send sends the answer: as the last event where there is a stream or the client takes
// nothing else, and in one JSON body otherwise. A status other than 200 must be seen, so
// what has one is JSON whatever the client takes (RFC 9110, section 12.4.1).
func (x *exchange) send(events *eventWriter, status int, answer []byte) {
	if x.r.Context().Err() == context.Canceled { // and not over time, as middleware may set one
		// The client has closed the connection, and so has cancelled: it is sent nothing
		// more (2026-07-28 basic/transports/streamable-http, Cancellation).
		if events != nil {
			events.close()
		}
		return
	}
	x.trace("out", answer)
	if events == nil && !x.accepts.json && status == http.StatusOK {
		events = newEventWriter(x.w, x.endpoint.opts)
		if events.begin() != nil {
			x.deny(http.StatusNotAcceptable, "Accept must list application/json: this server cannot send a stream")
			return
		}
	}
	if events == nil {
		x.reply(status, answer)
		return
	}
	_ = events.event("", answer) // an error means that the client is gone
	events.close()
}

// lean is the exchange without the buffers that it was read with, for a request that stays
// open while nothing happens.
func (x *exchange) lean() *exchange {
	l := &exchange{endpoint: x.endpoint, w: x.w, r: x.r, ctx: x.ctx, accepts: x.accepts, principal: x.principal, era: x.era}
	l.endpoint.load.bind(&x.place, nil) // it is that of the stream from now on
	l.body = bytes.Clone(x.body)
	l.endpoint.scan.Scan(l.body, &l.msg) // found good before, as is what follows
	l.open()
	return l
}

// listen answers a request that stays open, on a stream.
func (x *exchange) listen() {
	defer x.ctx.Cancel(context.Canceled)
	if !x.accepts.events {
		x.deny(http.StatusNotAcceptable, "Accept must list text/event-stream: changes are told on a stream")
		return
	}
	x.place.weigh(x.r, x.body)
	if status, why := x.endpoint.load.enter(&x.place, asStream, x.endpoint.opts); status != 0 {
		x.deny(status, why)
		return
	}
	defer x.endpoint.load.leave(&x.place)
	x.endpoint.load.bind(&x.place, x.ctx)
	x.answer()
}
