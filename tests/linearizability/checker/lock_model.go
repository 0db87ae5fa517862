// SPDX-License-Identifier: BSD-3-Clause

// A lock: a mutex, and the counter that it guards.
package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

const (
	noHolder      = -1
	unknownHolder = -2 // as word.Any: who has it is not known
)

type lock struct {
	Holder  int
	Counter word
}

// lockModel: a lock is `prompt` if it is free when release returns. ARMCI's hybrid is not: its release is a message that
// is not waited for, so that a try may be told "busy" although no PE has it.
func lockModel(initial lock, prompt bool) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return initial },
		Step: func(state, asked, got interface{}) (bool, interface{}) {
			return stepLock(state.(lock), asked.(input), got.(output), prompt)
		},
		DescribeOperation: describeOperation,
		DescribeState: func(state interface{}) string {
			holder := map[int]string{noHolder: "free", unknownHolder: "?"}[state.(lock).Holder]
			if holder == "" {
				holder = fmt.Sprintf("PE %d", state.(lock).Holder)
			}
			return fmt.Sprintf("%s, %d", holder, state.(lock).Counter.Value)
		},
	}
}

func stepLock(before lock, asked input, got output, prompt bool) (bool, lock) {
	switch asked.Kind {
	case acquire, tryAcquire, acquireTimed:
		return stepAcquire(before, asked, got, prompt)
	case release:
		if before.Holder == asked.PE || before.Holder == unknownHolder {
			return true, lock{noHolder, before.Counter}
		}
		return got.uncertain(), before
	case count:
		return stepCount(before, asked, got)
	default:
		return false, before
	}
}

func stepAcquire(before lock, asked input, got output, prompt bool) (bool, lock) {
	switch got.Outcome {
	case done, pending, unknown:
		if before.Holder == noHolder || before.Holder == unknownHolder {
			return true, lock{asked.PE, before.Counter}
		}
		return got.uncertain(), before
	case busy:
		return before.Holder != noHolder || !prompt, before
	default:
		return true, before // gave up, or was told that the lock is broken: no effect
	}
}

func stepCount(before lock, asked input, got output) (bool, lock) {
	if before.Holder != asked.PE && before.Holder != unknownHolder {
		return got.uncertain(), before
	}
	if got.uncertain() {
		return true, lock{asked.PE, word{before.Counter.Any, before.Counter.Value + 1}}
	}
	if !before.Counter.Any && before.Counter.Value != got.Value {
		return false, before
	}
	return true, lock{asked.PE, word{Value: got.Value + 1}}
}
