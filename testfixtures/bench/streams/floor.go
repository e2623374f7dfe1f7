package main

import (
	"io"
	"net/http"
	"sync"
)

// floor is the least that has streams wait and writes to all of them.
type floor struct {
	mu    sync.Mutex
	text  string        // what is to be written next
	there chan struct{} // closed when it is
}

func newFloor() *floor { return &floor{there: make(chan struct{})} }

// ServeHTTP sends the headers of a stream of events, and waits. What waits on the path /spread writes what
// there is to write; all else only waits, as streams on which nothing happens.
func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	there := f.next()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	out := w.(http.Flusher)
	out.Flush()
	if r.URL.Path != "/spread" {
		<-r.Context().Done()
		return
	}
	for {
		select {
		case <-there:
		case <-r.Context().Done():
			return
		}
		var text string
		text, there = f.take()
		io.WriteString(w, text)
		out.Flush()
	}
}

func (f *floor) next() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.there
}

// take returns what is written now, and the channel that tells of what comes behind it.
func (f *floor) take() (string, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text, f.there
}

// change has text written to all who wait.
func (f *floor) change(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = text
	close(f.there)
	f.there = make(chan struct{})
}
