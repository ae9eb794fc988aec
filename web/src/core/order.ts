// Happens-before in a schedule, from edges between threads and program order.
//
// Positions are those of the schedule, and every edge leads from an earlier position to a later one. So
// one pass over the edges in that order finds everything that comes after a position: a thread is reached
// by the first edge that leaves a reached part of another thread. The way back is the same from the
// other end.

import type { Schedule } from './schedule';
import { edgeKinds, lockOf, type EdgeKind, type Trace } from './trace';

export class Order {
  private byFrom: Uint32Array | undefined;

  constructor(
    readonly length: number,
    readonly threadCount: number,
    readonly thread: (position: number) => number,
    // In the order of the positions they lead to.
    readonly from: Uint32Array,
    readonly to: Uint32Array,
    readonly kind: Uint8Array,
  ) {}

  // Numbers of the edges, by the positions they start from.
  edgesByFrom(): Uint32Array {
    if (!this.byFrom) {
      this.byFrom = Uint32Array.from(this.from.keys());
      this.byFrom.sort((a, b) => this.from[a] - this.from[b]);
    }
    return this.byFrom;
  }

  // The first of the edges that lead to this position or a later one.
  firstEdgeTo(position: number): number {
    let low = 0;
    let high = this.to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.to[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function recordedOrder(trace: Trace): Order {
  return new Order(
    trace.rows,
    trace.threadCount,
    (row) => trace.thread(row),
    trace.edgeFrom,
    trace.edgeTo,
    trace.edgeKind,
  );
}

// The order in a schedule other than the recorded one. Locks order threads as they are taken there; who
// started, woke, posted for or read from whom is the same in every correct reordering.
export function scheduleOrder(trace: Trace, schedule: Schedule): Order {
  const position = positionsOf(trace, schedule);
  const edges: [number, number, number][] = [];
  const lockKind = edgeKinds.indexOf('lock');
  for (let i = 0; i < trace.edgeTo.length; i++) {
    if (trace.edgeKind[i] === lockKind) continue;
    const from = position[trace.edgeFrom[i]];
    const to = position[trace.edgeTo[i]];
    if (from >= 0 && to > from) edges.push([from, to, trace.edgeKind[i]]);
  }
  const exclusive = new Map<number, number>();
  const shared = new Map<number, Map<number, number>>();
  for (let p = 0; p < schedule.rows.length; p++) {
    const row = schedule.rows[p];
    const lock = lockOf(trace, row);
    if (lock < 0) continue;
    const thread = trace.thread(row);
    const add = (from: number | undefined) => {
      if (from !== undefined && trace.thread(schedule.rows[from]) !== thread) edges.push([from, p, lockKind]);
    };
    switch (trace.kind(row)) {
      case 'acq':
      case 'wake':
        add(exclusive.get(lock));
        shared.get(lock)?.forEach(add);
        break;
      case 'sacq':
        add(exclusive.get(lock));
        break;
      case 'rel':
      case 'wait':
        exclusive.set(lock, p);
        shared.delete(lock);
        break;
      case 'srel':
        if (!shared.has(lock)) shared.set(lock, new Map());
        shared.get(lock)?.set(thread, p);
        break;
    }
  }
  edges.sort((a, b) => a[1] - b[1]);
  return new Order(
    schedule.rows.length,
    trace.threadCount,
    (p) => trace.thread(schedule.rows[p]),
    Uint32Array.from(edges, (e) => e[0]),
    Uint32Array.from(edges, (e) => e[1]),
    Uint8Array.from(edges, (e) => e[2]),
  );
}

// By row: its position in the schedule, or -1.
export function positionsOf(trace: Trace, schedule: Schedule): Int32Array {
  const position = new Int32Array(trace.rows).fill(-1);
  for (let p = 0; p < schedule.rows.length; p++) position[schedule.rows[p]] = p;
  return position;
}

// By thread: the last position that comes before, -1 if none.
export function past(order: Order, position: number): Int32Array {
  const last = new Int32Array(order.threadCount).fill(-1);
  last[order.thread(position)] = position;
  const byFrom = order.edgesByFrom();
  for (let i = byFrom.length - 1; i >= 0; i--) {
    const from = order.from[byFrom[i]];
    const to = order.to[byFrom[i]];
    if (from > position || to > last[order.thread(to)]) continue;
    const thread = order.thread(from);
    if (from > last[thread]) last[thread] = from;
  }
  return last;
}

// By thread: the first position that comes after, `length` if none.
export function future(order: Order, position: number): Int32Array {
  const first = new Int32Array(order.threadCount).fill(order.length);
  first[order.thread(position)] = position;
  for (let i = order.firstEdgeTo(position + 1); i < order.to.length; i++) {
    if (order.from[i] < first[order.thread(order.from[i])]) continue;
    const thread = order.thread(order.to[i]);
    if (order.to[i] < first[thread]) first[thread] = order.to[i];
  }
  return first;
}

export type Relation = 'self' | 'past' | 'future' | 'concurrent';

export interface Cone {
  position: number;
  past: Int32Array;
  future: Int32Array;
}

export function coneOf(order: Order, position: number): Cone {
  return { position, past: past(order, position), future: future(order, position) };
}

export function relationTo(order: Order, cone: Cone, position: number): Relation {
  if (position === cone.position) return 'self';
  const thread = order.thread(position);
  if (position <= cone.past[thread]) return 'past';
  if (position >= cone.future[thread]) return 'future';
  return 'concurrent';
}

export interface PathEdge {
  from: number;
  to: number;
  kind: EdgeKind;
}

// The edges that order two positions, empty within one thread; nothing if they are not ordered.
export function pathBetween(order: Order, a: number, b: number): PathEdge[] | undefined {
  const [start, end] = a < b ? [a, b] : [b, a];
  if (order.thread(start) === order.thread(end)) return [];
  const first = new Int32Array(order.threadCount).fill(order.length);
  const through = new Int32Array(order.threadCount).fill(-1); // the edge that reached the thread
  first[order.thread(start)] = start;
  for (let i = order.firstEdgeTo(start + 1); i < order.to.length && order.to[i] <= end; i++) {
    if (order.from[i] < first[order.thread(order.from[i])]) continue;
    const thread = order.thread(order.to[i]);
    if (order.to[i] >= first[thread]) continue;
    first[thread] = order.to[i];
    through[thread] = i;
  }
  const goal = order.thread(end);
  if (through[goal] < 0) return undefined;
  const path: PathEdge[] = [];
  for (let thread = goal; thread !== order.thread(start); ) {
    const edge = through[thread];
    path.unshift({ from: order.from[edge], to: order.to[edge], kind: edgeKinds[order.kind[edge]] });
    thread = order.thread(order.from[edge]);
  }
  return path;
}
