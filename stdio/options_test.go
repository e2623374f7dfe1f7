package stdio_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"isthmus.internal/stdio"
)

func TestOptionsDefaults(t *testing.T) {
	for _, o := range []*stdio.Options{nil, {}, {MaxMessage: -1, MaxInFlight: -1, MaxListens: -1, Drain: -1, MaxConnections: -1}} {
		got := fmt.Sprint(stdio.Defaults(o))
		if want := "{16777216 1024 128 5s 256 true true}"; got != want {
			t.Errorf("the defaults of %v are %s, want %s", o, got, want)
		}
	}
	o := &stdio.Options{MaxMessage: 1 << 40, MaxInFlight: 2, MaxListens: 9, Drain: 3, MaxConnections: 4, In: strings.NewReader(""), Out: io.Discard}
	if got, want := fmt.Sprint(stdio.Defaults(o)), "{1073741824 2 9 3ns 4 false false}"; got != want {
		t.Errorf("options %+v count as %s, want %s", o, got, want)
	}
}
