// SPDX-License-Identifier: BSD-3-Clause

// Operations in words, for people.
package main

import "fmt"

func describeOperation(asked, got interface{}) string {
	return fmt.Sprintf("%s -> %s", describeInput(asked.(input)), describeOutput(asked.(input), got.(output)))
}

func describeInput(asked input) string {
	names := [...]string{"", "add", "swap", "compare&swap", "read", "write", "add", "acquire", "try_acquire",
		"acquire_timed", "release", "count", "min", "max"}
	name := names[asked.Kind]
	switch asked.Kind {
	case add, addBlindly, swap, write, minimum, maximum:
		return fmt.Sprintf("%s(%#x)", name, asked.Argument)
	case compareSwap:
		return fmt.Sprintf("%s(%#x, %#x)", name, asked.Comparand, asked.Argument)
	default:
		return name
	}
}

func describeOutput(asked input, got output) string {
	switch got.Outcome {
	case pending, unknown:
		return "?"
	case busy:
		return "busy"
	case timedOut:
		return "gave up"
	case broken:
		return "broken"
	}
	switch asked.Kind {
	case add, swap, compareSwap, read, minimum, maximum:
		return fmt.Sprintf("%#x", got.Value)
	case count:
		return fmt.Sprintf("%d", got.Value)
	default:
		return "done"
	}
}
