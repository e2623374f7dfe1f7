package load_test

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"

	"isthmus.internal/testfixtures/load"
)

// TestGroup measures a shell that has started another program, which alone does something.
func TestGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", `sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done; read line'; echo end`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	used, err := load.Group(cmd.Process.Pid)
	if err != nil || used.CPU <= 0 || used.Memory <= 0 {
		t.Errorf("got %+v, %v", used, err)
	}
	if again, err := load.Group(cmd.Process.Pid); err != nil || again.CPU < used.CPU {
		t.Errorf("then %+v, %v", again, err)
	}
	in.Close()
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if used, err := load.Group(cmd.Process.Pid); err == nil {
		t.Errorf("it has ended: got %+v", used)
	}
	if used, err := load.Self(); err != nil || used <= 0 {
		t.Errorf("Self = %v, %v", used, err)
	}
}
