//go:build !unix

package stdio

import "syscall"

// inOwnGroup returns attr: there are no process groups.
func inOwnGroup(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

// terminate reports false: there is no way to ask a child to end.
func (p *process) terminate() bool { return false }

// kill ends the child.
func (p *process) kill() { _ = p.cmd.Process.Kill() }
