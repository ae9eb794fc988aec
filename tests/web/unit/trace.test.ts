import { bytesOf, ByteReader } from '../../../web/src/core/bytes';
import { objectText, shortName, tailOf, threadLabels, valueNote } from '../../../web/src/core/words';
import { base64, build, zigzag } from './build';

test('64-bit values survive, also the extreme ones', () => {
  const values = [0n, -1n, 1n, 110n, -(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n];
  const reader = new ByteReader(bytesOf(base64(values.map(zigzag))));
  let at = 0;
  for (const value of values) {
    const got = reader.signedAt(at);
    expect(got.value).toBe(value);
    at = got.end;
  }
});

test('events come back as they were put in, with the gaps between them', () => {
  const trace = build([
    { thread: 0, kind: 'wr', object: 'x', value: -5n, line: 2 },
    { thread: 1, kind: 'rmw', object: 'x', value: 7n, read: 6n, index: 40 },
    { thread: 1, kind: 'wait', object: 'c', detail: 'm', index: 41 },
  ], [], 100);
  expect([...trace.index]).toEqual([0, 40, 41]);
  expect(trace.value(0)).toBe(-5n);
  expect(valueNote(trace, 1)).toBe('6 → 7');
  expect(trace.objectName(trace.detail(2))).toBe('m');
  expect(trace.place(0)).toMatchObject({ path: 'a.cc', line: 2 });
  expect(trace.place(1)).toBeUndefined();
  expect([trace.rowAt(40), trace.rowAt(39), trace.rowFrom(39), trace.rowFrom(99)]).toEqual([1, -1, 1, 3]);
});

test('locks held are those taken and not given up, a wait gives up its lock', () => {
  const trace = build([
    { thread: 0, kind: 'acq', object: 'a' },
    { thread: 0, kind: 'sacq', object: 'b' },
    { thread: 1, kind: 'acq', object: 'z' },
    { thread: 0, kind: 'wait', object: 'c', detail: 'a' },
    { thread: 0, kind: 'rd', object: 'x' },
    { thread: 0, kind: 'wake', object: 'c', detail: 'a' },
    { thread: 0, kind: 'srel', object: 'b' },
    { thread: 0, kind: 'rd', object: 'x' },
  ]);
  const names = (row: number) => trace.held(row).map((h) => h.name + (h.shared ? ' shared' : ''));
  expect(names(0)).toEqual([]);
  expect(names(3)).toEqual(['a', 'b shared']);
  expect(names(4)).toEqual(['b shared']);
  expect(names(7)).toEqual(['a']);
});

test('names lose their template arguments when they are long, and only then', () => {
  expect(shortName('std::thread::_State_impl<std::thread::_Invoker<std::tuple<int> > >::_M_run')).toBe(
    'std::thread::_State_impl<…>::_M_run',
  );
  expect(shortName('pair<int>')).toBe('pair<int>');
  expect(shortName('operator<<(very, long, list, of, arguments)')).toBe('operator<<(very, long, list, of, arguments)');
});

test('of a name that does not fit, the field is kept', () => {
  expect(['account.balance', 'queue->head->next', 'x.y', 'long_variable', '0x7f00:8 ...'].map(tailOf)).toEqual(
    ['.balance', '->next', 'x.y', 'long_variable', '0x7f00:8 ...'],
  );
});

test('a thread without a name is called by its first function', () => {
  const trace = build([{ thread: 0, kind: 'start' }, { thread: 0, kind: 'rd', object: 'x', line: 1 }]);
  expect(threadLabels(trace)).toEqual(['f()']);
  expect(objectText(trace, 1)).toBe('x');
});
