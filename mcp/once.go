package mcp

import (
	"errors"
	"fmt"
	"reflect"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp/jsonschema"
)

// Once does something that must not be done again when the handler runs again, because
// the client has been asked in between: it calls do the first time, and returns what
// that has returned from then on. Side effects that can wait stand behind the last
// question instead, and need no Once.
//
// The result goes to the client and back in the requestState, where the client cannot
// read or alter it, so it has to be small ([AskOptions.StateSize]), and of a type that
// [jsonschema.Encoder] writes and [jsonschema.Decoder] reads; another type, such as one with
// MarshalJSON and without UnmarshalJSON, is an error before do is called. A number in an any
// comes back as an [encoding/json.Number]. An error is not kept: do is called again. Keys
// are those of Once alone. A client that never retries has had do called all the same, and
// one that sends the same retry twice has it called twice if it had not been called before.
func Once[T any](c *Call, key string, do func() (T, error)) (T, error) {
	var value T
	form, err := keptFormOf[T](c.server)
	if err != nil {
		return value, onceFailed(key, "a result of this type cannot be kept", err)
	}
	done := false
	encoded, err := c.OnceRaw(key, func() (jsonrpc.Raw, error) {
		if value, err = do(); err != nil {
			return nil, err
		}
		done = true
		encoded, err := form.encoder.Append(nil, value)
		if err != nil {
			return nil, onceFailed(key, "the result has no form in JSON", err)
		}
		return encoded, nil
	})
	if err != nil || done {
		return value, err
	}
	if value, err = form.decoder.Decode(encoded); err != nil {
		return value, onceFailed(key, fmt.Sprintf("what an earlier round has done is no %T", value), unquoted(err))
	}
	return value, nil
}

// OnceRaw is [Once] for a result that is JSON already, which it returns on one line; that is
// kept as it is, and must not be altered. A program that has no other typed handler is smaller
// with it.
func (c *Call) OnceRaw(key string, do func() (jsonrpc.Raw, error)) (jsonrpc.Raw, error) {
	r, err := c.openRounds()
	if err != nil {
		return nil, err
	}
	if err := checkKey(key); err != nil {
		return nil, err
	}
	encoded, done := r.beginOnce(key)
	if done {
		return encoded, nil
	}
	defer func() { r.endOnce(key, encoded) }() // also when do panics
	result, err := do()
	if err != nil {
		return nil, err
	}
	if encoded, err = jsonrpc.AppendCompact(nil, result); err != nil {
		return nil, onceFailed(key, "the result is not JSON", err)
	}
	return encoded, nil
}

// onceFailed is apart, so that it is compiled once and not once for each type.
//
//go:noinline
func onceFailed(key, why string, err error) error {
	return fmt.Errorf("mcp: Once %q: %s: %w", key, why, err)
}

// keptForm writes and reads what Once keeps of a T.
type keptForm[T any] struct {
	encoder *jsonschema.Encoder[any] // one for all types: a program has it anyway
	decoder *jsonschema.Decoder[T]
}

// keptFormOf makes the form of T, once for each server.
func keptFormOf[T any](s *Server) (*keptForm[T], error) {
	t := reflect.TypeFor[T]()
	if known, ok := s.kept.Load(t); ok {
		return known.(*keptForm[T]), nil
	}
	decoder, err := jsonschema.DecoderFor[T]()
	if err != nil {
		return nil, err
	}
	form := &keptForm[T]{decoder: decoder}
	form.encoder, _ = jsonschema.EncoderFor[any]() // any has a form in JSON
	form.encoder.KeepNils()
	s.kept.Store(t, form)
	return form, nil
}

// unquoted is an error of a decoder without the value that stands there: handlers tell
// the client their errors, and it must not read what was sealed.
func unquoted(err error) error {
	var e *jsonschema.Error
	if errors.As(err, &e) {
		e.Got = "something else"
	}
	return err
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
