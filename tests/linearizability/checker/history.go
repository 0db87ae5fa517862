// SPDX-License-Identifier: BSD-3-Clause

// Reading the histories that PEs leave: ../history.h has the layout.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/anishathalye/porcupine"
)

type kind uint32

const (
	add kind = iota + 1
	swap
	compareSwap
	read
	write
	addBlindly
	acquire
	tryAcquire
	acquireTimed
	release
	count
	minimum
	maximum
)

type outcome uint32

const (
	pending outcome = iota
	done
	busy
	timedOut
	broken
	unknown
)

// input is what was asked for.
type input struct {
	PE        int
	Kind      kind
	Argument  uint64
	Comparand uint64
}

// output is what came back.
type output struct {
	Outcome outcome
	Value   uint64
}

// uncertain: whether it has taken effect cannot be known; it may yet do so at any later time.
func (o output) uncertain() bool { return o.Outcome == pending || o.Outcome == unknown }

const (
	historyMagic = 0x314F545349484C53
	objectsMax   = 16
	wordKind     = 100
	pairKind     = 101
	hybridKind   = 3
	never        = math.MaxInt64
)

type fileHeader struct {
	Magic    uint64
	Rank     uint32
	Ranks    uint32
	Recorded uint64
	Ended    uint32
	Objects  uint32
	Object   [objectsMax]objectHeader
	_        [4]uint64
}

type objectHeader struct{ Kind, Home uint32 }

func (o objectHeader) isLock() bool { return int(o.Kind) < len(lockNames) }

type fileRecord struct {
	CallNs, ReturnNs           uint64
	Object, Operation          uint32
	Argument, Comparand, Value uint64
	Outcome                    uint32
	_                          [3]uint32
}

// object is a word or a lock, with everything that was done to it: a partition of the history.
type object struct {
	objectHeader
	number     int
	operations []porcupine.Operation
}

var lockNames = []string{"mcs", "local-release", "ticket", "hybrid"}

func (o *object) name() string {
	switch o.Kind {
	case wordKind:
		return fmt.Sprintf("word %d at PE %d", o.number, o.Home)
	case pairKind:
		return fmt.Sprintf("pair %d at PE %d", o.number, o.Home)
	}
	return fmt.Sprintf("%s lock at PE %d", lockNames[o.Kind], o.Home)
}

type history struct {
	objects []object
	ranks   int
	dead    []int // PEs that did not come to their end
}

// readHistory reads pe-0, pe-1, ... of a folder.
func readHistory(folder string) (*history, error) {
	names, err := filepath.Glob(filepath.Join(folder, "pe-*"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no history in %s", folder)
	}
	all := &history{ranks: len(names)}
	for rank := range names {
		if err := all.readFile(filepath.Join(folder, fmt.Sprintf("pe-%d", rank)), rank); err != nil {
			return nil, err
		}
	}
	for i := range all.objects {
		operations := all.objects[i].operations
		sort.SliceStable(operations, func(a, b int) bool { return operations[a].Call < operations[b].Call })
	}
	return all, nil
}

func (h *history) readFile(name string, rank int) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	reader := bytes.NewReader(content)
	var header fileHeader
	if err := binary.Read(reader, binary.LittleEndian, &header); err != nil || header.Magic != historyMagic {
		return fmt.Errorf("%s is not a history", name)
	}
	if int(header.Rank) != rank || int(header.Ranks) != h.ranks {
		return fmt.Errorf("%s is of PE %d of %d, not of %d of %d", name, header.Rank, header.Ranks, rank, h.ranks)
	}
	if err := h.meetObjects(name, header); err != nil {
		return err
	}
	if header.Ended == 0 {
		h.dead = append(h.dead, rank)
	}
	if header.Recorded > uint64(reader.Len()/binary.Size(fileRecord{})) {
		return fmt.Errorf("%s ends before its %d records do", name, header.Recorded)
	}
	records := make([]fileRecord, header.Recorded)
	if err := binary.Read(reader, binary.LittleEndian, records); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, record := range records {
		if err := h.take(record, rank); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// meetObjects: all PEs have the same objects in the same order.
func (h *history) meetObjects(name string, header fileHeader) error {
	if header.Objects > objectsMax {
		return fmt.Errorf("%s has %d objects", name, header.Objects)
	}
	for i, found := range header.Object[:header.Objects] {
		if !found.isLock() && found.Kind != wordKind && found.Kind != pairKind {
			return fmt.Errorf("%s: there is no kind %d of object", name, found.Kind)
		}
		if header.Rank == 0 {
			h.objects = append(h.objects, object{objectHeader: found, number: i})
		}
	}
	for i := range h.objects {
		if i >= int(header.Objects) || h.objects[i].objectHeader != header.Object[i] {
			return fmt.Errorf("%s does not have the objects of PE 0", name)
		}
	}
	return nil
}

func (h *history) take(record fileRecord, rank int) error {
	if record.CallNs == 0 {
		return nil // its PE was killed before it began
	}
	if int(record.Object) >= len(h.objects) || kind(record.Operation) < add || kind(record.Operation) > maximum ||
		outcome(record.Outcome) > unknown {
		return fmt.Errorf("a record of operation %d on object %d with outcome %d makes no sense",
			record.Operation, record.Object, record.Outcome)
	}
	asked := input{rank, kind(record.Operation), record.Argument, record.Comparand}
	got := output{outcome(record.Outcome), record.Value}
	if record.ReturnNs == 0 {
		got = output{Outcome: pending}
	}
	returned := int64(record.ReturnNs)
	if got.uncertain() {
		if asked.Kind == read {
			return nil // neither result nor effect
		}
		returned = never
	}
	to := &h.objects[record.Object]
	to.operations = append(to.operations, porcupine.Operation{
		ClientId: rank, Input: asked, Call: int64(record.CallNs), Output: got, Return: returned})
	return nil
}
