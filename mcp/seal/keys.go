package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
)

const (
	// MinSecret is the least length of a secret in bytes.
	MinSecret = 16
	// MaxSecrets is how many secrets a ring of keys may have, which bounds what it
	// costs to refuse a token.
	MaxSecrets = 16

	keySize = 32 // AES-256
	// mostPurposes bounds the memory of a program that makes purposes up as it goes:
	// keys of further purposes are derived each time.
	mostPurposes = 64
)

// Keys is a ring of keys that seals and opens tokens. It may be used by several
// goroutines at once, and never changes.
type Keys struct {
	secrets [][]byte

	mu      sync.Mutex
	derived map[string][]cipher.AEAD // by purpose, in the order of secrets
}

// NewKeys makes a ring of the secrets, which it copies. The first one seals, all of
// them open. The error says which secret is too short, given twice, or that there are
// none or more than [MaxSecrets].
func NewKeys(secrets ...[]byte) (*Keys, error) {
	if len(secrets) == 0 {
		return nil, errors.New("seal: no secret is given; at least one is needed")
	}
	if len(secrets) > MaxSecrets {
		return nil, fmt.Errorf("seal: %d secrets are given; %d is the most", len(secrets), MaxSecrets)
	}
	k := &Keys{derived: make(map[string][]cipher.AEAD)}
	for i, secret := range secrets {
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("seal: secret %d has %d bytes; it needs %d random ones at least", i+1, len(secret), MinSecret)
		}
		for j, known := range k.secrets {
			if slices.Equal(known, secret) {
				return nil, fmt.Errorf("seal: secrets %d and %d are the same; leave one out", j+1, i+1)
			}
		}
		k.secrets = append(k.secrets, slices.Clone(secret))
	}
	return k, nil
}

// RandomKeys makes a ring of one random secret, for tokens that need not outlive the
// process.
func RandomKeys() *Keys {
	secret := make([]byte, keySize)
	rand.Read(secret) // it cannot fail: crypto/rand ends the process first
	k, err := NewKeys(secret)
	if err != nil {
		panic(err) // as long as keySize is not below MinSecret, never
	}
	return k
}

// aeads are the keys for purpose.
func (k *Keys) aeads(purpose string) []cipher.AEAD {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.derived[purpose]; ok {
		return known
	}
	made := make([]cipher.AEAD, len(k.secrets))
	for i, secret := range k.secrets {
		made[i] = derive(secret, purpose)
	}
	if len(k.derived) < mostPurposes {
		k.derived[purpose] = made
	}
	return made
}

// derive makes the key for purpose of one secret. None of the steps can fail with a
// secret that NewKeys has taken.
func derive(secret []byte, purpose string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, secret, nil, "isthmus seal 1: "+purpose, keySize)
	if err != nil {
		panic("seal: deriving a key: " + err.Error())
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("seal: " + err.Error())
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("seal: " + err.Error())
	}
	return aead
}
