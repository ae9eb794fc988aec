// What `foretell report --html` puts into the page; src/report/html.cc writes it, docs/html-report.md describes it.

export interface LockHeld {
  lock: string;
  shared: boolean;
  site?: string;
}

export interface EventData {
  index: number;
  thread: string;
  thread_name?: string;
  op: string;
  object?: string;
  site: string;
  function?: string;
  expression?: string;
  locks: LockHeld[];
  value?: number;
  stack?: { function: string; site: string }[]; // innermost first
  awaits?: string; // of a deadlock, unless it is a lock
}

export interface EdgeData {
  from: EventData;
  to: EventData;
  lock: string;
  by_chance: boolean;
}

export type FindingKind = 'race' | 'deadlock' | 'atomicity' | 'nondeterminism' | 'property' | 'memory';
export type Verdict = 'confirmed' | 'unordered' | 'predicted' | 'possible';

export interface FindingData {
  id: string;
  kind: FindingKind;
  verdict: Verdict;
  analyses: string[];
  location: string;
  events: EventData[];
  origins?: EventData[];
  recorded?: { ordered: boolean; steps_between: number; path: EdgeData[] };
  predicted?: { prefix: number; runs: number; bytes: string; steps: number };
  blocks?: string[];
  pattern?: string;
  reason?: string;
  replay?: string;
  consequence?: string;
  headline?: string; // of a deadlock
  schedule_text?: string;
  why?: string;
  fix?: string;
  cycle: boolean;
  occurrences: number;
}

export interface SourceData {
  path: string;
  state: 'same' | 'newer' | 'missing' | 'left out';
  pieces: [number, string][];
}

export interface TraceData {
  whole: boolean;
  skeleton: boolean;
  rows: number;
  kinds: string[];
  threads: { id: string; name: string }[];
  strings: string[];
  sites: [number, number, number, number, number][];
  objects: number[];
  steps: string;
  events: string;
  edges: string;
  edge_count: number;
  density?: { parts: number; threads: number; counts: string };
}

export interface ReportData {
  foretell: number;
  version: string;
  facts: [string, string][];
  summary: { name: string; events: number; threads: number; locks: number; locations: number };
  open: string;
  findings: FindingData[];
  dismissed: FindingData[];
  warnings: string[];
  sources: SourceData[];
  trace: TraceData;
}
