package mcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"isthmus.internal/jsonrpc"
)

// Sealer seals what a server gives to a client and gets back later.
// [isthmus.internal/mcp/seal.Keys] is one; it is an option and not part of this package,
// since a program that has cryptography in it is larger by that. Its methods may be
// called from several goroutines at once.
type Sealer interface {
	// Seal makes a token of plain, for a purpose, bound to data that stands outside of
	// it, and good until expires.
	Seal(purpose string, expires time.Time, bound, plain []byte) string
	// Open returns what was sealed. It is an error when the token was altered, has
	// expired, or was made for another purpose or other data.
	Open(purpose string, now time.Time, bound []byte, token string) ([]byte, error)
}

// statePurpose is what a requestState is sealed for.
const statePurpose = "requestState"

// sealer is the option, or else what this process alone can open; nil when it has not
// sealed anything yet.
func (s *Server) sealer() Sealer {
	if s.opts.Keys != nil {
		return s.opts.Keys
	}
	if held := s.held.Load(); held != nil {
		return *held
	}
	return nil
}

// holdStates makes sure that there is a sealer. Handlers that ask call it, so that
// programs which do not have no [held] in them.
func (s *Server) holdStates() {
	if s.sealer() == nil {
		var made Sealer = &held{}
		s.held.CompareAndSwap(nil, &made)
	}
}

// SealRounds makes the requestState that a client brings back with its retry of r, and
// returns it beside what the client has to answer. It holds what has been asked, answered
// and done so far, and is good for the same principal, method and parameters alone, for
// the time of [AskOptions.TTL] (2026-07-28 basic/patterns/mrtr, Server Requirements).
func (s *Server) SealRounds(r *Request, rounds *Rounds) (state string, open []Inquiry, err error) {
	o := &s.opts.Ask
	rounds.mu.Lock()
	count, plain, open := rounds.count, rounds.appendLocked(nil), rounds.open
	rounds.mu.Unlock()
	if count >= o.rounds() {
		return "", nil, tooManyRounds(o.rounds())
	}
	if len(plain) > o.stateSize() {
		s.log.Warn("more state than AskOptions.StateSize allows", "method", string(r.Message.Method), "bytes", len(plain), "most", o.stateSize())
		return "", nil, jsonrpc.Errorf(jsonrpc.InternalError,
			"The answers and results of the request so far come to %d bytes, and %d is the most", len(plain), o.stateSize())
	}
	bound, err := binding(r)
	if err != nil {
		return "", nil, err
	}
	return s.sealer().Seal(statePurpose, time.Now().Add(o.ttl()), bound, plain), open, nil
}

// OpenRounds reads what a client has brought with a retry of r: responses is its
// inputResponses and state its requestState, nil when absent. where is the name of
// responses in the request. The error is for the peer.
func (s *Server) OpenRounds(r *Request, responses, state jsonrpc.Raw, where string) (*Rounds, error) {
	rounds := &Rounds{where: where, bound: state != nil}
	if state != nil {
		plain, err := s.openState(r, state)
		if err != nil {
			return nil, err
		}
		if err := rounds.read(plain); err != nil {
			return nil, err
		}
	}
	if responses == nil {
		return rounds, nil
	}
	o := readObject(responses)
	for o.next() {
		put(&rounds.responses, string(o.name()), o.value())
	}
	if m := o.end(); m != nil {
		return nil, m.at(where).Refusal()
	}
	return rounds, nil
}

func (s *Server) openState(r *Request, state jsonrpc.Raw) ([]byte, error) {
	token, ok := state.Text()
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "params.requestState must be a string")
	}
	refusal := jsonrpc.Errorf(jsonrpc.InvalidParams,
		"params.requestState is not valid: it was altered, has expired, or belongs to another request; send the request again without it")
	sealer := s.sealer()
	if sealer == nil {
		return nil, refusal // nothing was sealed that could come back
	}
	bound, err := binding(r)
	if err != nil {
		return nil, err
	}
	plain, err := sealer.Open(statePurpose, time.Now(), bound, token)
	if err != nil {
		s.log.Debug("requestState refused", "error", err)
		return nil, refusal
	}
	return plain, nil
}

// binding is what a requestState is good for: the principal, the method and the
// parameters, in a form that does not depend on the order of members or on space.
// _meta may differ in a retry, and what makes it a retry does.
func binding(r *Request) ([]byte, error) {
	w := writer{dst: []byte{'['}}
	if r.Principal != nil {
		w.dst = jsonrpc.AppendString(w.dst, r.Principal.ID)
	} else {
		w.dst = append(w.dst, "null"...)
	}
	w.comma()
	w.dst = append(jsonrpc.AppendString(w.dst, string(r.Message.Method)), ',')
	params := make(map[string]jsonrpc.Raw)
	for o := jsonrpc.ReadObject(r.Message.Params); o.Next(); {
		switch string(o.Name()) {
		case "_meta", "inputResponses", "requestState":
		default:
			params[string(o.Name())] = o.Value()
		}
	}
	var err error
	w.dst, err = appendSorted(w.dst, params)
	return append(w.dst, ']'), err
}

