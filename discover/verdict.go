package discover

import (
	"encoding"
	"fmt"
	"strings"

	"isthmus.internal/mcp"
)

// Verdict is what Connect has found of a server. It is a property of the server and not of
// a connection, so it may be kept, as text for example, and given to the next Connect
// (2026-07-28 basic/versioning, Backward Compatibility with Initialization-Based Versions).
type Verdict struct {
	// Era is [mcp.Legacy] or [mcp.Modern].
	Era mcp.Eras
	// Version is the revision that is spoken.
	Version string
	// Evidence is one line for people: what the server has said that shows its era. It may
	// be empty.
	Evidence string
}

var (
	_ encoding.TextMarshaler   = Verdict{}
	_ encoding.TextUnmarshaler = (*Verdict)(nil)
)

// longestVerdict is the longest text, in bytes, that is read.
const longestVerdict = 1024

// String is the era, the version and the evidence, in one line.
func (v Verdict) String() string {
	text := v.Era.String() + " " + v.Version
	if v.Evidence != "" {
		text += ": " + v.Evidence
	}
	return text
}

// MarshalText implements [encoding.TextMarshaler]. It fails for what is no verdict.
func (v Verdict) MarshalText() ([]byte, error) {
	if !isOne(v.Era) || v.Version == "" || strings.ContainsAny(v.Version, ": \r\n") || strings.ContainsAny(v.Evidence, "\r\n") {
		return nil, fmt.Errorf("discover: %#v is no verdict", v)
	}
	return []byte(v.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. The version need not be one that
// this package speaks; Connect passes over a verdict that it cannot use.
func (v *Verdict) UnmarshalText(text []byte) error {
	head, evidence, _ := strings.Cut(string(text), ": ")
	name, version, _ := strings.Cut(head, " ")
	read := Verdict{Era: eraNamed(name), Version: version, Evidence: evidence}
	if _, err := read.MarshalText(); err != nil || len(text) > longestVerdict {
		return fmt.Errorf(`discover: a verdict reads "modern %s: why" and not %.80q`, modernForms[0].Revision, text)
	}
	*v = read
	return nil
}

// legacyEvidence is why a handshake is done without a question: what the kept verdict v says, or that
// the era was set, where there is none.
func (v Verdict) legacyEvidence() string {
	switch {
	case v.Evidence != "":
		return v.Evidence
	case v.Era == mcp.Legacy:
		return "it was kept as " + v.String()
	}
	return "the handshake was asked for"
}

// isOne reports whether e is one era.
func isOne(e mcp.Eras) bool { return e == mcp.Legacy || e == mcp.Modern }

func eraNamed(name string) mcp.Eras {
	for _, e := range []mcp.Eras{mcp.Legacy, mcp.Modern} {
		if e.String() == name {
			return e
		}
	}
	return 0
}
