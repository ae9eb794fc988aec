// Where things of a lane view are: everything that depends on which lines are shown, not on the window.

import type { FindingData } from './data';
import { rowsOf, type Line } from './fold';
import type { Order } from './order';
import type { Schedule } from './schedule';
import { applyLock, edgeKinds, type EdgeKind, type Held, type Trace } from './trace';

export interface Band {
  lane: number;
  depth: number; // how many other locks are held around it
  name: string;
  begin: number; // lines
  end: number;
}

export interface Link {
  from: number; // lines
  to: number;
  fromLane: number;
  toLane: number;
  kind: EdgeKind;
  byChance: boolean;
}

// With more lines than this nobody follows an arrow, and drawing would wait for them.
const MOST_LINES = 20_000;

export function bandsOf(trace: Trace, schedule: Schedule, lines: Line[], lanes: number[]): Band[] {
  if (lines.length > MOST_LINES) return [];
  const laneOf = new Map(lanes.map((thread, lane) => [thread, lane]));
  const held = new Map<number, Held[]>();
  const open = new Map<string, Band>();
  const bands: Band[] = [];
  let line = 0;
  for (let p = 0; p < schedule.rows.length; p++) {
    while (line + 1 < lines.length && endOf(lines[line], schedule) <= p) line++;
    const row = schedule.rows[p];
    const lane = laneOf.get(trace.thread(row));
    if (lane === undefined) continue;
    const mine = held.get(lane) ?? [];
    const before = mine.map((h) => h.lock);
    applyLock(trace, row, mine);
    held.set(lane, mine);
    for (const h of mine) {
      if (before.includes(h.lock)) continue;
      open.set(`${lane}/${h.lock}`, { lane, depth: mine.length - 1, name: h.name, begin: line, end: line });
    }
    for (const lock of before) {
      const band = open.get(`${lane}/${lock}`);
      if (!band || mine.some((h) => h.lock === lock)) continue;
      open.delete(`${lane}/${lock}`);
      bands.push({ ...band, end: line });
    }
  }
  for (const band of open.values()) bands.push({ ...band, end: lines.length - 1 });
  // A section that begins and ends inside one fold is not seen.
  return bands.filter((b) => b.begin < b.end || lines[b.begin]?.type !== 'fold');
}

function endOf(line: Line, schedule: Schedule): number {
  if (line.type === 'step') return line.position + 1;
  if (line.type === 'fold') return line.end;
  return schedule.rows.length;
}

export function linksOf(
  trace: Trace,
  order: Order,
  schedule: Schedule,
  lines: Line[],
  lanes: number[],
  finding: FindingData,
): Link[] {
  if (lines.length > MOST_LINES) return [];
  const lineOf = new Map<number, number>();
  lines.forEach((line, i) => rowsOf(line).forEach((row) => line.type !== 'blocked' && lineOf.set(row, i)));
  const laneOf = new Map(lanes.map((thread, lane) => [thread, lane]));
  const chance = new Set(
    (finding.recorded?.path ?? []).filter((e) => e.by_chance).map((e) => `${e.from.index}/${e.to.index}`),
  );
  const links: Link[] = [];
  for (let i = 0; i < order.to.length; i++) {
    const fromRow = schedule.rows[order.from[i]];
    const toRow = schedule.rows[order.to[i]];
    const from = lineOf.get(fromRow);
    const to = lineOf.get(toRow);
    if (from === undefined || to === undefined) continue;
    links.push({
      from,
      to,
      fromLane: laneOf.get(trace.thread(fromRow)) ?? 0,
      toLane: laneOf.get(trace.thread(toRow)) ?? 0,
      kind: edgeKinds[order.kind[i]],
      byChance: chance.has(`${trace.index[fromRow]}/${trace.index[toRow]}`),
    });
  }
  return links;
}