// appendCanonical appends a JSON value so that values which differ in the order of
// members, in space or in how strings are escaped come out alike. Numbers keep their
// spelling.
func appendCanonical(dst []byte, v jsonrpc.Raw) (_ []byte, err error) {
	switch v.Kind() {
	case jsonrpc.KindObject:
		members := make(map[string]jsonrpc.Raw)
		o := jsonrpc.ReadObject(v)
		for o.Next() {
			members[string(o.Name())] = o.Value()
		}
		if o.Err() != nil {
			return dst, jsonrpc.Errorf(jsonrpc.InvalidParams, "params has an object with two members of one name")
		}
		return appendSorted(dst, members)
	case jsonrpc.KindArray:
		dst = append(dst, '[')
		for a := jsonrpc.ReadArray(v); a.Next() && err == nil; {
			dst, err = appendCanonical(dst, a.Value())
			dst = append(dst, ',')
		}
		return append(dst, ']'), err
	case jsonrpc.KindString:
		return appendSame(dst, v), nil
	}
	return append(dst, v...), nil
}

// appendSame appends a string so that two come out alike if and only if they are the same
// JSON value. All lone surrogates read as U+FFFD and are different strings, which a
// handler that passes them on would pass on: [jsonrpc.ID.Key] tells them apart.
func appendSame(dst []byte, v jsonrpc.Raw) []byte {
	text, _ := v.Text()
	if !strings.ContainsRune(text, utf8.RuneError) {
		return jsonrpc.AppendString(dst, text)
	}
	id, _ := jsonrpc.ParseID(v)
	key := id.Key()
	return append(append(strconv.AppendInt(dst, int64(len(key)), 10), ':'), key...)
}

func appendSorted(dst []byte, members map[string]jsonrpc.Raw) (_ []byte, err error) {
	dst = append(dst, '{')
	for _, name := range slices.Sorted(maps.Keys(members)) {
		dst = append(jsonrpc.AppendString(dst, name), ':')
		if dst, err = appendCanonical(dst, members[name]); err != nil {
			return dst, err
		}
		dst = append(dst, ',')
	}
	return append(dst, '}'), nil
}

// appendLocked appends what the next round needs: the length of what is kept for the
// handler plus one, 0 when there is nothing, what is kept, and an object.
func (r *Rounds) appendLocked(dst []byte) []byte {
	if r.keep == nil {
		dst = append(dst, 0)
	} else {
		dst = append(binary.AppendUvarint(dst, uint64(len(r.keep))+1), r.keep...)
	}
	w := writer{}
	w.open("", '{')
	w.integer("count", int64(r.count+1))
	w.rawMap("answers", r.answers)
	w.rawMap("posed", r.posedLocked())
	w.rawMap("done", r.done)
	if len(r.input) > 0 {
		w.open("required", '{')
		for _, in := range r.open {
			w.comma()
			w.dst = append(jsonrpc.AppendString(w.dst, in.Key), ':')
			w.open("", '{')
			w.text("method", in.Method)
			w.raw("schema", in.schema)
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
	return append(dst, w.dst...)
}

var errState = errors.New("mcp: a requestState that opens holds what no server of this version has sealed")

// read takes what appendLocked has made.
func (r *Rounds) read(plain []byte) error {
	kept, n := binary.Uvarint(plain)
	if n <= 0 || kept > uint64(len(plain)-n)+1 {
		return errState
	}
	plain = plain[n:]
	if kept > 0 {
		r.kept, plain = plain[:kept-1:kept-1], plain[kept-1:]
	}
	o := jsonrpc.ReadObject(plain)
	for o.Next() {
		switch v := o.Value(); string(o.Name()) {
		case "count":
			count, _ := v.Int()
			r.count = int(count)
		case "answers":
			r.answers = rawsOf(v)
		case "posed":
			r.posed = rawsOf(v)
		case "done":
			r.done = rawsOf(v)
		case "required":
			for key, value := range rawsOf(v) {
				members := rawsOf(value)
				method, _ := members["method"].Text()
				put(&r.required, key, Inquiry{Key: key, Method: method, schema: members["schema"]})
			}
		}
	}
	if o.Err() != nil {
		return errState
	}
	return nil
}

// rawsOf are the members of an object.
func rawsOf(v jsonrpc.Raw) map[string]jsonrpc.Raw {
	members := make(map[string]jsonrpc.Raw)
	for o := jsonrpc.ReadObject(v); o.Next(); {
		members[string(o.Name())] = bytes.Clone(o.Value())
	}
	return members
}
