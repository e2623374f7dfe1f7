package outside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Main has run print its tables and find faults, until it is interrupted and for the given time at
// most. What is wrong is told on standard error behind the name of the command, at the end with the
// folder of the logs. It returns the status of the process.
func Main(name, logs string, longest time.Duration, run func(ctx context.Context, out io.Writer) (faults []string, err error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	faults, err := run(ctx, os.Stdout)
	return report(os.Stderr, name, logs, faults, err)
}

func report(out io.Writer, name, logs string, faults []string, err error) (status int) {
	if err != nil {
		fmt.Fprintf(out, "%s: %v\n", name, err)
		return 1
	}
	for _, fault := range faults {
		fmt.Fprintf(out, "%s: %s\n", name, fault)
	}
	if len(faults) > 0 {
		fmt.Fprintf(out, "%s: %d faults; what servers said is in %s\n", name, len(faults), logs)
		return 1
	}
	return 0
}

// atOnce is how many runs are taken at the same time. Each has its own processes.
const atOnce = 2

// Take takes the runs that have only in their label, some at the same time, and returns how they
// went in the order of the runs. The errors have the labels.
func Take[R, O any](runs []R, only string, label func(R) string, take func(R) (O, error)) ([]O, error) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r R) bool { return !strings.Contains(label(r), only) })
	outcomes, errs := make([]O, len(runs)), make([]error, len(runs))
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, r := range runs {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if outcomes[i], errs[i] = take(r); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", label(r), errs[i])
			}
		})
	}
	all.Wait()
	return outcomes, errors.Join(errs...)
}
