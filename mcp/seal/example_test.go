package seal_test

import (
	"errors"
	"fmt"
	"time"

	"isthmus.internal/mcp/seal"
)

// The secret changes, and tokens of the old one still open until it is left out.
func ExampleNewKeys() {
	old, fresh := []byte("an old secret of random bytes"), []byte("a new secret of random bytes")
	before, _ := seal.NewKeys(old)
	token := before.Seal("invitation", time.Now().Add(time.Hour), []byte("alice"), []byte("room 7"))

	during, _ := seal.NewKeys(fresh, old)
	room, err := during.Open("invitation", time.Now(), []byte("alice"), token)
	fmt.Println(string(room), err)
	_, err = during.Open("invitation", time.Now(), []byte("bob"), token)
	fmt.Println(errors.Is(err, seal.ErrForeign))

	after, _ := seal.NewKeys(fresh)
	_, err = after.Open("invitation", time.Now(), []byte("alice"), token)
	fmt.Println(errors.Is(err, seal.ErrForeign))
	// Output:
	// room 7 <nil>
	// true
	// true
}
