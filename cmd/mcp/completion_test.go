package main

import (
	"os/exec"
	"strings"
	"testing"
)

// complete has the script complete the last of the words, as bash would.
const complete = `COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _mcp; echo "${COMPREPLY[*]}"`

// TestBashCompletes: the script for bash knows the commands, and what each of them takes.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to read the script")
	}
	var script strings.Builder
	if status := run([]string{"completion", "bash"}, &script, t.Output()); status != 0 {
		t.Fatalf("mcp completion bash: status %d, want 0", status)
	}
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"commands", []string{"to"}, "tools tour"},
		{"commands behind wire", []string{"wire", "to"}, "tools"},
		{"commands behind help", []string{"help", "to"}, "tools tour"},
		{"help of help", []string{"help", "h"}, ""},
		{"flags", []string{"bridge", "--max"}, "--max-body --max-sessions"},
		{"a flag that bridge has not", []string{"bridge", "--ti"}, ""},
		{"flags with one hyphen", []string{"bridge", "-max"}, "-max-body -max-sessions"},
		{"one hyphen and a letter", []string{"bridge", "-h"}, "-header -http"},
		{"a target", []string{"tools", "h"}, "http:// https://"},
		{"a target that is there", []string{"tools", "http", ":", "//127.0.0.1:9/mcp", "h"}, ""},
		{"a socket that is there", []string{"wire", "tools", "unix:x", "t"}, ""},
		{"a file of arguments", []string{"call", "--json", "@completion_t"}, "completion_test.go"},
		{"a file of headers", []string{"tools", "-header", "@", "completion_t"}, "completion_test.go"},
		{"behind an equals sign", []string{"tools", "--header", "=", "@", "completion_t"}, "completion_test.go"},
		{"flags of the tour", []string{"tour", "--e"}, "--echo --everything"},
		{"values", []string{"call", "--era", ""}, "legacy modern auto"},
		{"shells", []string{"completion", ""}, "bash zsh fish"},
		{"nothing", []string{"version", ""}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"-c", script.String() + complete, "bash", "mcp"}, tt.words...)
			out, err := exec.Command(bash, args...).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
				t.Errorf("mcp %q\n got: %q, %v\nwant: %q", tt.words, got, err, tt.want)
			}
		})
	}
}
