import { isQuiet, lanesOf, linesOf } from '../../../web/src/core/fold';
import { interestingRows } from '../../../web/src/core/interest';
import { binsOf } from '../../../web/src/core/map';
import { bandsOf } from '../../../web/src/core/scene';
import { recordedSchedule } from '../../../web/src/core/schedule';
import { listed, matching } from '../../../web/src/core/search';
import { fromHash, initialState, toHash } from '../../../web/src/core/state';
import { factsOf, headline, markdown } from '../../../web/src/core/story';
import { base64, build, race, type Built } from './build';

const events: Built[] = [
  { thread: 0, kind: 'fork', object: 'T1' },
  { thread: 0, kind: 'rd', object: 'y' },
  { thread: 0, kind: 'rd', object: 'y' },
  { thread: 1, kind: 'start' },
  { thread: 1, kind: 'req', object: 'm' },
  { thread: 1, kind: 'acq', object: 'm' },
  { thread: 1, kind: 'wr', object: 'x', value: 3n, line: 1 },
  { thread: 1, kind: 'rel', object: 'm' },
  { thread: 2, kind: 'rd', object: 'x' },
];
const no = () => false;

test('uninteresting steps fold, a single one does not, and a fold opens', () => {
  const trace = build(events);
  const schedule = recordedSchedule(trace);
  const shown = (row: number) => [0, 3, 5, 6, 8].includes(row);
  const lines = linesOf(schedule, shown, (row) => isQuiet(trace, row), []);
  expect(lines.map((l) => (l.type === 'fold' ? `fold ${l.steps}` : l.type === 'step' ? l.row : l.type))).toEqual(
    [0, 'fold 2', 3, 5, 6, 7, 8],
  );
  const open = linesOf(schedule, shown, no, [{ begin: 1, end: 3 }]);
  expect(open.filter((l) => l.type === 'fold')).toEqual([]);
  expect(lanesOf(trace, lines)).toEqual([0, 1, 2]);
});

test('every step of the run is either shown or counted, also those the page has not', () => {
  const trace = build([{ thread: 0, kind: 'rd', object: 'x', index: 10 }, { thread: 0, kind: 'rd', object: 'x', index: 30 }], [], 50);
  const lines = linesOf(recordedSchedule(trace), () => true, no, []);
  const count = lines.reduce((n, l) => n + (l.type === 'fold' ? l.steps : 1), 0);
  expect(count).toBe(50);
  expect(lines.filter((l) => l.type === 'fold').map((l) => l.type === 'fold' && l.steps)).toEqual([10, 19, 19]);
});

test('a finding is told with its events, their locks, and where threads begin', () => {
  const trace = build(events);
  const rows = interestingRows(trace, race(6, 8));
  for (const row of [0, 3, 5, 6, 7, 8]) expect(rows.has(row), `row ${row}`).toBe(true);
  for (const row of [1, 2, 4]) expect(rows.has(row), `row ${row}`).toBe(false);
});

test('a held lock is a band from its lock to its unlock', () => {
  const trace = build(events);
  const schedule = recordedSchedule(trace);
  const lines = linesOf(schedule, () => true, no, []);
  expect(bandsOf(trace, schedule, lines, [0, 1, 2])).toEqual([{ lane: 1, depth: 0, name: 'm', begin: 5, end: 7 }]);
});

test('the map counts every event once, whatever its width', () => {
  const trace = build(events);
  for (const columns of [1, 3, 100]) {
    const bins = binsOf(trace, columns);
    expect(bins.counts.map((line) => line.reduce((a, b) => a + b, 0))).toEqual([3, 5, 1]);
  }
  const cut = build(events, [], 1000);
  cut.data.density = { parts: 4, threads: 2, counts: base64([400n, 0n, 0n, 0n, 0n, 0n, 0n, 600n]) };
  const bins = binsOf(cut, 10);
  expect(bins.counts[0].slice(0, 3)).toEqual(Float32Array.from([160, 160, 80]));
  expect(bins.counts[1].reduce((a, b) => a + b, 0)).toBeCloseTo(600);
});

test('the address holds the whole state, and anything else in it is left out', () => {
  const state = { ...initialState, finding: 'race-2', view: 'both' as const, table: true, selected: [3, 9], query: 'a&b #c', kinds: ['race'], theme: 'dark' as const };
  expect(fromHash(toHash(state))).toEqual(state);
  expect(toHash(initialState)).toBe('#');
  expect(fromHash('#view=evil&e=1.x.-2.4.5&theme=url(x)&kind=ra<ce')).toEqual({ ...initialState, selected: [1, 4] });
});

test('search takes every word, filters by kind and verdict, and hides what cannot happen', () => {
  const deadlock = race(1, 2, { id: 'deadlock-1', kind: 'deadlock', verdict: 'confirmed', cycle: true });
  const all = listed([race(6, 8), deadlock], [race(1, 3, { id: 'race-2' })]);
  const ids = (q: string, k: string[] = [], v: string[] = []) => matching(all, q, k, v).map((e) => e.finding.id);
  expect(ids('')).toEqual(['race-1', 'deadlock-1']);
  expect(ids('A.CC:7 t1')).toEqual(['race-1']);
  expect(ids('nothing')).toEqual([]);
  expect(ids('', ['deadlock'])).toEqual(['deadlock-1']);
  expect(ids('', [], ['dismissed'])).toEqual(['race-2']);
});

test('Markdown says what the page says, and nothing in a name becomes markup', () => {
  const trace = build(events);
  const finding = race(6, 8, { why: 'T1 came first', fix: "take 'm'" });
  finding.events[0].expression = '*x* <img src=q> [a](b) `c`';
  finding.events[0].site = 'a`b.cc:7:1';
  const lines = linesOf(recordedSchedule(trace), (row) => row >= 5, no, []);
  const text = markdown(trace, finding, false, lines, 'recorded');
  expect(text).toContain('\\*x\\* \\<img src=q\\> \\[a\\](b) \\`c\\`');
  expect(text).toContain("- `a'b.cc:7:1`: T1 writes");
  expect(text).toMatch(/7 T1 {3}write x = 3 {3}\(a\.cc:1\)/);
  expect(text).toContain("**Fix**: Take 'm'");
  expect(factsOf(finding, false).map((f) => f.label)).toEqual(['Why it did not show', 'Fix', 'Found by']);
});

test('each kind of finding has its headline', () => {
  const of = (more: object) => headline(race(6, 8, more));
  expect(of({})).toBe('Data race on x');
  expect(of({ kind: 'deadlock', cycle: true })).toBe('Deadlock of 2 threads');
  expect(of({ kind: 'atomicity', blocks: ['transfer'] })).toBe('transfer is not atomic');
  expect(of({ kind: 'nondeterminism' })).toBe('The value of x depends on the schedule');
});
