package stdio

import "syscall"

// onePID has waitid wait for one process (waitid(2)).
const onePID = 1

// awaitExit waits until the child has ended, and leaves it to be waited for: until then
// its number, and that of its group, is nobody else's. It reports whether that was possible.
func (p *process) awaitExit() bool {
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, onePID, uintptr(p.cmd.Process.Pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if err != syscall.EINTR {
			return err == 0
		}
	}
}
