// Traces for tests, written down as a list of events; the inverse of web/src/core/trace.ts.
import type { FindingData, SourceData, TraceData } from '../../../web/src/core/data';
import { edgeKinds, Trace, type EdgeKind } from '../../../web/src/core/trace';

const kinds = ('rd wr acq rel fork join beg end start exit ard awr rmw fence req sreq sacq srel tryfail stryfail ' +
  'wait wake notify notifyall enter leave post down call ret branch alloc free user').split(' ');

export interface Built {
  thread: number;
  kind: string;
  object?: string;
  detail?: string;
  line?: number;
  value?: bigint;
  read?: bigint;
  index?: number;
}

function varint(n: bigint, out: number[]): void {
  for (; n >= 0x80n; n >>= 7n) out.push(Number(n & 0x7fn) | 0x80);
  out.push(Number(n));
}
export function zigzag(n: bigint): bigint {
  return n < 0n ? -n * 2n - 1n : n * 2n;
}
export function base64(numbers: bigint[]): string {
  const bytes: number[] = [];
  for (const n of numbers) varint(n, bytes);
  return Buffer.from(bytes).toString('base64');
}

export function build(events: Built[], edges: [number, number, EdgeKind][] = [], total?: number): Trace {
  const strings: string[] = [''];
  const string = (text: string) => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
  const objects: number[] = [];
  const object = (name: string | undefined) => {
    if (name === undefined) return 0n;
    const number = string(name);
    if (!objects.includes(number)) objects.push(number);
    return BigInt(objects.indexOf(number) + 1);
  };
  const steps: bigint[] = [];
  const rows: bigint[] = [];
  const sites: TraceData['sites'] = [];
  let next = 0;
  events.forEach((e, i) => {
    const flags = (e.value !== undefined ? 1n : 0n) | (e.read !== undefined ? 2n : 0n);
    if (e.line !== undefined) sites.push([0, e.line, 3, string('f'), string(e.object ?? '')]);
    const site = e.line === undefined ? 0n : BigInt(sites.length);
    steps.push(BigInt(e.thread), BigInt(kinds.indexOf(e.kind)), 5n, flags, object(e.object), object(e.detail), site);
    const index = e.index ?? next;
    rows.push(BigInt(index - next), BigInt(i));
    next = index + 1;
    if (e.value !== undefined) rows.push(zigzag(e.value));
    if (e.read !== undefined) rows.push(zigzag(e.read));
  });
  const sorted = [...edges].sort((a, b) => a[1] - b[1]);
  const edgeBytes: bigint[] = [];
  let last = 0;
  for (const [from, to, kind] of sorted) {
    edgeBytes.push(BigInt(to - last), BigInt(to - from), BigInt(edgeKinds.indexOf(kind)));
    last = to;
  }
  const threads = Math.max(0, ...events.map((e) => e.thread + 1));
  const data: TraceData = {
    whole: total === undefined,
    skeleton: true,
    rows: events.length,
    kinds,
    threads: Array.from({ length: threads }, (_, i) => ({ id: `T${i}`, name: '' })),
    strings,
    sites,
    objects,
    steps: base64(steps),
    events: base64(rows),
    edges: base64(edgeBytes),
    edge_count: edges.length,
  };
  const sources: SourceData[] = [{ path: 'a.cc', state: 'same', pieces: [[1, 'int x;\nint y;']] }];
  return new Trace(data, sources, total ?? next);
}

export function race(first: number, second: number, more: Partial<FindingData> = {}): FindingData {
  const event = (index: number, thread: string, op: string) => ({
    index, thread, op, object: 'x', expression: 'x', site: `a.cc:${index + 1}:3`, locks: [],
  });
  return {
    id: 'race-1', kind: 'race', verdict: 'predicted', analyses: ['shb'], location: 'x', cycle: false, occurrences: 1,
    events: [event(first, 'T1', 'wr'), event(second, 'T2', 'rd')],
    ...more,
  };
}

// Numbers that look random and are the same every time.
export function dice(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return state % below;
  };
}
