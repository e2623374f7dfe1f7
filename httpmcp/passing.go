package httpmcp

import (
	"net/http"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/legacy"
	"isthmus.internal/mcp"
)

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

// What GET and DELETE are answered where nothing is kept of sessions (2025-11-25
// basic/transports, Listening for Messages from the Server and Session Management).
const (
	noOutlet = "This server keeps nothing of its sessions, so there is no stream but those of requests, and none is taken up again: send messages with POST"
	noDelete = "This server keeps nothing of its sessions, so none can be ended: forget the session"
)

// newPassing makes a session for one request. It is not known to others, and needs no end: it
// ends with its request, or with the endpoint.
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
		h, ok := o.unsealSession(ids[0], who)
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
