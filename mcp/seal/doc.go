// Package seal makes tokens that a server gives to a client and gets back later:
// cursors of lists, and the requestState of a call that waits for answers. A token
// keeps its content secret, and whoever alters it, makes one up, or uses one for
// something else than it was made for, finds it refused.
//
//	keys, err := seal.NewKeys(secret) // or seal.RandomKeys()
//	if err != nil {
//		log.Fatal(err)
//	}
//	token := keys.Seal("cursor", time.Now().Add(time.Hour), []byte("tools/list alice"), position)
//	…
//	position, err := keys.Open("cursor", time.Now(), []byte("tools/list alice"), token)
//
// # What a token is good for
//
// A token opens only with all of what it was sealed with:
//
//   - the purpose, a name that the program chooses once for each kind of token. Each
//     purpose has a key of its own, derived from the secret;
//   - the bound data, which stands outside the token and must be presented again:
//     the method, the parameters, the principal, whatever the token must not be
//     carried over to. Where it has several parts, the caller encodes them so that
//     no two lists of parts give the same bytes;
//   - a time before its expiry, when it has one.
//
// Nothing is remembered, so a token may be presented any number of times until it
// expires, to any process that has the key. Where once is wanted, the one who opens
// it must keep a record of what was used.
//
// # Keys and their rotation
//
// All processes that serve the same clients need the same secrets. [RandomKeys] is
// right for a single process, whose tokens may end with it. A secret is at least 16
// random bytes (32 are better), from a source made for it: `openssl rand 32`, not a
// word that somebody made up.
//
// To rotate, put the new secret first and keep the old one behind it: the first one
// seals, all of them open. Roll that out in two steps when there are several
// processes: first NewKeys(old, new) everywhere, so that all can open what the new one
// seals, then NewKeys(new, old). When the longest lived token of the old secret has
// expired, leave it out.
//
// # Limits
//
// Tokens are sealed with AES-256-GCM and a random nonce of 96 bits. So one key, which
// is one secret with one purpose, must not seal more than 2^32 tokens (NIST
// SP 800-38D, section 8.3). At a hundred tokens each second that is more than a year;
// rotate well before. The lengths of tokens show how long their content is.
//
// A token is at most [MaxToken] bytes long, and longer ones are refused unread. To
// open one costs a decryption for each secret at the most. Everything here works with
// GODEBUG=fips140=only.
package seal
