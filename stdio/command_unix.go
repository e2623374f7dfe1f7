//go:build unix

package stdio

import "syscall"

// inOwnGroup returns attr, or when there is none the wish for a process group of the child's
// own.
func inOwnGroup(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		return &syscall.SysProcAttr{Setpgid: true}
	}
	return attr
}

// terminate asks the child to end, and reports whether that can be asked here.
func (p *process) terminate() bool { return p.signal(syscall.SIGTERM) }

// kill ends the child and its group.
func (p *process) kill() { p.signal(syscall.SIGKILL) }

// signal is for the whole group where that is the child's own. The child has not been
// waited for, so its number, and that of its group, is nobody else's.
func (p *process) signal(s syscall.Signal) bool {
	attr := p.cmd.SysProcAttr
	if attr.Setsid || attr.Setpgid && attr.Pgid == 0 {
		return syscall.Kill(-p.cmd.Process.Pid, s) == nil
	}
	return p.cmd.Process.Signal(s) == nil
}
