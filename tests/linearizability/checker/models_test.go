// SPDX-License-Identifier: BSD-3-Clause

// Method: short histories by hand, each with what a word or a lock may and may not do.
package main

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// step is an operation that was under way from one time to another.
func step(pe int, from, to int64, what kind, argument, comparand uint64, got output) porcupine.Operation {
	return porcupine.Operation{ClientId: pe, Input: input{pe, what, argument, comparand}, Call: from, Output: got,
		Return: to}
}

func value(v uint64) output { return output{done, v} }

var finished = output{Outcome: done}

type testCase struct {
	name     string
	kind     uint32
	accepted bool
	steps    []porcupine.Operation
}

const mcsKind = 0

var testCases = []testCase{
	{"adds in a row", wordKind, true, []porcupine.Operation{
		step(0, 0, 1, add, 2, 0, value(0)), step(1, 2, 3, add, 1, 0, value(2)), step(0, 4, 5, read, 0, 0, value(3))}},
	{"adds at one time, in either order", wordKind, true, []porcupine.Operation{
		step(0, 0, 9, add, 2, 0, value(1)), step(1, 0, 9, add, 1, 0, value(0)), step(0, 10, 11, read, 0, 0, value(3))}},
	{"a lost update", wordKind, false, []porcupine.Operation{
		step(0, 0, 9, add, 1, 0, value(0)), step(1, 0, 9, add, 1, 0, value(0))}},
	{"a doubled update", wordKind, false, []porcupine.Operation{
		step(0, 0, 1, add, 1, 0, value(0)), step(1, 2, 3, read, 0, 0, value(2))}},
	{"an update doubled later", wordKind, false, []porcupine.Operation{
		step(0, 0, 1, swap, 7, 0, value(0)), step(1, 2, 3, swap, 8, 0, value(7)), step(1, 4, 5, read, 0, 0, value(7))}},
	{"a stale read", wordKind, false, []porcupine.Operation{
		step(0, 0, 1, write, 7, 0, finished), step(1, 2, 3, read, 0, 0, value(0))}},
	{"a read while it is written, of either", wordKind, true, []porcupine.Operation{
		step(0, 0, 9, write, 7, 0, finished), step(1, 1, 2, read, 0, 0, value(0)), step(1, 3, 4, read, 0, 0, value(7))}},
	{"a read that goes back while it is written", wordKind, false, []porcupine.Operation{
		step(0, 0, 9, write, 7, 0, finished), step(1, 1, 2, read, 0, 0, value(7)), step(1, 3, 4, read, 0, 0, value(0))}},
	{"two compare&swaps that hit the same", wordKind, false, []porcupine.Operation{
		step(0, 0, 9, compareSwap, 5, 0, value(0)), step(1, 0, 9, compareSwap, 6, 0, value(0))}},
	{"a compare&swap that hits, one that misses", wordKind, true, []porcupine.Operation{
		step(0, 0, 9, compareSwap, 5, 0, value(0)), step(1, 0, 9, compareSwap, 6, 0, value(5)),
		step(1, 10, 11, read, 0, 0, value(5))}},
	{"a compare&swap that missed and wrote", wordKind, false, []porcupine.Operation{
		step(0, 0, 1, compareSwap, 5, 3, value(0)), step(1, 2, 3, read, 0, 0, value(5))}},
	{"an add without a result", wordKind, true, []porcupine.Operation{
		step(0, 0, 1, addBlindly, 3, 0, finished), step(1, 2, 3, read, 0, 0, value(3))}},
	{"an add without a result, lost", wordKind, false, []porcupine.Operation{
		step(0, 0, 1, addBlindly, 3, 0, finished), step(1, 2, 3, read, 0, 0, value(0))}},
	{"an add that was never answered, executed late", wordKind, true, []porcupine.Operation{
		step(0, 0, never, add, 3, 0, output{Outcome: pending}), step(1, 2, 3, read, 0, 0, value(0)),
		step(1, 4, 5, read, 0, 0, value(3))}},
	{"an add that was never answered, never executed", wordKind, true, []porcupine.Operation{
		step(0, 0, never, add, 3, 0, output{Outcome: unknown}), step(1, 2, 3, read, 0, 0, value(0))}},
	{"an add that was never answered, executed twice", wordKind, false, []porcupine.Operation{
		step(0, 0, never, add, 3, 0, output{Outcome: unknown}), step(1, 2, 3, read, 0, 0, value(6))}},
	{"an add that was never answered, undone", wordKind, false, []porcupine.Operation{
		step(0, 0, never, add, 3, 0, output{Outcome: unknown}), step(1, 2, 3, read, 0, 0, value(3)),
		step(1, 4, 5, read, 0, 0, value(0))}},
	{"a compare&swap that was never answered, and hit", wordKind, true, []porcupine.Operation{
		step(0, 0, never, compareSwap, 9, 0, output{Outcome: pending}), step(1, 2, 3, read, 0, 0, value(9))}},
	{"a compare&swap that was never answered, too early", wordKind, false, []porcupine.Operation{
		step(0, 4, never, compareSwap, 9, 0, output{Outcome: pending}), step(1, 2, 3, read, 0, 0, value(9))}},

	{"one after the other", mcsKind, true, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(1, 0, 7, acquire, 0, 0, finished),
		step(0, 2, 3, count, 0, 0, value(0)), step(0, 4, 5, release, 0, 0, finished),
		step(1, 8, 9, count, 0, 0, value(1)), step(1, 10, 11, release, 0, 0, finished)}},
	{"two holders", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(1, 0, 3, acquire, 0, 0, finished),
		step(0, 4, 5, release, 0, 0, finished), step(1, 4, 5, release, 0, 0, finished)}},
	{"granted before it was released", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(1, 2, 3, tryAcquire, 0, 0, finished),
		step(0, 4, 5, release, 0, 0, finished)}},
	{"a lost count", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(0, 2, 3, count, 0, 0, value(0)),
		step(0, 4, 5, release, 0, 0, finished), step(1, 6, 7, acquire, 0, 0, finished),
		step(1, 8, 9, count, 0, 0, value(0))}},
	{"released by who does not have it", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(1, 2, 3, release, 0, 0, finished)}},
	{"busy although it is free", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(0, 2, 3, release, 0, 0, finished),
		step(1, 4, 5, tryAcquire, 0, 0, output{Outcome: busy})}},
	{"busy while the hybrid's server has not looked", hybridKind, true, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(0, 2, 3, release, 0, 0, finished),
		step(1, 4, 5, tryAcquire, 0, 0, output{Outcome: busy})}},
	{"busy, gave up, broken", mcsKind, true, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(1, 2, 3, tryAcquire, 0, 0, output{Outcome: busy}),
		step(1, 4, 5, acquireTimed, 0, 0, output{Outcome: timedOut}),
		step(1, 6, 7, acquire, 0, 0, output{Outcome: broken})}},
	{"a holder that died does not release", mcsKind, false, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(0, 2, never, count, 0, 0, output{Outcome: pending}),
		step(1, 8, 9, acquire, 0, 0, finished)}},
	{"one that died releasing may have", mcsKind, true, []porcupine.Operation{
		step(0, 0, 1, acquire, 0, 0, finished), step(0, 2, never, release, 0, 0, output{Outcome: pending}),
		step(1, 8, 9, acquire, 0, 0, finished)}},
	{"one that died waiting may have been passed over", mcsKind, true, []porcupine.Operation{
		step(0, 0, never, acquire, 0, 0, output{Outcome: pending}), step(1, 2, 3, acquire, 0, 0, finished),
		step(1, 4, 5, count, 0, 0, value(0)), step(1, 6, 7, release, 0, 0, finished),
		step(2, 8, 9, acquire, 0, 0, finished)}},
}

