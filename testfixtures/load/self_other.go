//go:build !unix

package load

import (
	"errors"
	"time"
)

// Self has no way to the processor time here.
func Self() (time.Duration, error) {
	return 0, errors.New("this system does not tell the processor time of a process")
}
