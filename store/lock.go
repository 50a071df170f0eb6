package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/rollsmith/rollsmith/problem"
)

// lockFolder takes the lock that the kernel gives back when we die.
func lockFolder(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, &problem.Error{Kind: problem.Down, Code: "store-locked", Message: "Another Rollsmith is using this data folder.", Hint: "Stop it, or give this one another folder with --data.", Err: err}
	}
	return nil, fmt.Errorf("lock: %w", err)
}
