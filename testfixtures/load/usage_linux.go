package load

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Group is what the processes of a process group have used that live, as proc(5) and the kernel's clocks of
// processes have it. A server that is started by another program, as npx does it, is counted so as well.
func Group(pgid int) (Usage, error) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return Usage{}, err
	}
	var all Usage
	found := false
	for _, entry := range processes {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !inGroup(pid, pgid) {
			continue
		}
		used, err := process(pid)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ESRCH) {
				continue // it has ended meanwhile
			}
			return Usage{}, err
		}
		found = true
		all.CPU += used.CPU
		all.Memory += used.Memory
	}
	if !found {
		return Usage{}, fmt.Errorf("there is no process of the group %d", pgid)
	}
	return all, nil
}

// inGroup reports whether a process is of the group. The name of the program, which may be anything,
// stands in parentheses before the state, the parent and the group.
func inGroup(pid, pgid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	return len(fields) > 2 && fields[2] == strconv.Itoa(pgid)
}

func process(pid int) (Usage, error) {
	cpu, err := processTime(pid)
	if err != nil {
		return Usage{}, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Usage{}, err
	}
	used := Usage{CPU: cpu}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			used.Memory = kib << 10
		}
	}
	return used, nil
}

// processTime reads the clock that the kernel has for each process, which clock_getcpuclockid(3) names by
// these bits. What proc(5) has of the time is rounded too much for a short round.
func processTime(pid int) (time.Duration, error) {
	const scheduled = 2 // the scheduler's count, in nanoseconds
	clock := int32(^pid<<3 | scheduled)
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		return 0, fmt.Errorf("the processor time of process %d: %w", pid, errno)
	}
	return time.Duration(now.Nano()), nil
}
