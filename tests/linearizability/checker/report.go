// SPDX-License-Identifier: BSD-3-Clause

// The report about a history that is refused.
package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"io"

	"github.com/anishathalye/porcupine"
)

// explain prints a short part of the object's history that cannot be linearized, and draws it beside the histories.
func explain(to io.Writer, o *object, folder string) error {
	operations, model := o.shrink()
	fmt.Fprintf(to, "These %d of its %d operations cannot be put into any order:\n", len(operations), len(o.operations))
	printOperations(to, operations)
	picture := filepath.Join(folder, fmt.Sprintf("refused-%d.html", o.number))
	_, info := porcupine.CheckOperationsVerbose(model, inLanes(operations), shrinkTimeout)
	if err := porcupine.VisualizePath(model, info, picture); err != nil {
		return err
	}
	fmt.Fprintf(to, "Drawn in %s\n", picture)
	return nil
}

func printOperations(to io.Writer, operations []porcupine.Operation) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  PE\tcalled, us\treturned, us\toperation")
	for _, operation := range operations {
		returned := "never"
		if operation.Return != never {
			returned = microseconds(operation.Return - operations[0].Call)
		}
		fmt.Fprintf(table, "  %d\t%s\t%s\t%s\n", operation.Input.(input).PE,
			microseconds(operation.Call-operations[0].Call), returned,
			describeOperation(operation.Input, operation.Output))
	}
	table.Flush()
}

func microseconds(ns int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.3f", float64(ns)/1000), ".000")
}

// inLanes gives each PE a row of the picture for every operation that it had under way at a time.
func inLanes(operations []porcupine.Operation) []porcupine.Operation {
	drawn := append([]porcupine.Operation{}, operations...)
	free := map[int]int64{} // row -> when it is free
	for i := range drawn {
		row := drawn[i].Input.(input).PE * 16
		for free[row] >= drawn[i].Call {
			row++
		}
		free[row] = drawn[i].Return
		drawn[i].ClientId = row
	}
	return drawn
}
