package mcp_test

import (
	"fmt"
	"testing"

	"isthmus.internal/mcp"
)

func TestEras(t *testing.T) {
	for era, want := range map[mcp.Eras]string{
		0: "no era", mcp.Legacy: "legacy", mcp.Modern: "modern", mcp.Both: "legacy and modern", 9: "Eras(9)",
	} {
		if got := fmt.Sprint(era); got != want {
			t.Errorf("%d is %q, want %q", uint8(era), got, want)
		}
	}
}
