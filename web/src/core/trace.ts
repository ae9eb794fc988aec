// The events of the run as columns, decoded once. A row is an event that the page has; its index is the
// position in the recorded run, which differs from the row where events were left out.

import { ByteReader, bytesOf } from './bytes';
import type { SourceData, TraceData } from './data';

export const edgeKinds = ['lock', 'fork', 'join', 'notify', 'barrier', 'semaphore', 'atomic'] as const;
export type EdgeKind = (typeof edgeKinds)[number];

export interface Place {
  file: number;
  path: string;
  line: number;
  column: number;
  fn: string;
  expression: string;
}

export interface Held {
  lock: number;
  name: string;
  shared: boolean;
  row: number; // where it was taken
}

const VALUE = 1;
const READ_VALUE = 2;
export const REENTRANT = 4;
const orders = ['relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'];

export class Trace {
  readonly rows: number;
  readonly index: Float64Array;
  private readonly step: Uint32Array;
  private readonly valueAt: Uint32Array;
  private readonly values: ByteReader;
  // By step.
  private readonly stepThread: number[] = [];
  private readonly stepKind: number[] = [];
  private readonly stepOrder: number[] = [];
  private readonly stepFlags: number[] = [];
  private readonly stepObject: number[] = [];
  private readonly stepDetail: number[] = [];
  private readonly stepSite: number[] = [];
  // Edges between threads, in the order of the rows they lead to.
  readonly edgeFrom: Uint32Array;
  readonly edgeTo: Uint32Array;
  readonly edgeKind: Uint8Array;
  private locksOf: number[][] | undefined;

  constructor(
    readonly data: TraceData,
    readonly sources: SourceData[],
    readonly events: number, // in the run
  ) {
    const steps = new ByteReader(bytesOf(data.steps));
    while (!steps.done) {
      this.stepThread.push(steps.number());
      this.stepKind.push(steps.number());
      this.stepOrder.push(steps.number());
      this.stepFlags.push(steps.number());
      this.stepObject.push(steps.number() - 1);
      this.stepDetail.push(steps.number() - 1);
      this.stepSite.push(steps.number() - 1);
    }
    this.rows = data.rows;
    this.index = new Float64Array(this.rows);
    this.step = new Uint32Array(this.rows);
    this.valueAt = new Uint32Array(this.rows);
    const bytes = bytesOf(data.events);
    const reader = (this.values = new ByteReader(bytes));
    let next = 0;
    for (let row = 0; row < this.rows; row++) {
      next += reader.number();
      const step = reader.number();
      this.index[row] = next++;
      this.step[row] = step;
      this.valueAt[row] = reader.at;
      const flags = this.stepFlags[step];
      if (flags & VALUE) reader.skip();
      if (flags & READ_VALUE) reader.skip();
    }
    this.edgeFrom = new Uint32Array(data.edge_count);
    this.edgeTo = new Uint32Array(data.edge_count);
    this.edgeKind = new Uint8Array(data.edge_count);
    const edges = new ByteReader(bytesOf(data.edges));
    for (let i = 0, to = 0; i < data.edge_count; i++) {
      to += edges.number();
      this.edgeTo[i] = to;
      this.edgeFrom[i] = to - edges.number();
      this.edgeKind[i] = edges.number();
    }
  }

  get threadCount(): number {
    return this.data.threads.length;
  }
  thread(row: number): number {
    return this.stepThread[this.step[row]];
  }
  kind(row: number): string {
    return this.data.kinds[this.stepKind[this.step[row]]];
  }
  object(row: number): number {
    return this.stepObject[this.step[row]];
  }
  // The lock of a wait, the arguments of a user event.
  detail(row: number): number {
    return this.stepDetail[this.step[row]];
  }
  isReentrant(row: number): boolean {
    return (this.stepFlags[this.step[row]] & REENTRANT) !== 0;
  }
  objectName(object: number): string {
    return object < 0 ? '' : this.data.strings[this.data.objects[object]];
  }
  memoryOrder(row: number): string {
    const kind = this.kind(row);
    const has = kind === 'ard' || kind === 'awr' || kind === 'rmw' || kind === 'fence';
    return has ? orders[this.stepOrder[this.step[row]]] : '';
  }

  place(row: number): Place | undefined {
    const site = this.stepSite[this.step[row]];
    if (site < 0) return undefined;
    const [file, line, column, fn, expression] = this.data.sites[site];
    return {
      file,
      path: this.sources[file].path,
      line,
      column,
      fn: this.data.strings[fn],
      expression: this.data.strings[expression],
    };
  }

  // The value read or written, the way a branch took, the size of an allocation.
  value(row: number): bigint | undefined {
    if (!(this.stepFlags[this.step[row]] & VALUE)) return undefined;
    return this.values.signedAt(this.valueAt[row]).value;
  }
  // What a read-modify-write found before it wrote.
  valueRead(row: number): bigint | undefined {
    const flags = this.stepFlags[this.step[row]];
    if (!(flags & READ_VALUE)) return undefined;
    let at = this.valueAt[row];
    if (flags & VALUE) at = this.values.signedAt(at).end;
    return this.values.signedAt(at).value;
  }

  // The row with the index, or -1.
  rowAt(index: number): number {
    const row = this.rowFrom(index);
    return row < this.rows && this.index[row] === index ? row : -1;
  }
  // The first row with this index or a later one.
  rowFrom(index: number): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.index[middle] < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Locks that the thread of the row holds when it comes to the row.
  held(row: number): Held[] {
    if (!this.locksOf) {
      this.locksOf = Array.from({ length: this.threadCount }, () => []);
      const relevant = this.stepKind.map((kind) => lockEffect(this.data.kinds[kind]) !== 0);
      for (let r = 0; r < this.rows; r++) {
        if (relevant[this.step[r]] && !this.isReentrant(r)) this.locksOf[this.thread(r)].push(r);
      }
    }
    const held: Held[] = [];
    for (const r of this.locksOf[this.thread(row)]) {
      if (r >= row) break;
      applyLock(this, r, held);
    }
    return held;
  }
}

function lockEffect(kind: string): number {
  if (kind === 'acq' || kind === 'sacq' || kind === 'wake') return 1;
  if (kind === 'rel' || kind === 'srel' || kind === 'wait') return -1;
  return 0;
}

// The lock that the event at a row takes or gives up; -1 if none.
export function lockOf(trace: Trace, row: number): number {
  const kind = trace.kind(row);
  if (trace.isReentrant(row) || lockEffect(kind) === 0) return -1;
  return kind === 'wait' || kind === 'wake' ? trace.detail(row) : trace.object(row);
}

// What the event at a row does to the locks its thread holds.
export function applyLock(trace: Trace, row: number, held: Held[]): void {
  const lock = lockOf(trace, row);
  if (lock < 0) return;
  const kind = trace.kind(row);
  if (lockEffect(kind) > 0) {
    held.push({ lock, name: trace.objectName(lock), shared: kind === 'sacq', row });
  } else {
    const at = held.findIndex((h) => h.lock === lock);
    if (at >= 0) held.splice(at, 1);
  }
}
