//go:build !unix

package stdio

import "io"

// tryWriter returns w as it is: the system cannot write without waiting.
func tryWriter(w io.Writer) io.Writer { return w }
