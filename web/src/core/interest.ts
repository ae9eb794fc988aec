// Which steps a finding is told with; all others are folded.
//
// The events of the finding and what ordered them; the locks around them; other accesses of the same
// location nearby; where their threads were created and joined; the block that should be atomic.

import type { FindingData } from './data';
import type { Trace } from './trace';
import { isAccess, isWrite } from './words';

// Of operations on the same lock or location: N on each side of an event, in its thread.
const NEARBY = 6;

export function interestingRows(trace: Trace, finding: FindingData): Set<number> {
  const rows = new Set<number>();
  const add = (index: number): number => {
    const row = trace.rowAt(index);
    if (row >= 0) rows.add(row);
    return row;
  };
  const events = finding.events.map((e) => add(e.index)).filter((row) => row >= 0);
  for (const edge of finding.recorded?.path ?? []) {
    events.push(add(edge.from.index), add(edge.to.index));
  }
  const anchors = events.filter((row) => row >= 0);
  const threads = new Set(anchors.map((row) => trace.thread(row)));
  const objects = new Set<number>();
  for (const row of anchors) {
    if (isAccess(trace.kind(row)) || isLock(trace.kind(row))) objects.add(trace.object(row));
    for (const held of trace.held(row)) {
      objects.add(held.lock);
      rows.add(held.row);
    }
  }
  for (const row of anchors) addNearby(trace, row, objects, rows);
  if (finding.kind === 'deadlock') addHelpers(trace, anchors, rows);
  addLives(trace, threads, rows);
  if (finding.kind === 'atomicity' && anchors.length > 0) addBlock(trace, anchors, rows);
  return rows;
}

function isLock(kind: string): boolean {
  return kind === 'acq' || kind === 'rel' || kind === 'sacq' || kind === 'srel';
}

// Asking for a lock says no more than getting it.
function tells(trace: Trace, row: number, objects: Set<number>): boolean {
  const kind = trace.kind(row);
  if (kind === 'req' || kind === 'sreq') return false;
  return objects.has(trace.object(row)) || objects.has(trace.detail(row));
}

function addNearby(trace: Trace, anchor: number, objects: Set<number>, rows: Set<number>): void {
  const thread = trace.thread(anchor);
  const farthest = 20_000;
  for (const direction of [-1, 1]) {
    let left = NEARBY;
    for (let row = anchor + direction, seen = 0; left > 0 && seen < farthest; row += direction, seen++) {
      if (row < 0 || row >= trace.rows) break;
      if (trace.thread(row) !== thread || !tells(trace, row, objects)) continue;
      rows.add(row);
      left--;
    }
  }
}

// What could have helped the stuck threads and came too early, or what they last looked at: the operations of
// others on what they wait for, and their own last accesses and waits before it.
function addHelpers(trace: Trace, anchors: number[], rows: Set<number>): void {
  for (const anchor of anchors) {
    if (isLock(trace.kind(anchor)) || trace.kind(anchor) === 'join') continue;
    const awaited = trace.object(anchor);
    const looked = new Set<number>();
    for (let row = anchor - 1, left = 3; row >= 0 && left > 0; row--) {
      if (trace.thread(row) !== trace.thread(anchor)) continue;
      if (!isAccess(trace.kind(row)) && trace.object(row) !== awaited) continue;
      if (isAccess(trace.kind(row))) looked.add(trace.object(row));
      rows.add(row);
      left--;
    }
    let left = 4 * NEARBY;
    for (let row = 0; row < trace.rows && left > 0; row++) {
      if (trace.thread(row) === trace.thread(anchor)) continue;
      const changes = isWrite(trace.kind(row)) && looked.has(trace.object(row));
      if (trace.object(row) !== awaited && !changes) continue;
      rows.add(row);
      left--;
    }
  }
}

function addLives(trace: Trace, threads: Set<number>, rows: Set<number>): void {
  const names = new Set([...threads].map((t) => trace.data.threads[t].id));
  for (let row = 0; row < trace.rows; row++) {
    const kind = trace.kind(row);
    if ((kind === 'fork' || kind === 'join') && names.has(trace.objectName(trace.object(row)))) rows.add(row);
    if (kind === 'start' && trace.thread(row) > 0 && threads.has(trace.thread(row))) rows.add(row);
  }
}

// From the block's begin before the first event to its end after the last one of the same thread.
export function blockAround(trace: Trace, anchors: number[]): { begin: number; end: number; thread: number } {
  const thread = trace.thread(anchors[0]);
  const mine = anchors.filter((row) => trace.thread(row) === thread);
  let begin = Math.min(...mine);
  let end = Math.max(...mine);
  let depth = 0;
  for (let row = begin; row >= 0; row--) {
    if (trace.thread(row) !== thread) continue;
    const kind = trace.kind(row);
    if (kind === 'end') depth++;
    if (kind === 'beg' && depth-- === 0) {
      begin = row;
      break;
    }
  }
  depth = 0;
  for (let row = end; row < trace.rows; row++) {
    if (trace.thread(row) !== thread) continue;
    const kind = trace.kind(row);
    if (kind === 'beg' && row !== begin) depth++;
    if (kind === 'end' && depth-- === 0) {
      end = row;
      break;
    }
  }
  return { begin, end, thread };
}

function addBlock(trace: Trace, anchors: number[], rows: Set<number>): void {
  const { begin, end } = blockAround(trace, anchors);
  rows.add(begin);
  rows.add(end);
}
