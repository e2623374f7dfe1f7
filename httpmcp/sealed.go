package httpmcp

import (
	"net/http"
	"strings"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

// sealedSession is what ids of sealed sessions are sealed for.
const sealedSession = "legacy session"

// longestSealed is the length in bytes of the longest id of a sealed session. It goes with each
// request in a header, of which servers and proxies commonly take 8 KiB.
const longestSealed = 4 << 10

// sealSession makes the id of a session out of all that there is to know of it. It is for its
// owner alone, and for a time. told is for the client, when it says too much of itself.
func (o *Options) sealSession(h legacy.Handshake, owner *mcp.Principal) (id string, told *jsonrpc.Error) {
	plain := jsonrpc.AppendString([]byte(`{"version":`), h.Version)
	plain = appendKnown(plain, `,"clientInfo":`, h.ClientInfo)
	plain = append(appendKnown(plain, `,"capabilities":`, h.Capabilities), '}')
	if len(plain) <= longestSealed {
		id = o.SessionKeys.Seal(sealedSession, time.Now().Add(o.sessionLife()), []byte(principalID(owner)), plain)
	}
	switch {
	case len(plain) > longestSealed || len(id) > longestSealed:
		return "", jsonrpc.Errorf(jsonrpc.InvalidParams,
			"params.clientInfo and params.capabilities are too long: this server keeps them in the session id, which has %d bytes at most; leave out icons, for example", longestSealed)
	case !isVisibleID(id):
		return "", jsonrpc.Errorf(jsonrpc.InternalError, "The server cannot make session ids")
	}
	return id, nil
}

// appendKnown appends a member, on one line. What is no JSON has not got here.
func appendKnown(dst []byte, name string, value jsonrpc.Raw) []byte {
	with, err := jsonrpc.AppendCompact(append(dst, name...), value)
	if err != nil {
		return dst
	}
	return with
}

// isVisibleID holds an id to what ids of sessions consist of (2025-11-25 basic/transports, Session
// Management).
func isVisibleID(id string) bool {
	return id != "" && strings.IndexFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7E }) < 0
}

// openSession is the handshake in the id of a session. false: the id was not made with these keys
// or not for this owner, was altered, or its time is over. Which of them nobody is told.
func (o *Options) openSession(id string, owner *mcp.Principal) (h legacy.Handshake, ok bool) {
	if len(id) > longestSealed {
		return h, false
	}
	plain, err := o.SessionKeys.Open(sealedSession, time.Now(), []byte(principalID(owner)), id)
	if err != nil {
		return h, false
	}
	read := jsonrpc.ReadObject(plain)
	for read.Next() {
		switch string(read.Name()) {
		case "version":
			h.Version, _ = read.Value().Text()
		case "clientInfo":
			h.ClientInfo = read.Value()
		case "capabilities":
			h.Capabilities = read.Value()
		}
	}
	return h, read.Err() == nil
}

// passing reports whether legacy sessions are made anew for each request, and nothing of them
// is kept: their ids hold all that there is, or there are none.
func (o *Options) passing() bool { return o.stateless() || o.sessionKeys() != nil }

// methods are those that are served, as the header Allow lists them. A session that nothing is
// kept of has no stream but those of requests, and its end is not remembered.
func (o *Options) methods() string {
	if o.passing() {
		return "POST"
	}
	return "POST, GET, DELETE"
}

// refuseMethod answers a request with a method that is not served (RFC 9110, 15.5.6).
func (o *Options) refuseMethod(w http.ResponseWriter, why string) {
	w.Header().Set("Allow", o.methods())
	refuse(w, http.StatusMethodNotAllowed, why)
}

// What GET and DELETE are answered where nothing is kept of sessions (2025-11-25
// basic/transports, Listening for Messages from the Server and Session Management).
const (
	noOutlet = "This server keeps nothing of its sessions, so there is no stream but those of requests, and none is taken up again: send messages with POST"
	noDelete = "This server keeps nothing of its sessions, so none can be ended: forget the session"
)

// newPassing makes a session for one request. It is not known to others, and needs no end.
func (e *Endpoint) newPassing(owner *mcp.Principal, of *legacy.Session) *session {
	return &session{
		endpoint: e,
		passing:  true,
		owner:    owner,
		legacy:   of,
		form:     of.Form(),
		ctx:      e.sessions.all,
		cancel:   func(error) {},
		inFlight: make(map[string]*call),
		streams:  make(map[string]*stream),
	}
}

// rejoin makes the session of a request anew where nothing is kept of sessions.
func (e *Endpoint) rejoin(r *http.Request, who *mcp.Principal) (*session, *refusal) {
	h, no := e.opts.handshake(r, who)
	if no != nil {
		return nil, no
	}
	of, err := legacy.Rejoin(e.server, &legacy.Options{Principal: who}, h)
	if err != nil { // sealed by a process that serves other revisions
		return nil, noSession()
	}
	s := e.newPassing(who, of)
	if told := s.checkVersion(r.Header); told != nil {
		return nil, &refusal{http.StatusBadRequest, told}
	}
	return s, nil
}

// unnamed is the revision of a request without a version in its header: the last one whose
// clients did not have that (2025-11-25 basic/transports, Protocol Version Header).
const unnamed = "2025-03-26"

// handshake is what is known of the session of a request: from its id, or, where there are no
// ids, from its version alone.
func (o *Options) handshake(r *http.Request, who *mcp.Principal) (legacy.Handshake, *refusal) {
	ids := r.Header[headerSession]
	switch {
	case !o.stateless() && (len(ids) != 1 || ids[0] == ""):
		return legacy.Handshake{}, noSessionID()
	case !o.stateless():
		h, ok := o.openSession(ids[0], who)
		if !ok {
			return h, noSession()
		}
		return h, nil
	case ids != nil: // of another server, or of what this one was before
		return legacy.Handshake{}, noSession()
	}
	version := r.Header.Get(headerVersion)
	if version == "" {
		version = unnamed
	}
	if !legacy.Serves(version) {
		return legacy.Handshake{}, &refusal{http.StatusBadRequest, errVersion(legacy.Versions())}
	}
	return legacy.Handshake{Version: version}, nil
}

// open makes the session that begins with a request.
func (e *Endpoint) open(owner *mcp.Principal) *session {
	if e.opts.passing() {
		return e.newPassing(owner, legacy.NewSession(e.server, &legacy.Options{Principal: owner, Stateless: true}))
	}
	return e.newSession(owner)
}

// admit gives a session that has opened its id, by which it is known from then on.
func (e *Endpoint) admit(s *session) *refusal {
	h := s.legacy.Handshake()
	s.said = len(h.ClientInfo) + len(h.Capabilities)
	switch {
	case e.opts.stateless():
	case s.passing:
		id, told := e.opts.sealSession(h, s.owner)
		if told != nil {
			return &refusal{http.StatusOK, told}
		}
		s.id = id
	case s.said > longestSaid:
		return &refusal{http.StatusOK, errSaidTooMuch()}
	case !e.sessions.add(s):
		return &refusal{http.StatusServiceUnavailable, jsonrpc.Errorf(jsonrpc.InternalError, "Too many sessions are open: try again later")}
	}
	return nil
}
