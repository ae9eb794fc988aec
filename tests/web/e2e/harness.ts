// Reports made by the real command from real programs and traces, opened in a real browser.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';

export const root = resolve(import.meta.dirname, '../../..');
export const foretell = process.env.FORETELL ?? join(root, 'build/release/bin/foretell');
export const folder = mkdtempSync(join(tmpdir(), 'foretell-web-'));

// What further runs of a program find depends on the time they have.
const environment = { ...process.env, FORETELL_RUNS: '1' };

// Programs under test write no core files and find no settings of whoever runs the tests.
function run(words: string[], codes = [0]): string {
  const done = spawnSync(foretell, words, { cwd: folder, encoding: 'utf8', env: environment });
  if (!codes.includes(done.status ?? -1)) {
    throw new Error(`foretell ${words.join(' ')} exited with ${done.status}\n${done.stdout}${done.stderr}`);
  }
  return done.stdout;
}

// The report of an example program, recorded and replayed.
export function reportOf(example: string): string {
  copyFileSync(join(root, `examples/${example}.cc`), join(folder, `${example}.cc`));
  run(['c++', '-O1', '-pthread', `${example}.cc`, '-o', example]);
  run(['run', '-o', `run-${example}`, '--', `./${example}`], [66]);
  run(['report', `--run=run-${example}`, `--html=${example}.html`]);
  return join(folder, `${example}.html`);
}

// The index of a test run of example programs.
export function indexOf(name: string, examples: string[]): string {
  for (const example of examples) {
    copyFileSync(join(root, `examples/${example}.cc`), join(folder, `${example}.cc`));
    run(['c++', '-O1', '-pthread', `${example}.cc`, '-o', example]);
  }
  const script = examples.map((example) => `./${example}`).join('; ');
  run(['test', '-o', `run-${name}`, `--format=html:${name}.html`, '--', 'sh', '-c', script], [66]);
  return join(folder, `${name}.html`);
}

// The report of a trace in Tiddle text.
export function reportOfTrace(name: string, text: string, options: string[] = []): string {
  writeFileSync(join(folder, `${name}.tiddle`), text);
  run(['analyze', `${name}.tiddle`, `--format=html:${name}.html`, ...options], [0, 66]);
  return join(folder, `${name}.html`);
}

// The report of findings that were written down by hand: kinds that no small program shows.
export function reportOfFindings(name: string, text: string, findings: object[]): string {
  const directory = join(folder, `run-${name}`);
  for (const part of ['', 'schedules', 'outputs']) mkdirSync(join(directory, part), { recursive: true });
  writeFileSync(join(folder, `${name}.tiddle`), text);
  run(['dump', `${name}.tiddle`, '--to=ftrace', '-o', join(directory, 'trace.ftrace')]);
  const info = {
    foretell: 1, version: '0', command: ['./made-up'], directory: folder, program: './made-up',
    build: { size: 0, hash: '' }, stdin: '', mode: 'controlled', strategy: 'round-robin', seed: 1,
    start_time_ns: 0, events: 0, threads: 0, seconds: 0, status: 0, ended: 'exited with 0',
  };
  writeFileSync(join(directory, 'run.json'), JSON.stringify(info));
  const trace = { name: './made-up', events: text.trim().split('\n').length, threads: 3, locks: 1, locations: 1 };
  writeFileSync(join(directory, 'findings.json'), JSON.stringify({ foretell: 1, trace, findings, dismissed: [], warnings: [] }));
  run(['report', `--run=run-${name}`, `--html=${name}.html`]);
  return join(folder, `${name}.html`);
}

let browser: Browser | undefined;

export interface Opened {
  page: Page;
  problems: string[]; // errors, and every request for anything but the page
}

export async function open(file: string, hash = '', dark = false, ready = 'main'): Promise<Opened> {
  browser ??= await chromium.launch({
    executablePath: process.env.FORETELL_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  const context = await browser.newContext({
    viewport: { width: 1500, height: 950 },
    colorScheme: dark ? 'dark' : 'light',
  });
  // A busy machine is slow, not wrong.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems: string[] = [];
  const url = file.startsWith('http') ? file : pathToFileURL(file).href;
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const to = request.url();
    if (to.split('#')[0] !== url && !to.startsWith('data:')) problems.push(`request: ${to}`);
  });
  await page.goto(url + hash);
  await page.waitForSelector(ready);
  return { page, problems };
}

export async function close(): Promise<void> {
  await browser?.close();
  browser = undefined;
  rmSync(folder, { recursive: true, force: true });
}

export { readFileSync };
