// A finding in words: headline, sentences, and the whole as Markdown.

import type { EventData, FindingData } from './data';
import { rowsOf, type Line } from './fold';
import type { Trace } from './trace';
import { eventText, placeText, noteOf } from './words';

export function objectOf(finding: FindingData): string {
  for (const e of finding.events) if (isAccessWord(e.op) && e.expression) return e.expression;
  return finding.location;
}

function isAccessWord(op: string): boolean {
  return ['rd', 'wr', 'ard', 'awr', 'rmw', 'free'].includes(op);
}

function nondeterminismHeadline(finding: FindingData): string {
  const [read, write] = finding.events;
  if (read.value === undefined) return `The value of ${objectOf(finding)} depends on the schedule`;
  const other = write ? write.value : 'its initial value';
  return `${objectOf(finding)} is ${read.value} or ${other ?? 'something else'}`;
}

export function headline(finding: FindingData): string {
  const n = finding.events.length;
  switch (finding.kind) {
    case 'race':
      return `Data race on ${objectOf(finding)}`;
    case 'memory':
      return upper(finding.headline ?? `use after free of ${objectOf(finding)}`);
    case 'deadlock':
      return upper(finding.headline ?? `deadlock of ${n} thread${n === 1 ? '' : 's'}`);
    case 'atomicity':
      return `${finding.blocks?.[0] ?? finding.location} is not atomic`;
    case 'nondeterminism':
      return nondeterminismHeadline(finding);
    case 'property':
      return `Property violated: ${finding.location}`;
  }
}

export function verdictText(finding: FindingData, dismissed: boolean): string {
  if (dismissed) return 'cannot happen';
  switch (finding.verdict) {
    case 'confirmed':
      return 'confirmed on the real binary';
    case 'unordered':
      return 'unordered by the rules of C and C++';
    case 'predicted':
      return 'predicted, with a checked schedule';
    case 'possible':
      return 'possible, without a schedule';
  }
}

export function threadText(e: EventData): string {
  return e.thread_name ? `${e.thread} ‘${e.thread_name}’` : e.thread;
}

// The verbs of src/trace/event.def (tests/cli/web_words.sh), and what locks and destroys.
const eventVerbs: Record<string, string> = {
  rd: 'reads',
  wr: 'writes',
  ard: 'atomically reads',
  awr: 'atomically writes',
  rmw: 'atomically updates',
  free: 'frees',
  acq: 'locks',
  sacq: 'locks (shared)',
  rel: 'unlocks',
  srel: 'unlocks (shared)',
  dlock: 'destroys',
  dcond: 'destroys',
  dbarrier: 'destroys',
  dsem: 'destroys',
};

function locksText(e: EventData): string {
  if (e.locks.length === 0) return 'holding no lock';
  return 'holding ' + e.locks.map((l) => l.lock + (l.shared ? ' (shared)' : '')).join(', ');
}

// One sentence for each event of the finding.
export function sentence(finding: FindingData, e: EventData): string {
  const what = e.expression && isAccessWord(e.op) ? e.expression : (e.object ?? '');
  if (finding.kind === 'deadlock') {
    const holds = e.locks.map((l) => l.lock).join(', ');
    return `${threadText(e)} ${holds ? `holds ${holds} and ` : ''}waits for ${e.awaits ?? e.object}`;
  }
  const verb = eventVerbs[e.op] ?? e.op;
  return `${threadText(e)} ${verb} ${what}${e.value === undefined ? '' : ` (${e.value})`}, ${locksText(e)}`;
}

// How what a finding is about came to be.
export function originText(e: EventData): string {
  const verb = { fork: 'creates', alloc: 'allocates' }[e.op] ?? eventVerbs[e.op] ?? e.op;
  return `${threadText(e)} ${verb} ${e.expression && e.op !== 'fork' ? e.expression : (e.object ?? '')}`;
}

// "main.cc:8" of "src/main.cc:8:15".
export function shortSite(site: string): string {
  const match = /([^/]*?):(\d+)(?::\d+)?$/.exec(site);
  return match ? `${match[1]}:${match[2]}` : site;
}

export interface Fact {
  label: string;
  text: string;
  code?: boolean;
}

export function factsOf(finding: FindingData, dismissed: boolean): Fact[] {
  const facts: Fact[] = [];
  const add = (label: string, text: string | undefined, code = false) => {
    if (text) facts.push({ label, text, code });
  };
  add('Why it did not show', finding.why && upper(finding.why) + '.');
  if (finding.kind === 'nondeterminism' && !finding.events[1]) add('Other value', 'the initial value');
  add(dismissed ? 'Why it cannot happen' : 'No schedule', finding.reason);
  add(finding.verdict === 'confirmed' ? 'Replay' : 'Not confirmed', finding.replay);
  add('Consequence', finding.consequence && upper(finding.consequence) + '.');
  add('Fix', finding.fix && upper(finding.fix));
  add('Pattern', finding.pattern);
  if (finding.predicted && !dismissed) add('Replay it', `foretell replay ${finding.id}`, true);
  if ((finding.schedule_text?.length ?? 0) <= 100) add('Schedule', finding.schedule_text, true);
  add('Found by', finding.analyses.join(', '));
  return facts;
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fence(text: string): string {
  // A fence longer than any in the text.
  let ticks = '```';
  while (text.includes(ticks)) ticks += '`';
  return `${ticks}\n${text}\n${ticks}\n`;
}

// Names come from the program: nothing in them may become markup.
function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&').replace(/[\r\n]+/g, ' ');
}

function laneText(trace: Trace, line: Line): string {
  if (line.type === 'fold') return `      … ${line.steps} more`;
  const number = line.type === 'blocked' ? 'stuck' : String(line.number);
  return rowsOf(line)
    .map((row, i) => {
      const thread = trace.data.threads[trace.thread(row)].id;
      const what = line.type === 'blocked' ? 'waits: ' + eventText(trace, row) : eventText(trace, row);
      const value = noteOf(trace, line);
      const text = `${(i === 0 ? number : '').padStart(5)} ${thread.padEnd(4)} ${what}${value ? ' ' + value : ''}`;
      const place = placeText(trace, row);
      return `${text}${place ? `   (${place})` : ''}${line.type === 'together' ? '   <-- at once' : ''}`;
    })
    .join('\n');
}

export function markdown(trace: Trace, finding: FindingData, dismissed: boolean, lines: Line[], view: string): string {
  let out = `### ${plain(headline(finding))} (${finding.id}, ${verdictText(finding, dismissed)})\n\n`;
  for (const e of finding.events) out += `- \`${e.site.replace(/`/g, "'")}\`: ${plain(sentence(finding, e))}\n`;
  out += `\n${view === 'recorded' ? 'As recorded' : 'How it happens'}:\n\n`;
  out += fence(lines.map((line) => laneText(trace, line)).join('\n'));
  for (const fact of factsOf(finding, dismissed)) {
    out += `\n**${fact.label}**: ${fact.code ? '`' + fact.text.replace(/`/g, "'") + '`' : plain(fact.text)}\n`;
  }
  return out;
}
