package mcp

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

// held is the [Sealer] of a server that was given no keys: what would be sealed stays
// in this process, and the token only names it. So a client can neither read nor alter
// it, and as with a random key it ends with the process and no other process knows it.
//
// There is no cryptography in it, which would be linked into every program that has
// this package. A token has 256 bits of the runtime's generator, which is seeded by the
// system and cannot be predicted from what it has given out (ChaCha8); whoever guessed
// one could use it for what it is bound to alone.
//
// The oldest go when there are too many. A server whose clients may push each other
// out should have keys.
type held struct {
	mu    sync.Mutex
	seeds [2]maphash.Seed
	known map[string]*heldState
	order []string // of known, oldest first
	size  int      // bytes of plain
}

type heldState struct {
	plain   []byte
	bound   [2]uint64
	purpose string
	expires time.Time
}

// The most that is held: bytes of content, and how many states.
const (
	heldBytes  = 16 << 20
	heldStates = 10_000
)

var errNotHeld = errors.New("mcp: the state is not held, or not for this request")

// Seal implements [Sealer].
func (h *held) Seal(purpose string, expires time.Time, bound, plain []byte) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = make(map[string]*heldState)
		h.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	var random [32]byte
	for i := 0; i < len(random); i += 8 {
		binary.NativeEndian.PutUint64(random[i:], rand.Uint64())
	}
	token := base64.RawURLEncoding.EncodeToString(random[:])
	h.known[token] = &heldState{plain: plain, bound: h.digestLocked(bound), purpose: purpose, expires: expires}
	h.order = append(h.order, token)
	h.size += len(plain)
	h.makeRoomLocked()
	return token
}

// makeRoomLocked drops the oldest: those that have expired, and those that are too
// many.
func (h *held) makeRoomLocked() {
	now := time.Now()
	for len(h.order) > 1 {
		oldest := h.known[h.order[0]]
		if h.size <= heldBytes && len(h.order) <= heldStates && now.Before(oldest.expires) {
			return
		}
		h.size -= len(oldest.plain)
		delete(h.known, h.order[0])
		h.order = h.order[1:]
	}
}

// Open implements [Sealer].
func (h *held) Open(purpose string, now time.Time, bound []byte, token string) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.known[token]
	if !ok || s.purpose != purpose || !now.Before(s.expires) || s.bound != h.digestLocked(bound) {
		return nil, errNotHeld
	}
	return s.plain, nil
}

func (h *held) digestLocked(bound []byte) [2]uint64 {
	return [2]uint64{maphash.Bytes(h.seeds[0], bound), maphash.Bytes(h.seeds[1], bound)}
}
