package mcp

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"

	"isthmus.internal/jsonrpc"
)

// digest stands for a question as it goes to the client, so that a state can say which
// question an answer is for without holding its text. It is no secret and no signature: it
// tells questions apart whose data has changed, and the state that it stands in is sealed.
func (in Inquiry) digest() jsonrpc.Raw {
	h := fnv.New128a()
	h.Write([]byte(in.Method))
	h.Write([]byte{0}) // which no method has
	h.Write(in.likeness())
	return append(hex.AppendEncode([]byte{'"'}, h.Sum(nil)), '"')
}

// isForLocked reports whether what the client has answered under the key of a question
// was an answer to it. Between two runs of a handler what it asks about may have changed,
// and nobody has agreed to what stands under the key now. What came without any state
// answers what nobody here has a record of, and is taken.
func (r *Rounds) isForLocked(in Inquiry) bool {
	posed, known := r.posed[in.Key]
	if !known {
		return !r.bound
	}
	return bytes.Equal(posed, in.digest())
}

// wasPosedLocked reports whether the client has been asked anything under the key.
func (r *Rounds) wasPosedLocked(key string) bool {
	_, posed := r.posed[key]
	_, required := r.required[key]
	return posed || required || !r.bound
}

// posedLocked is what the next round has to know of what was put to the client: what it has
// answered, and what is open.
func (r *Rounds) posedLocked() map[string]jsonrpc.Raw {
	posed := make(map[string]jsonrpc.Raw, len(r.answers)+len(r.open))
	for key := range r.answers {
		if digest, known := r.posed[key]; known { // not by a state of an earlier version
			posed[key] = digest
		}
	}
	for _, in := range r.open {
		posed[in.Key] = in.digest()
	}
	return posed
}