func TestModels(t *testing.T) {
	for _, c := range testCases {
		o := object{objectHeader: objectHeader{Kind: c.kind}, operations: c.steps}
		if result := o.check(time.Minute); (result == porcupine.Ok) != c.accepted {
			t.Errorf("%s: %s", c.name, verdict(result))
		}
	}
}

// Between two long stretches that are right there is a fault; what is shown is the fault.
func TestShrink(t *testing.T) {
	o := object{objectHeader: objectHeader{Kind: wordKind}}
	for i := int64(0); i < 100; i++ {
		o.operations = append(o.operations, step(0, 10*i, 10*i+5, add, 1, 0, value(uint64(i))),
			step(1, 10*i+6, 10*i+7, read, 0, 0, value(uint64(i)+1)))
	}
	o.operations[101].Output = value(50) // before the add at 500 there were 50
	part, model := o.shrink()
	if !refuses(model, part) {
		t.Error("what is shown is not refused")
	}
	if len(part) != 2 || part[0].Call != 500 || part[1].Call != 506 {
		t.Errorf("%d operations are shown, from %d on", len(part), part[0].Call)
	}
}

// The last part begins where nothing is known, so it must not be refused for what it begins with.
func TestPartsOfRightHistories(t *testing.T) {
	for _, c := range testCases {
		o := object{objectHeader: objectHeader{Kind: c.kind}, operations: c.steps}
		for _, operation := range c.steps {
			if c.accepted && refuses(o.model(true), until(c.steps, operation.Return)) {
				t.Errorf("%s: refused until %d", c.name, operation.Return)
			}
		}
	}
}

func TestNotDecidedIsNoSuccess(t *testing.T) {
	o := object{objectHeader: objectHeader{Kind: wordKind}}
	for i := 0; i < 40; i++ { // 2^40 sets of adds, and no order of them brings 0
		o.operations = append(o.operations, step(i, 0, 9, addBlindly, 1<<i, 0, finished))
	}
	o.operations = append(o.operations, step(40, 10, 11, read, 0, 0, value(0)))
	if result := o.check(50 * time.Millisecond); result != porcupine.Unknown {
		t.Errorf("40 concurrent adds: %s", verdict(result))
	}
}
