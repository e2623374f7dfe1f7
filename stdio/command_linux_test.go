package stdio_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isthmus.internal/stdio"
)

// What a child has started, and has left running at its end, ends too, however the child ends.
func TestCommandLeavesNothingBehind(t *testing.T) {
	tests := []struct {
		name, script string
		close        bool
		grace        time.Duration
	}{
		{"when it is closed", "exec cat", true, time.Minute},
		{"when it ends of its own accord", "exit 3", false, time.Minute},
		{"when it crashes", "kill -9 $$", false, time.Minute},
		{"when it has to be sent SIGTERM", "exec sleep 600", true, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			script := "sleep 600 >/dev/null 2>&1 </dev/null & echo $! >" + pid + ".part; mv " + pid + ".part " + pid + "; " + tt.script
			l, _ := run(t, shell(script), &stdio.ClientOptions{Grace: tt.grace})
			var left string
			until(t, func() bool {
				text, err := os.ReadFile(pid)
				left = strings.TrimSpace(string(text))
				return err == nil
			})
			if !tt.close {
				<-l.Done()
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			until(t, func() bool { return !isRunning(left) })
		})
	}
}

// isRunning reports whether a process is there that has not ended, though nobody may have waited
// for it.
func isRunning(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(state, []byte("Z"))
}
