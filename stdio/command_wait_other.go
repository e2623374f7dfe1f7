//go:build !linux

package stdio

// awaitExit reports false: a child cannot be seen to have ended without its number becoming free.
func (p *process) awaitExit() bool { return false }
