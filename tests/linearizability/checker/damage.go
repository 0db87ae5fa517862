// SPDX-License-Identifier: BSD-3-Clause

// Damage to a history, as faults of the implementation would do it. A checker that does not refuse the result is worth
// nothing. That the result must be refused is argued at each kind; all arguments need that no value is written twice and
// that what is added is small and positive, which ../pe_words.cpp sees to.
package main

import (
	"math/rand"

	"github.com/anishathalye/porcupine"
)

// damage changes a copy of a history somewhere, or returns nil if it happens to find no place.
type damage struct {
	name  string
	locks bool // else words
	do    func(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation
}

var damages = []damage{
	{"a lost update", false, loseUpdate},
	{"a doubled update", false, doubleUpdate},
	{"a stale read", false, makeReadStale},
	{"a flipped bit", false, flipBit},
	{"two holders", true, forgetRelease},
	{"an early grant", true, grantEarly},
	{"a lost count", true, loseCount},
}

func at(operations []porcupine.Operation, i int) (input, output) {
	return operations[i].Input.(input), operations[i].Output.(output)
}

// draw picks one that suits.
func draw(operations []porcupine.Operation, random *rand.Rand, suits func(i int) bool) int {
	for tries := 0; tries < 200; tries++ {
		if i := random.Intn(len(operations)); operations[i].Return != never && suits(i) {
			return i
		}
	}
	return -1
}

// drawPair picks two that suit, the first over before the second begins.
func drawPair(operations []porcupine.Operation, random *rand.Rand, first, second func(i int) bool) (int, int) {
	a := draw(operations, random, first)
	if a < 0 {
		return -1, -1
	}
	return a, draw(operations, random, func(i int) bool { return operations[a].Return < operations[i].Call && second(i) })
}

func withValue(operations []porcupine.Operation, i int, value uint64) []porcupine.Operation {
	changed := append([]porcupine.Operation{}, operations...)
	_, got := at(operations, i)
	got.Value = value
	changed[i].Output = got
	return changed
}

// changesWhatItSaw: an add or a swap, of which the value before is known and never comes again.
func changesWhatItSaw(operations []porcupine.Operation, i int) bool {
	asked, _ := at(operations, i)
	return asked.Kind == add || asked.Kind == swap
}

// loseUpdate: the later update finds what the earlier one found.
func loseUpdate(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	updates := func(i int) bool { return changesWhatItSaw(operations, i) }
	a, b := drawPair(operations, random, updates, updates)
	if b < 0 {
		return nil
	}
	_, got := at(operations, a)
	return withValue(operations, b, got.Value)
}

// makeReadStale: a read finds what an earlier update has replaced.
func makeReadStale(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	a, b := drawPair(operations, random,
		func(i int) bool { return changesWhatItSaw(operations, i) },
		func(i int) bool { asked, _ := at(operations, i); return asked.Kind == read })
	if b < 0 {
		return nil
	}
	_, got := at(operations, a)
	return withValue(operations, b, got.Value)
}

// doubleUpdate: an add was executed twice, and the result is the second one's. Only another add of the same amount could
// have brought the word there; those whose results are known have theirs to account for, so it is refused if there was
// none without a result since the word was last written.
func doubleUpdate(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	i := draw(operations, random, func(i int) bool {
		asked, got := at(operations, i)
		return asked.Kind == add && !blindBetween(operations, lastWritten(operations, got.Value), operations[i].Return)
	})
	if i < 0 {
		return nil
	}
	asked, got := at(operations, i)
	return withValue(operations, i, got.Value+asked.Argument)
}

// lastWritten is when what the value grew from began to be written.
func lastWritten(operations []porcupine.Operation, value uint64) int64 {
	const growth = 1<<24 - 1
	for _, operation := range operations {
		asked := operation.Input.(input)
		if asked.Kind != add && asked.Kind != addBlindly && asked.Argument == value&^growth && asked.Argument != 0 {
			return operation.Call
		}
	}
	return 0
}

func blindBetween(operations []porcupine.Operation, begin, end int64) bool {
	for _, operation := range operations {
		asked, got := operation.Input.(input), operation.Output.(output)
		blind := asked.Kind == addBlindly || (asked.Kind == add && got.uncertain())
		if blind && operation.Call <= end && operation.Return >= begin {
			return true
		}
	}
	return false
}

// flipBit: a read returns a value that no operation ever wrote.
func flipBit(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	i := draw(operations, random, func(i int) bool {
		asked, _ := at(operations, i)
		return asked.Kind == read || changesWhatItSaw(operations, i)
	})
	if i < 0 {
		return nil
	}
	_, got := at(operations, i)
	return withValue(operations, i, got.Value^1<<(40+random.Intn(8)))
}

// forgetRelease: a PE acquires a lock that has not been released.
func forgetRelease(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	a, b := drawPair(operations, random,
		func(i int) bool { asked, _ := at(operations, i); return asked.Kind == release },
		func(i int) bool { return acquires(operations, i) })
	if b < 0 {
		return nil
	}
	return append(append([]porcupine.Operation{}, operations[:a]...), operations[a+1:]...)
}

func acquires(operations []porcupine.Operation, i int) bool {
	asked, got := at(operations, i)
	return asked.Kind >= acquire && asked.Kind <= acquireTimed && got.Outcome == done
}

// grantEarly: the acquire of one PE has come back while another PE was counting.
func grantEarly(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	a, b := drawPair(operations, random,
		func(i int) bool { asked, _ := at(operations, i); return asked.Kind == count },
		func(i int) bool { return acquires(operations, i) })
	if b < 0 || operations[a].ClientId == operations[b].ClientId {
		return nil
	}
	changed := append([]porcupine.Operation{}, operations...)
	changed[b].Call, changed[b].Return = operations[a].Call, operations[a].Call
	return changed
}

// loseCount: the later section read what the earlier one did.
func loseCount(operations []porcupine.Operation, random *rand.Rand) []porcupine.Operation {
	counts := func(i int) bool { asked, _ := at(operations, i); return asked.Kind == count }
	a, b := drawPair(operations, random, counts, counts)
	if b < 0 {
		return nil
	}
	_, got := at(operations, a)
	return withValue(operations, b, got.Value)
}
