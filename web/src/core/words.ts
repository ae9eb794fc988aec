// Events in a person's words.

import type { Line } from './fold';
import type { Trace } from './trace';

// The events of src/trace/event.def, all of them (tests/cli/web_words.sh).
const verbs: Record<string, string> = {
  rd: 'read',
  wr: 'write',
  acq: 'lock',
  rel: 'unlock',
  fork: 'create',
  join: 'join',
  beg: 'begin',
  end: 'end',
  start: 'thread starts',
  exit: 'thread ends',
  ard: 'atomic read',
  awr: 'atomic write',
  rmw: 'atomic update',
  fence: 'fence',
  req: 'request',
  sreq: 'request (shared)',
  sacq: 'lock (shared)',
  srel: 'unlock (shared)',
  tryfail: 'fail to lock',
  stryfail: 'fail to lock (shared)',
  wait: 'wait on',
  wake: 'woken on',
  notify: 'notify one on',
  notifyall: 'notify all on',
  enter: 'arrive at',
  leave: 'leave',
  post: 'post',
  down: 'take from',
  call: 'call',
  ret: 'return from',
  branch: 'branch',
  alloc: 'allocate',
  free: 'free',
  user: 'event',
  dlock: 'destroy',
  dcond: 'destroy',
  dbarrier: 'destroy',
  dsem: 'destroy',
};

export type Family = 'read' | 'write' | 'lock' | 'thread' | 'sync' | 'block' | 'quiet';

const families: Record<string, Family> = {
  rd: 'read',
  ard: 'read',
  wr: 'write',
  awr: 'write',
  rmw: 'write',
  free: 'write',
  acq: 'lock',
  rel: 'lock',
  sacq: 'lock',
  srel: 'lock',
  tryfail: 'lock',
  stryfail: 'lock',
  fork: 'thread',
  join: 'thread',
  start: 'thread',
  exit: 'thread',
  wait: 'sync',
  wake: 'sync',
  notify: 'sync',
  notifyall: 'sync',
  enter: 'sync',
  leave: 'sync',
  post: 'sync',
  down: 'sync',
  fence: 'sync',
  beg: 'block',
  end: 'block',
  user: 'block',
  dlock: 'lock',
  dcond: 'sync',
  dbarrier: 'sync',
  dsem: 'sync',
};

export function verbOf(kind: string): string {
  return verbs[kind] ?? kind;
}
export function familyOf(kind: string): Family {
  return families[kind] ?? 'quiet';
}
export function isAccess(kind: string): boolean {
  return kind === 'rd' || kind === 'wr' || kind === 'ard' || kind === 'awr' || kind === 'rmw' || kind === 'free';
}
export function isWrite(kind: string): boolean {
  return kind === 'wr' || kind === 'awr' || kind === 'rmw';
}

// Without template arguments, which nobody reads: "std::thread::_State_impl<…>::_M_run".
export function shortName(name: string): string {
  if (name.length <= 32 || !name.includes('<')) return name;
  let out = '';
  let depth = 0;
  for (const c of name) {
    if (c === '>' && depth > 0) depth--;
    if (depth === 0) out += c;
    if (c === '<') {
      if (depth === 0) out += '…';
      depth++;
    }
  }
  return depth === 0 ? out : name;
}

// As the source says it where that is known.
export function objectText(trace: Trace, row: number): string {
  const kind = trace.kind(row);
  const name = trace.objectName(trace.object(row));
  if (isAccess(kind)) return trace.place(row)?.expression || name;
  return shortName(name);
}

// ".balance" of "account.balance", "->next" of "queue->head->next"; short names as they are.
export function tailOf(name: string): string {
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('->'));
  return name.length > 9 && at > 0 && at < name.length - 2 ? name.slice(at) : name;
}

const hexFrom = 1n << 40n;

export function valueText(value: bigint): string {
  return value >= hexFrom ? '0x' + value.toString(16) : value.toString();
}

export function noteOf(trace: Trace, line: Line): string {
  return line.type === 'step' ? (line.note ?? valueNote(trace, line.row)) : '';
}

// "= 110", "100 → 110"; empty if the value is not known or says nothing (addresses).
export function valueNote(trace: Trace, row: number): string {
  const value = trace.value(row);
  const read = trace.valueRead(row);
  const kind = trace.kind(row);
  if (value === undefined) return '';
  if (kind === 'alloc') return `${value} byte${value === 1n ? '' : 's'}`;
  if (kind === 'branch') return value === 0n ? 'not taken' : 'taken';
  if (value >= hexFrom) return '';
  if (read !== undefined) return `${valueText(read)} → ${valueText(value)}`;
  return `= ${valueText(value)}`;
}

export function eventText(trace: Trace, row: number): string {
  const object = objectText(trace, row);
  const kind = trace.kind(row);
  let text = verbOf(kind);
  if (object) text += ' ' + object;
  if ((kind === 'wait' || kind === 'wake') && trace.detail(row) >= 0) {
    text += ` (${trace.objectName(trace.detail(row))})`;
  } else if (kind === 'user' && trace.detail(row) >= 0) {
    text += ' ' + trace.objectName(trace.detail(row));
  }
  if (trace.isReentrant(row)) text += ' (again)';
  return text;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function placeText(trace: Trace, row: number, whole = false): string {
  const place = trace.place(row);
  if (!place) return '';
  const file = whole ? place.path : baseName(place.path);
  if (place.line === 0) return file;
  return whole && place.column ? `${file}:${place.line}:${place.column}` : `${file}:${place.line}`;
}

export function isLibrary(path: string): boolean {
  return path.startsWith('/usr/') || path.startsWith('/opt/') || path.startsWith('/lib');
}

// What to write over a thread's lane: the name the program gave it, else the first function of the
// program's own that it runs.
export function threadLabels(trace: Trace): string[] {
  const labels = trace.data.threads.map((t) => t.name);
  let missing = labels.filter((label) => !label).length;
  for (let row = 0; row < trace.rows && missing > 0; row++) {
    const thread = trace.thread(row);
    if (labels[thread]) continue;
    const place = trace.place(row);
    if (!place?.fn || place.line === 0 || isLibrary(place.path)) continue;
    labels[thread] = shortName(place.fn) + '()';
    missing--;
  }
  return labels;
}

export function plural(n: number, word: string): string {
  return `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
}
