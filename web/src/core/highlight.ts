// The words of C and C++ source, told apart for colors. Not a parser: a line is cut into comments,
// literals, directives and words, which is all that a reader of a report needs.

export type TokenKind = '' | 'comment' | 'directive' | 'keyword' | 'type' | 'number' | 'string' | 'call';
export interface Token {
  kind: TokenKind;
  text: string;
}

const keywords = new Set(
  `alignas alignof asm break case catch class concept const consteval constexpr const_cast constinit continue
  co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern false final
  for friend goto if inline mutable namespace new noexcept nullptr operator override private protected public
  register reinterpret_cast requires restrict return sizeof static static_assert static_cast struct switch template
  this thread_local throw true try typedef typeid typename union using virtual volatile while _Atomic _Thread_local
  NULL`.split(/\s+/),
);
const types = new Set(
  `auto bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t
  ssize_t ptrdiff_t time_t pid_t FILE string string_view vector`.split(/\s+/),
);

const pieces =
  /(\/\/.*)|(\/\*)|((?:u8|[uUL])?R"([^()\\\s]*)\()|((?:u8|[uUL])?"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\.?\d(?:[\w.']|[eEpP][-+])*)|([A-Za-z_]\w*)/g;

function kindOf(word: string, after: string): TokenKind {
  if (keywords.has(word)) return 'keyword';
  if (types.has(word) || /^u?int\d+_t$|^[a-z]\w*_t$/.test(word)) return 'type';
  return /^\s*\(/.test(after) ? 'call' : '';
}

// `open` is what has to come before the line is ordinary code again: the end of a comment or raw string.
function tokensOf(line: string, open: string): { tokens: Token[]; open: string } {
  const tokens: Token[] = [];
  const put = (kind: TokenKind, text: string) => {
    const last = tokens.at(-1);
    if (!text) return;
    if (last?.kind === kind) last.text += text;
    else tokens.push({ kind, text });
  };
  let at = 0;
  // Takes what belongs to something that may go on in the next lines.
  const takeOpen = (kind: TokenKind, from: number) => {
    const end = line.indexOf(open, from);
    const stop = end < 0 ? line.length : end + open.length;
    put(kind, line.slice(at, stop));
    at = stop;
    if (end >= 0) open = '';
  };
  if (open) takeOpen(open === '*/' ? 'comment' : 'string', 0);
  const directive = open ? undefined : /^\s*#\s*\w*/.exec(line.slice(at));
  if (directive && at === 0) {
    put('directive', directive[0]);
    at = directive[0].length;
    const file = /^include\b/.test(directive[0].replace(/^\s*#\s*/, '')) && /^\s*<[^>]*>/.exec(line.slice(at));
    if (file) {
      put('string', file[0]);
      at += file[0].length;
    }
  }
  while (at < line.length) {
    pieces.lastIndex = at;
    const match = pieces.exec(line);
    if (!match) break;
    put('', line.slice(at, match.index));
    at = match.index;
    const [text, comment, block, raw, delimiter, literal, number, word] = match;
    if (block || raw) {
      open = block ? '*/' : `)${delimiter}"`;
      takeOpen(block ? 'comment' : 'string', at + text.length);
      continue;
    }
    at += text.length;
    put(comment ? 'comment' : literal ? 'string' : number ? 'number' : kindOf(word, line.slice(at)), text);
  }
  put('', line.slice(at));
  return { tokens, open };
}

// `lines` follow each other; what is open at the end of one goes on in the next.
export function highlight(lines: string[]): Token[][] {
  let open = '';
  return lines.map((line) => {
    const done = tokensOf(line, open);
    open = done.open;
    return done.tokens;
  });
}

// The tokens between two characters of their line.
export function cut(tokens: Token[], from: number, to: number): Token[] {
  const out: Token[] = [];
  let at = 0;
  for (const { kind, text } of tokens) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part) out.push({ kind, text: part });
    at += text.length;
  }
  return out;
}
