// SPDX-License-Identifier: BSD-3-Clause

// Checking an object's history, and counting what there was to check.
package main

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// model of an object from the beginning of its history, or from a moment in it of which nothing is known.
func (o *object) model(fromTheBeginning bool) porcupine.Model {
	if !o.isLock() {
		return wordModel(word{Any: !fromTheBeginning})
	}
	initial := lock{Holder: noHolder}
	if !fromTheBeginning {
		initial = lock{unknownHolder, word{Any: true}}
	}
	return lockModel(initial, o.Kind != hybridKind)
}

func (o *object) check(timeout time.Duration) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(o.model(true), o.operations, timeout)
}

// uncertain counts the operations whose fate no PE knows.
func (o *object) uncertain() int {
	total := 0
	for _, operation := range o.operations {
		if operation.Output.(output).uncertain() {
			total++
		}
	}
	return total
}

// together is the largest number of operations, all of which have come back, that were under way at one time.
func (o *object) together() int {
	lanes := []int64{}
	for _, operation := range o.operations {
		if operation.Return != never {
			lanes = place(lanes, operation)
		}
	}
	return len(lanes)
}

// laterThan counts what was begun, by others, after all that a PE has begun.
func (h *history) laterThan(pe int) int {
	last, later := int64(0), 0
	for _, o := range h.objects {
		for _, operation := range o.operations {
			if operation.ClientId == pe && operation.Call > last {
				last = operation.Call
			}
		}
	}
	for _, o := range h.objects {
		for _, operation := range o.operations {
			if operation.Call > last {
				later++
			}
		}
	}
	return later
}

// place finds a lane that is free when the operation begins, or adds one, and occupies it. Operations come by the times
// of their calls.
func place(lanes []int64, operation porcupine.Operation) []int64 {
	for i := range lanes {
		if lanes[i] < operation.Call {
			lanes[i] = operation.Return
			return lanes
		}
	}
	return append(lanes, operation.Return)
}
