package everything_test

import (
	"bytes"
	"strings"
	"testing"

	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/fixture"
)

// TestPageFlag: what is no number of entries is told before anything is served.
func TestPageFlag(t *testing.T) {
	for _, n := range []string{"-2", "ten", ""} {
		var out, log bytes.Buffer
		status := everything.Program("mcp-everything", nil).Run(t.Context(), []string{"-page=" + n}, &out, &log)
		if want := "must be a number of entries, or 0"; status != fixture.ExitUsage || out.Len() > 0 || !strings.Contains(log.String(), want) {
			t.Errorf("-page=%s\ngot  status %d, %q\nwant status %d, and %q", n, status, &log, fixture.ExitUsage, want)
		}
	}
}
