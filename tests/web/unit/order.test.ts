import { coneOf, future, Order, past, pathBetween, recordedOrder, relationTo, scheduleOrder } from '../../../web/src/core/order';
import { predictedSchedule } from '../../../web/src/core/schedule';
import { base64, build, dice, race, zigzag, type Built } from './build';

// Threads and edges at random, and their closure by the definition.
function randomOrder(seed: number) {
  const roll = dice(seed);
  const length = 5 + roll(30);
  const threads = 2 + roll(4);
  const thread = Array.from({ length }, () => roll(threads));
  const edges: [number, number][] = [];
  for (let i = roll(20); i > 0; i--) {
    const [a, b] = [roll(length), roll(length)];
    if (a < b && thread[a] !== thread[b]) edges.push([a, b]);
  }
  edges.sort((a, b) => a[1] - b[1]);
  const order = new Order(length, threads, (p) => thread[p], Uint32Array.from(edges, (e) => e[0]),
    Uint32Array.from(edges, (e) => e[1]), new Uint8Array(edges.length));
  const before = Array.from({ length }, () => new Array<boolean>(length).fill(false));
  for (let b = 0; b < length; b++) {
    for (let a = 0; a < b; a++) if (thread[a] === thread[b] || edges.some((e) => e[0] === a && e[1] === b)) before[a][b] = true;
  }
  for (let k = 0; k < length; k++)
    for (let a = 0; a < k; a++)
      if (before[a][k]) for (let b = k + 1; b < length; b++) if (before[k][b]) before[a][b] = true;
  return { order, before, edges, thread };
}

test('cones and paths agree with the transitive closure', () => {
  let paths = 0;
  let none = 0;
  const wrong: string[] = [];
  const check = (right: boolean, what: string) => {
    if (!right) wrong.push(what);
  };
  for (let seed = 1; seed <= 400; seed++) {
    const { order, before, edges, thread } = randomOrder(seed);
    for (let a = 0; a < order.length; a++) {
      const cone = coneOf(order, a);
      for (let b = 0; b < order.length; b++) {
        const expected = a === b ? 'self' : b < a && before[b][a] ? 'past' : a < b && before[a][b] ? 'future' : 'concurrent';
        check(relationTo(order, cone, b) === expected, `seed ${seed}: ${b} is not ${expected} of ${a}`);
        if (a >= b) continue;
        const path = pathBetween(order, a, b);
        check((path !== undefined) === before[a][b], `seed ${seed}: path from ${a} to ${b}`);
        if (!path) none++;
        if (!path || path.length === 0) continue;
        paths++;
        // A real chain: edges of the order, joined by program order.
        let at = a;
        for (const edge of path) {
          const isEdge = edges.some((e) => e[0] === edge.from && e[1] === edge.to);
          check(isEdge && thread[edge.from] === thread[at] && edge.from >= at, `seed ${seed}: chain from ${a} to ${b}`);
          at = edge.to;
        }
        check(thread[at] === thread[b] && at <= b, `seed ${seed}: the chain from ${a} does not end at ${b}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(paths).toBeGreaterThan(1000);
  expect(none).toBeGreaterThan(1000);
});

// T1 writes x and then takes m; T2 takes m and then reads x.
const hidden: Built[] = [
  { thread: 1, kind: 'wr', object: 'x' },
  { thread: 1, kind: 'acq', object: 'm' },
  { thread: 1, kind: 'rel', object: 'm' },
  { thread: 2, kind: 'acq', object: 'm' },
  { thread: 2, kind: 'rel', object: 'm' },
  { thread: 2, kind: 'rd', object: 'x' },
];

test('what the recorded run orders through a lock, the predicted schedule does not', () => {
  const trace = build(hidden, [[2, 3, 'lock']]);
  expect(pathBetween(recordedOrder(trace), 0, 5)).toEqual([{ from: 2, to: 3, kind: 'lock' }]);
  // T2 first: rows 3, 4, then the write and the read at once.
  const runs = [0n, zigzag(3n), 1n, 2n, zigzag(-3n), 0n, 1n, zigzag(5n), 0n];
  const finding = race(0, 5, { predicted: { prefix: 0, runs: 3, bytes: base64(runs), steps: 4 } });
  const schedule = predictedSchedule(trace, finding)!;
  expect([...schedule.rows]).toEqual([3, 4, 0, 5]);
  expect([...schedule.numbers]).toEqual([1, 2, 3, 4]);
  expect(schedule.together).toBe(2);
  expect(pathBetween(scheduleOrder(trace, schedule), 2, 3)).toBeUndefined();
});

test('a schedule that swaps critical sections orders them the other way round', () => {
  const trace = build(hidden, [[2, 3, 'lock']]);
  const rows = Int32Array.from([3, 4, 5, 0, 1, 2]);
  const order = scheduleOrder(trace, { rows, numbers: new Float64Array(6), steps: 6, together: 0, blocked: [] });
  expect(pathBetween(order, 0, 5)).toEqual([{ from: 1, to: 4, kind: 'lock' }]);
  expect([...past(order, 4)]).toEqual([-1, 4, 1]);
  expect([...future(order, 0)]).toEqual([6, 4, 0]);
});
