// Findings of other kinds than races.
import { close, open, reportOf, reportOfFindings } from './harness';

afterAll(close);

test('deadlock: the ring of who waits for whom, and where everybody is stuck', async () => {
  const { page, problems } = await open(reportOf('transfer'));
  expect(await page.locator('h1').innerText()).toMatch(/Deadlock of 2 threads/);
  const ring = page.getByTestId('ring').getByRole('img');
  expect(await ring.getAttribute('aria-label')).toBe(
    'T1 waits for checking.lock held by T2 waits for savings.lock held by T1',
  );
  const stuck = page.locator('.row-blocked .step');
  expect((await stuck.allInnerTexts()).map((t) => t.replace(/\s+/g, ' '))).toEqual([
    expect.stringContaining('waits for checking.lock'),
    expect.stringContaining('waits for savings.lock'),
  ]);
  // Both sections are open at the end: two bands reach the last line.
  expect(await page.locator('.band').count()).toBe(2);
  await page.getByTestId('ring').locator('g.thread').nth(1).click();
  expect(await page.getByTestId('held').innerText()).toContain('checking.lock');
  expect(problems).toEqual([]);
});

const event = (index: number, thread: string, op: string, object: string) => ({
  index, thread, op, object, expression: object, site: `made.cc:${index + 1}:1`, locks: [],
});

test('a lost notify: the look, the notify that came too early, and the wait', async () => {
  const { page, problems } = await open(reportOf('mailbox'));
  expect(await page.locator('h1').innerText()).toMatch(/^Deadlock: lost notification, the notify comes before the wait/);
  const steps = (await page.locator('[data-testid=lanes] .step').allInnerTexts()).map((t) => t.replace(/\s+/g, ' '));
  const at = (words: RegExp) => steps.findIndex((t) => words.test(t));
  expect(at(/read box\.letters/)).toBeGreaterThanOrEqual(0);
  expect(at(/read box\.letters/)).toBeLessThan(at(/^notify one/));
  expect(at(/^notify one/)).toBeLessThan(at(/^wait on box/));
  expect(problems).toEqual([]);
});

test('atomicity: a bracket around the block, and the intruder in it', async () => {
  const text = `fork 0 1
fork 0 2
start 1
beg 1 withdraw
rd 1 balance 100 @made.cc:5:1
wr 1 balance 90 @made.cc:6:1
end 1 withdraw
start 2
wr 2 balance 50 @made.cc:9:1
`;
  const finding = {
    id: 'atomicity-1', kind: 'atomicity', verdict: 'predicted', analyses: [], location: 'withdraw', occurrences: 1,
    blocks: ['withdraw'], pattern: 'R-W-W',
    events: [event(4, '1', 'rd', 'balance'), event(8, '2', 'wr', 'balance'), event(5, '1', 'wr', 'balance')],
    witness: [0, 1, 2, 3, 4, 7, 8, 5],
  };
  const { page, problems } = await open(reportOfFindings('atomicity', text, [finding]));
  expect(await page.locator('h1').innerText()).toMatch(/withdraw is not atomic/);
  expect(await page.getByTestId('bracket').count()).toBe(1);
  const box = (await page.getByTestId('bracket').boundingBox())!;
  const intruder = (await page.locator('[data-index="8"]').boundingBox())!;
  expect(intruder.y).toBeGreaterThan(box.y);
  expect(intruder.y + intruder.height).toBeLessThan(box.y + box.height);
  const order = await page.locator('.step.event').evaluateAll((nodes) => nodes.map((n) => (n as HTMLElement).dataset.index));
  expect(order).toEqual(['4', '8', '5']);
  expect(problems).toEqual([]);
});

test('nondeterminism: two results side by side, each with the write it comes from', async () => {
  const { page, problems } = await open(reportOf('winner'));
  expect(await page.locator('h1').innerText()).toMatch(/^result is 42 or 7/);
  const results = page.getByTestId('results').locator('.result');
  expect((await results.allInnerTexts()).map((t) => t.replace(/\s+/g, ' '))).toEqual([
    'As recorded 42 written by T2 at winner.cc:15',
    'As predicted 7 written by T1 at winner.cc:15',
  ]);
  // The same step says in each schedule what it returns there.
  const read = page.locator('.step.event:has-text("read")');
  expect(await read.innerText()).toMatch(/= 7, not 42/);
  await page.keyboard.press('1');
  expect(await read.innerText()).toMatch(/= 42/);
  await results.nth(1).getByRole('button').click();
  expect(await page.locator('.step.selected').innerText()).toMatch(/write\s+result\s+= 7/);
  expect(problems).toEqual([]);
});
