package stdio_test

import (
	"testing"
	"time"

	"isthmus.internal/stdio"
)

func TestClientOptionsDefaults(t *testing.T) {
	tests := []struct {
		name  string
		o     *stdio.ClientOptions
		max   int
		grace time.Duration
	}{
		{"nil", nil, 16 << 20, 2 * time.Second},
		{"zero", &stdio.ClientOptions{}, 16 << 20, 2 * time.Second},
		{"less than zero", &stdio.ClientOptions{MaxMessage: -1, Grace: -1}, 16 << 20, 0},
		{"given", &stdio.ClientOptions{MaxMessage: 5, Grace: time.Minute}, 5, time.Minute},
		{"too large", &stdio.ClientOptions{MaxMessage: 1 << 40}, 1 << 30, 2 * time.Second},
	}
	for _, tt := range tests {
		if max, grace := stdio.ClientDefaults(tt.o); max != tt.max || grace != tt.grace {
			t.Errorf("%s: %d, %v, want %d, %v", tt.name, max, grace, tt.max, tt.grace)
		}
	}
}
