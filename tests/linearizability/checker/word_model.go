// SPDX-License-Identifier: BSD-3-Clause

// A word: a register with fetch&add, swap, compare&swap, minimum and maximum.
package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// word is what the word holds. Where a part of a history is looked at by itself, the history does not say what it began with:
// any value will do until an operation has seen one.
type word struct {
	Any   bool
	Value uint64
}

func wordModel(initial word) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return initial },
		Step: func(state, asked, got interface{}) (bool, interface{}) {
			return stepWord(state.(word), asked.(input), got.(output))
		},
		DescribeOperation: describeOperation,
		DescribeState: func(state interface{}) string {
			if state.(word).Any {
				return "?"
			}
			return fmt.Sprintf("%#x", state.(word).Value)
		},
	}
}

// stepWord: an uncertain operation is allowed everywhere. Put behind all others it has, in effect, not happened.
func stepWord(before word, asked input, got output) (bool, word) {
	sees := asked.Kind != write && asked.Kind != addBlindly && !got.uncertain()
	if sees {
		if !before.Any && before.Value != got.Value {
			return false, before
		}
		before = word{Value: got.Value}
	}
	switch asked.Kind {
	case add, addBlindly:
		return true, word{before.Any, before.Value + asked.Argument}
	case swap, write:
		return true, word{Value: asked.Argument}
	case compareSwap:
		if !before.Any && before.Value == asked.Comparand {
			return true, word{Value: asked.Argument}
		}
		return true, before
	case minimum, maximum:
		if !before.Any && (asked.Argument < before.Value) == (asked.Kind == minimum) {
			return true, word{Value: asked.Argument}
		}
		return true, before
	case read:
		return true, before
	default:
		return false, before
	}
}
