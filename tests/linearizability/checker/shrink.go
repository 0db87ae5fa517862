// SPDX-License-Identifier: BSD-3-Clause

// Finding a short part of a history that cannot be linearized, which is all that a person needs to look at.
package main

import (
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const shrinkTimeout = 5 * time.Second // of each look

// shrink returns the part, and the model that refuses it. Each step keeps the part a contradiction by itself.
func (o *object) shrink() ([]porcupine.Operation, porcupine.Model) {
	model := o.model(true)
	operations := firstPart(model, o.operations)
	if last := lastPart(o.model(false), operations); last != nil {
		model, operations = o.model(false), last
	}
	return withoutBystanders(model, operations), model
}

func refuses(model porcupine.Model, operations []porcupine.Operation) bool {
	return porcupine.CheckOperationsTimeout(model, operations, shrinkTimeout) == porcupine.Illegal
}

// until is the history as it was known at a time: what had not come back by then may have had its effect or not.
func until(operations []porcupine.Operation, end int64) []porcupine.Operation {
	var part []porcupine.Operation
	for _, operation := range operations {
		if operation.Call > end {
			continue
		}
		if operation.Return > end {
			if operation.Input.(input).Kind == read {
				continue
			}
			operation.Return = never
			operation.Output = output{Outcome: pending}
		}
		part = append(part, operation)
	}
	return part
}

// firstPart: if a history is refused at a time, it is at all later ones.
func firstPart(model porcupine.Model, operations []porcupine.Operation) []porcupine.Operation {
	var ends []int64
	for _, operation := range operations {
		if operation.Return != never {
			ends = append(ends, operation.Return)
		}
	}
	sort.Slice(ends, func(a, b int) bool { return ends[a] < ends[b] })
	first := sort.Search(len(ends), func(i int) bool { return refuses(model, until(operations, ends[i])) })
	if first == len(ends) {
		return operations
	}
	return until(operations, ends[first])
}

// from leaves out what had come back before a time.
func from(operations []porcupine.Operation, begin int64) []porcupine.Operation {
	var part []porcupine.Operation
	for _, operation := range operations {
		if operation.Return >= begin {
			part = append(part, operation)
		}
	}
	return part
}

// lastPart cuts at a time when nothing was under way but what never came back, so that all that was before is in the
// state, whatever that is. If a history is refused from such a time on, it is from all earlier ones. nil: from none.
func lastPart(model porcupine.Model, operations []porcupine.Operation) []porcupine.Operation {
	var begins []int64
	latest := int64(0)
	for _, operation := range operations {
		if operation.Call > latest {
			begins = append(begins, operation.Call)
		}
		if operation.Return != never && operation.Return > latest {
			latest = operation.Return
		}
	}
	accepted := sort.Search(len(begins), func(i int) bool { return !refuses(model, from(operations, begins[i])) })
	if accepted == 0 {
		return nil
	}
	return from(operations, begins[accepted-1])
}

// withoutBystanders leaves out what changes nothing, as long as the rest is refused without it.
func withoutBystanders(model porcupine.Model, operations []porcupine.Operation) []porcupine.Operation {
	for i := len(operations) - 1; i >= 0; i-- {
		if !changesNothing(operations[i]) {
			continue
		}
		rest := append(append([]porcupine.Operation{}, operations[:i]...), operations[i+1:]...)
		if refuses(model, rest) {
			operations = rest
		}
	}
	return operations
}

func changesNothing(operation porcupine.Operation) bool {
	asked, got := operation.Input.(input), operation.Output.(output)
	switch asked.Kind {
	case read:
		return true
	case compareSwap:
		return got.Outcome == done && got.Value != asked.Comparand
	default:
		return got.Outcome == busy || got.Outcome == timedOut || got.Outcome == broken
	}
}
