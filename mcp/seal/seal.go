package seal

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	// MaxToken is the length of the longest token in bytes.
	MaxToken = 1 << 20
	// MaxPlain is the length in bytes of the longest content that can be sealed.
	MaxPlain = MaxToken/4*3 - overhead

	expirySize = 8
	overhead   = 12 + expirySize + 16 // nonce, expiry, tag

	never = math.MaxInt64 // as an expiry
)

var (
	// ErrExpired says that the token was good and its time is over.
	ErrExpired = errors.New("seal: the token has expired")
	// ErrForeign says that the token was not made with these keys for this purpose
	// and this bound data, or is not as it was made. Which of them is not told, since
	// it could help only somebody who tries to make one.
	ErrForeign = errors.New("seal: the token is not one of ours")
)

// encoding is base64 for URLs without padding, strict so that no two spellings stand
// for the same token.
var encoding = base64.RawURLEncoding.Strict()

// Seal makes a token of plain, which [Keys.Open] gives back for the same purpose and
// bound, until expires: whole seconds count, and the zero time means never. A token
// consists of letters, digits, - and _. Seal panics when plain is longer than
// [MaxPlain]; where a peer decides on the length, check it first.
func (k *Keys) Seal(purpose string, expires time.Time, bound, plain []byte) string {
	if len(plain) > MaxPlain {
		panic(fmt.Sprintf("seal: %d bytes are to be sealed; %d is the most", len(plain), MaxPlain))
	}
	until := int64(never)
	if !expires.IsZero() {
		until = expires.Unix()
	}
	content := make([]byte, expirySize, expirySize+len(plain))
	binary.BigEndian.PutUint64(content, uint64(until))
	content = append(content, plain...)
	sealed := k.aeads(purpose)[0].Seal(nil, nil, content, additional(purpose, bound))
	return encoding.EncodeToString(sealed)
}

// Open gives back what was sealed as token for purpose and bound. The error is
// [ErrExpired] or [ErrForeign]; neither carries anything of the token. The result is
// never nil without an error, and the caller's own.
func (k *Keys) Open(purpose string, now time.Time, bound []byte, token string) ([]byte, error) {
	// The decoder passes over line ends, which would give a token many spellings.
	if len(token) > MaxToken || strings.ContainsAny(token, "\r\n") {
		return nil, ErrForeign
	}
	sealed, err := encoding.DecodeString(token)
	if err != nil || len(sealed) < overhead {
		return nil, ErrForeign
	}
	with := additional(purpose, bound)
	for _, aead := range k.aeads(purpose) {
		content, err := aead.Open(nil, nil, sealed, with)
		if err != nil {
			continue
		}
		if until := int64(binary.BigEndian.Uint64(content)); now.Unix() >= until {
			return nil, ErrExpired
		}
		return content[expirySize:], nil
	}
	return nil, ErrForeign
}

// additional is what a token is bound to. The purpose goes in with its length, so
// that no part of it can be taken for bound data.
func additional(purpose string, bound []byte) []byte {
	data := make([]byte, 0, 8+len(purpose)+len(bound))
	data = binary.BigEndian.AppendUint64(data, uint64(len(purpose)))
	data = append(data, purpose...)
	return append(data, bound...)
}
