package probed

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"isthmus.internal/jsonrpc"
)

// site is a server at work over HTTP.
type site struct {
	server *Server

	mu       sync.Mutex
	saw      Saw
	last     int             // number of the last session
	sessions map[string]bool // those that are open
	streams  map[string]chan []byte
}

// Handler serves at every path, with sessions where the server is legacy.
func (s *Server) Handler(saw Saw) http.Handler {
	return &site{server: s, saw: saw, sessions: make(map[string]bool), streams: make(map[string]chan []byte)}
}

// maxBody bounds the body of a request.
const maxBody = 1 << 20

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.server.ancient && s.ancient(w, r) {
		return
	}
	switch {
	case r.Method == http.MethodPost:
		s.post(w, r)
	case s.server.always:
		s.server.site(w, r, jsonrpc.ID{})
	case r.Method == http.MethodDelete && s.end(r.Header.Get("Mcp-Session-Id")):
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// post takes a message to the endpoint of both eras.
func (s *site) post(w http.ResponseWriter, r *http.Request) {
	m := s.read(w, r)
	switch {
	case m == nil:
	case s.server.always || m.Kind == jsonrpc.Request && s.server.probe(m):
		s.server.site(w, r, m.ID)
	case s.server.Era == Modern:
		respond(w, modernStatus(m), jsonType, s.server.respond(m))
	case string(m.Method) == "initialize":
		w.Header().Set("Mcp-Session-Id", s.begin())
		respond(w, http.StatusOK, jsonType, s.server.respond(m))
	case !s.knows(r.Header.Get("Mcp-Session-Id")):
		respond(w, http.StatusNotFound, jsonType, failure(m.ID, -32001, "Session not found"))
	case m.Kind != jsonrpc.Request:
		w.WriteHeader(http.StatusAccepted)
	default:
		respond(w, http.StatusOK, jsonType, s.server.respond(m))
	}
}

// modernStatus is that of an answer of a modern site.
func modernStatus(m *jsonrpc.Message) int {
	if !modern(m) {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// read reads the message of a request and tells of it. It answers what is none.
func (s *site) read(w http.ResponseWriter, r *http.Request) *jsonrpc.Message {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	m := scan(text)
	if err != nil || m == nil {
		respond(w, http.StatusBadRequest, "text/plain", []byte("no JSON-RPC"))
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saw.tell(string(m.Method))
	return m
}

func (s *site) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id := "session-" + strconv.Itoa(s.last)
	s.sessions[id] = true
	return id
}

func (s *site) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

func (s *site) end(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.sessions[id]
	delete(s.sessions, id)
	return known
}

// ancient serves the transport of 2024-11-05: a stream of events at the URL, which names the
// place for messages. It reports whether the request was one of that.
func (s *site) ancient(w http.ResponseWriter, r *http.Request) bool {
	id := r.URL.Query().Get("session")
	switch {
	case r.Method == http.MethodGet && isEvents(r):
		s.stream(w, r)
		return true
	case r.Method == http.MethodPost && s.knows(id):
		m := s.read(w, r)
		if m == nil {
			return true
		}
		w.WriteHeader(http.StatusAccepted)
		if m.Kind == jsonrpc.Request {
			s.mu.Lock()
			to := s.streams[id]
			s.mu.Unlock()
			select {
			case to <- s.server.respond(m):
			case <-r.Context().Done():
			}
		}
		return true
	}
	return false
}

// stream is one connection of 2024-11-05.
func (s *site) stream(w http.ResponseWriter, r *http.Request) {
	id, answers := s.begin(), make(chan []byte, 16)
	s.mu.Lock()
	s.streams[id] = answers
	s.mu.Unlock()
	defer s.end(id)
	respond(w, http.StatusOK, eventType, []byte("event: endpoint\ndata: messages?session="+id+"\n\n"))
	for {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case answer := <-answers:
			io.WriteString(w, "event: message\ndata: "+string(answer)+"\n\n")
		case <-r.Context().Done():
			return
		}
	}
}
