// SPDX-License-Identifier: BSD-3-Clause

// Checks the histories that the PEs of a job have left in a folder for linearizability, with porcupine.
//
//	checker check [-killed PE] [-timeout 20s] FOLDER    looks for an order that explains every result
//	checker damage [-seed N] [-times N] FOLDER          damages the histories, and looks whether the check refuses them
//
// The exit code is 0 if all is well, 1 if not, 2 if the check could not be made.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

func main() {
	if len(os.Args) < 2 || (os.Args[1] != "check" && os.Args[1] != "damage") {
		stop("usage: checker check|damage [OPTION...] FOLDER")
	}
	flags := flag.NewFlagSet("checker "+os.Args[1], flag.ExitOnError)
	killed := flags.Int("killed", -1, "the PE that was killed")
	timeout := flags.Duration("timeout", 20*time.Second, "for each object")
	seed := flags.Int64("seed", 1, "of where the damage is done")
	times := flags.Int("times", 3, "that each kind of damage is done to each object")
	_ = flags.Parse(os.Args[2:])
	if flags.NArg() != 1 {
		stop("one folder with histories is needed")
	}
	history, err := readHistory(flags.Arg(0))
	if err != nil {
		stop(err.Error())
	}
	well := true
	if os.Args[1] == "check" {
		well = checkAll(history, flags.Arg(0), *killed, *timeout)
	} else {
		well = damageAll(history, rand.New(rand.NewSource(*seed)), *times, *timeout)
	}
	if !well {
		os.Exit(1)
	}
}

func stop(sentence string) {
	fmt.Fprintln(os.Stderr, "checker:", sentence)
	os.Exit(2)
}

// checkAll checks every object, those behind one that is refused too.
func checkAll(all *history, folder string, killed int, timeout time.Duration) bool {
	well := diedAsExpected(all.dead, killed)
	together := 0
	for i := range all.objects {
		o := &all.objects[i]
		began := time.Now()
		result := o.check(timeout)
		fmt.Printf("%s: %d operations, %d of them uncertain, up to %d at a time: %s in %d ms\n", o.name(),
			len(o.operations), o.uncertain(), o.together(), verdict(result), time.Since(began).Milliseconds())
		well = well && result == porcupine.Ok && len(o.operations) > 0
		if o.together() > together {
			together = o.together()
		}
		if result == porcupine.Illegal {
			if err := explain(os.Stdout, o, folder); err != nil {
				stop(err.Error())
			}
		}
	}
	if killed >= 0 {
		later := all.laterThan(killed)
		fmt.Printf("PE %d was killed; the others then did %d operations\n", killed, later)
		well = well && later > 0
	}
	if together < 2 {
		fmt.Println("No two operations ever were under way together: that proves nothing.")
		return false
	}
	return well
}

func verdict(result porcupine.CheckResult) string {
	switch result {
	case porcupine.Ok:
		return "linearizable"
	case porcupine.Illegal:
		return "NOT LINEARIZABLE"
	default:
		return "NOT DECIDED within the time: fewer operations, or a longer -timeout"
	}
}

func diedAsExpected(dead []int, killed int) bool {
	expected := killed < 0 && len(dead) == 0 || len(dead) == 1 && dead[0] == killed
	if !expected {
		fmt.Printf("The PEs %v did not come to the end of their histories; PE %d should not (-1: all should).\n", dead,
			killed)
	}
	return expected
}

// damageAll does each kind of damage to each object it is for, and expects to see it refused, and what is refused cut
// down to something that still is.
func damageAll(all *history, random *rand.Rand, times int, timeout time.Duration) bool {
	done := map[string]int{}
	well := true
	for i := range all.objects {
		o := &all.objects[i]
		for _, damage := range damages {
			if damage.locks != o.isLock() {
				continue
			}
			for n := 0; n < times; n++ {
				damaged := object{o.objectHeader, o.number, damage.do(o.operations, random)}
				if damaged.operations == nil {
					continue
				}
				done[damage.name]++
				well = refused(&damaged, damage.name, timeout) && well
			}
		}
	}
	for _, damage := range damages {
		if damage.locks == all.objects[0].isLock() {
			fmt.Printf("%s: done %d times\n", damage.name, done[damage.name])
			well = well && done[damage.name] > 0
		}
	}
	return well
}

func refused(damaged *object, name string, timeout time.Duration) bool {
	if result := damaged.check(timeout); result != porcupine.Illegal {
		fmt.Printf("%s with %s: %s\n", damaged.name(), name, verdict(result))
		return false
	}
	if part, model := damaged.shrink(); !refuses(model, part) || len(part) > len(damaged.operations) {
		fmt.Printf("%s with %s: the part of it to be shown is not refused\n", damaged.name(), name)
		return false
	}
	return true
}
