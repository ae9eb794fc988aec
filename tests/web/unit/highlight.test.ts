import { cut, highlight, type Token } from '../../../web/src/core/highlight';

const text = (tokens: Token[]) => tokens.map((t) => (t.kind ? `<${t.kind} ${t.text}>` : t.text)).join('');
const shown = (...lines: string[]) => highlight(lines).map(text);

test('words, numbers, literals and comments', () => {
  expect(shown("for (int i = 0x1'0; f(i); ++i) x = 'a'; // \"no\"")).toEqual([
    `<keyword for> (<type int> i = <number 0x1'0>; <call f>(i); ++i) x = <string 'a'>; <comment // "no">`,
  ]);
  expect(shown('puts("a \\" // b");')).toEqual(['<call puts>(<string "a \\" // b">);']);
});

test('directives', () => {
  expect(shown('#include <stdio.h>', '  # define X 1')).toEqual([
    '<directive #include><string  <stdio.h>>',
    '<directive   # define> X <number 1>',
  ]);
});

test('what goes on in the next line', () => {
  expect(shown('a /* b', '"c', 'd */ e;')).toEqual(['a <comment /* b>', '<comment "c>', '<comment d */> e;']);
  expect(shown('s = R"x(1', '// )"', ')x"; // c')).toEqual([
    's = <string R"x(1>',
    '<string // )">',
    '<string )x">; <comment // c>',
  ]);
});

test('nothing of a line is lost or added', () => {
  const lines = ['', '"open', "'", '\\', 'R"(', '/*/', '*/ "é" 1.5e+3f .5 #', 'x->y<z>::w();'];
  expect(highlight(lines).map((l) => l.map((t) => t.text).join(''))).toEqual(lines);
});

test('a part of a line', () => {
  const [tokens] = highlight(['int balance = 0;']);
  expect(text(cut(tokens, 0, 4))).toBe('<type int> ');
  expect(text(cut(tokens, 4, 11))).toBe('balance');
  expect(text(cut(tokens, 2, 6))).toBe('<type t> ba');
});
