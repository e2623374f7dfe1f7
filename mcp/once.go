package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"isthmus.internal/jsonrpc"
)

// Once does something that must not be done again when the handler runs again, because
// the client has been asked in between: it calls do the first time, and returns what
// that has returned from then on. Side effects that can wait stand behind the last
// question instead, and need no Once.
//
// The result goes to the client and back in the requestState, where the client cannot
// read or alter it, so it has to have a form in JSON ([encoding/json]) and to be small
// ([AskOptions.StateSize]). A number in an any comes back as a [json.Number]. An error is
// not kept: do is called again. Keys are those of Once alone. A client that never retries
// has had do called all the same, and one that sends the same retry twice has it called
// twice if it had not been called before.
func Once[T any](c *Call, key string, do func() (T, error)) (T, error) {
	var value T
	r, err := c.openRounds()
	if err != nil {
		return value, err
	}
	if err := checkKey(key); err != nil {
		return value, err
	}
	encoded, done := r.beginOnce(key)
	if done {
		kept := json.NewDecoder(bytes.NewReader(encoded))
		kept.UseNumber() // or an any would lose digits
		if err := kept.Decode(&value); err != nil {
			return value, fmt.Errorf("mcp: Once %q: what an earlier round has done is no %T: %w", key, value, err)
		}
		return value, nil
	}
	defer func() { r.endOnce(key, encoded) }() // also when do panics
	if value, err = do(); err != nil {
		return value, err
	}
	if encoded, err = json.Marshal(value); err != nil {
		return value, fmt.Errorf("mcp: Once %q: the result has no form in JSON: %w", key, err)
	}
	return value, nil
}

// beginOnce returns what was done under the key, or has the key be at work. It waits
// for another goroutine that is at work under the same key.
func (r *Rounds) beginOnce(key string) (encoded jsonrpc.Raw, done bool) {
	for {
		r.mu.Lock()
		if encoded, done = r.done[key]; done {
			r.mu.Unlock()
			return encoded, true
		}
		other, busy := r.running[key]
		if !busy {
			put(&r.running, key, make(chan struct{}))
			r.mu.Unlock()
			return nil, false
		}
		r.mu.Unlock()
		<-other
	}
}

// endOnce keeps the result, if there is one.
func (r *Rounds) endOnce(key string, encoded jsonrpc.Raw) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.running[key])
	delete(r.running, key)
	if encoded != nil {
		put(&r.done, key, encoded)
	}
}
