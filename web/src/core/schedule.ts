// The two orders a finding is about: the run as recorded, and the one that was predicted.

import { ByteReader, bytesOf } from './bytes';
import type { FindingData } from './data';
import type { Trace } from './trace';

export interface Schedule {
  rows: Int32Array; // in the order of the schedule
  numbers: Float64Array; // of each: which step it is, from 1
  steps: number; // in all, also those the page has not
  // How many of the last rows happen at once: the accesses of a race.
  together: number;
  // Events that never happen, because the thread of each is blocked there: a deadlock.
  blocked: number[];
  // A read that returns something else here than in the recorded run, and what to say of it.
  changed?: { row: number; note: string };
}

export function recordedSchedule(trace: Trace): Schedule {
  const rows = new Int32Array(trace.rows);
  const numbers = new Float64Array(trace.rows);
  for (let row = 0; row < trace.rows; row++) {
    rows[row] = row;
    numbers[row] = trace.index[row] + 1;
  }
  return { rows, numbers, steps: trace.events, together: 0, blocked: [] };
}

function changedRead(trace: Trace, finding: FindingData): Schedule['changed'] {
  if (finding.kind !== 'nondeterminism') return undefined;
  const [read, write] = finding.events;
  const was = read.value === undefined ? '' : `, not ${read.value}`;
  return { row: trace.rowAt(read.index), note: `= ${write ? (write.value ?? 'another value') : 'initial value'}${was}` };
}

export function predictedSchedule(trace: Trace, finding: FindingData): Schedule | undefined {
  if (!finding.predicted) return undefined;
  const { prefix, runs, bytes, steps } = finding.predicted;
  const rows: number[] = [];
  const numbers: number[] = [];
  const end = trace.rowFrom(prefix);
  for (let row = 0; row < end; row++) {
    rows.push(row);
    numbers.push(trace.index[row] + 1);
  }
  const reader = new ByteReader(bytesOf(bytes));
  let number = 0;
  let row = 0;
  for (let run = 0; run < runs; run++) {
    number += reader.number();
    row += reader.signed();
    const more = reader.number();
    for (let i = 0; i <= more; i++) {
      rows.push(row + i);
      numbers.push(number + i + 1);
    }
  }
  const isDeadlock = finding.kind === 'deadlock';
  return {
    rows: Int32Array.from(rows),
    numbers: Float64Array.from(numbers),
    steps,
    together: finding.kind === 'race' || finding.kind === 'memory' ? 2 : 0,
    changed: changedRead(trace, finding),
    blocked: isDeadlock ? finding.events.map((e) => trace.rowAt(e.index)).filter((r) => r >= 0) : [],
  };
}
