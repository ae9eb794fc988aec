// The lines of a lane view: steps that are shown, and folds for those that are not.

import type { Schedule } from './schedule';
import type { Trace } from './trace';

export type Line =
  | { type: 'step'; position: number; row: number; number: number; note?: string } // note: of its value, instead of the recorded one
  | { type: 'together'; rows: number[]; number: number } // at once
  | { type: 'blocked'; rows: number[] } // for ever
  | { type: 'fold'; begin: number; end: number; steps: number; hidden: number };

// Positions of the schedule that the user has unfolded, as ranges.
export type Opened = { begin: number; end: number }[];

// A fold of one step would take as much room as the step.
const SHORTEST_FOLD = 2;

// Asking for a lock right before getting it.
export function isQuiet(trace: Trace, row: number): boolean {
  const kind = trace.kind(row);
  return kind === 'req' || kind === 'sreq';
}

// Steps between shown ones that are all `quiet` are not worth a line of their own.
export function linesOf(
  schedule: Schedule,
  shown: (row: number) => boolean,
  quiet: (row: number) => boolean,
  opened: Opened,
): Line[] {
  const { rows, numbers } = schedule;
  const end = rows.length - schedule.together;
  const lines: Line[] = [];
  let folded = -1; // where the present fold began
  const isOpen = (position: number) => opened.some((o) => position >= o.begin && position < o.end);

  const step = (position: number): Line => {
    const row = rows[position];
    const note = schedule.changed?.row === row ? schedule.changed.note : undefined;
    return { type: 'step', position, row, number: numbers[position], note };
  };

  const close = (position: number) => {
    if (folded < 0) {
      // Steps that the page has not still count.
      const before = position === 0 ? 0 : numbers[position - 1];
      const missing = (position < rows.length ? numbers[position] : schedule.steps + 1) - before - 1;
      if (missing > 0) lines.push({ type: 'fold', begin: position, end: position, steps: missing, hidden: missing });
      return;
    }
    const before = folded === 0 ? 0 : numbers[folded - 1];
    const after = position < rows.length ? numbers[position] : schedule.steps + 1;
    const steps = after - before - 1;
    if (position - folded === steps && rows.subarray(folded, position).every(quiet)) {
      folded = -1;
      return;
    }
    if (position - folded < SHORTEST_FOLD && steps === position - folded) {
      for (let p = folded; p < position; p++) lines.push(step(p));
    } else {
      lines.push({ type: 'fold', begin: folded, end: position, steps, hidden: steps - (position - folded) });
    }
    folded = -1;
  };

  for (let p = 0; p < end; p++) {
    if (!shown(rows[p]) && !(opened.length > 0 && isOpen(p))) {
      if (folded < 0) folded = p;
      continue;
    }
    close(p);
    lines.push(step(p));
  }
  if (schedule.together > 0) {
    close(end);
    lines.push({ type: 'together', rows: [...rows.subarray(end)], number: numbers[end] });
  } else {
    close(rows.length);
  }
  if (schedule.blocked.length > 0) lines.push({ type: 'blocked', rows: schedule.blocked });
  return lines;
}

export function rowsOf(line: Line): number[] {
  if (line.type === 'fold') return [];
  return line.type === 'step' ? [line.row] : line.rows;
}

// Threads that the shown lines are about, in the order of their numbers.
export function lanesOf(trace: Trace, lines: Line[]): number[] {
  const threads = new Set<number>();
  for (const line of lines) for (const row of rowsOf(line)) threads.add(trace.thread(row));
  return [...threads].sort((a, b) => a - b);
}
