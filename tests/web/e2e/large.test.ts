// Long traces: whole up to a limit, then windows and the skeleton, and the page says so.
import { statSync } from 'node:fs';
import { close, open, reportOfTrace } from './harness';

afterAll(close);

// Eight workers that count under a lock, and one race in the middle.
function longTrace(events: number): string {
  const out: string[] = [];
  const workers = 8;
  for (let t = 1; t <= workers; t++) out.push(`fork 0 ${t} @main.cc:${t}:1`);
  let round = 0;
  while (out.length < events - workers) {
    const t = 1 + (round++ % workers);
    out.push(`acq ${t} m @work.cc:10:1`);
    for (let i = 0; i < 20; i++) out.push(`${i % 2 ? 'wr' : 'rd'} ${t} own${t}.${i % 10} @work.cc:${11 + i}:1`);
    out.push(`wr ${t} counter ${round} @work.cc:40:1`, `rel ${t} m @work.cc:41:1`);
    if (round === Math.floor(events / 48)) out.push('wr 1 raced 1 @work.cc:50:1', 'wr 2 raced 2 @work.cc:51:1');
  }
  for (let t = 1; t <= workers; t++) out.push(`join 0 ${t} @main.cc:${20 + t}:1`);
  return out.join('\n') + '\n';
}

test('100,000 events are all there, in a small file, at once', async () => {
  const file = reportOfTrace('large', longTrace(100_000));
  expect(statSync(file).size).toBeLessThan(1_000_000);
  const { page, problems } = await open(file);
  const ready = await page.evaluate(() => performance.getEntriesByName('foretell-ready')[0].startTime);
  console.log(`100,000 events: ready after ${Math.round(ready)} ms, ${statSync(file).size} bytes`);
  expect(await page.getByTestId('cut').count()).toBe(0);
  expect(await page.locator('h1').innerText()).toContain('raced');
  await page.keyboard.press('1');
  await page.keyboard.press('f');
  // Only what is in the window exists.
  expect(await page.locator('[data-testid=lanes] .row').count()).toBeLessThan(200);
  await page.getByTestId('lanes').evaluate((box) => (box.scrollTop = box.scrollHeight));
  await page.locator('[data-testid=lanes] .step:has-text("join")').last().waitFor();
  await page.keyboard.press('o');
  expect(await page.getByTestId('answer-recorded').innerText()).toMatch(/Ordered|Not ordered/);
  expect(problems).toEqual([]);
});

test('of a million events the page has windows and the skeleton, and says so', async () => {
  const file = reportOfTrace('huge', longTrace(1_000_000), ['--analysis=fasttrack']);
  console.log(`1,000,000 events: ${statSync(file).size} bytes`);
  expect(statSync(file).size).toBeLessThan(3_000_000);
  const { page, problems } = await open(file);
  const ready = await page.evaluate(() => performance.getEntriesByName('foretell-ready')[0].startTime);
  console.log(`1,000,000 events: ready after ${Math.round(ready)} ms`);
  expect(await page.getByTestId('cut').innerText()).toMatch(/This page has [\d,]+ of the 1,000,0\d\d events of the run: windows around the findings and everything that synchronizes/);
  // Locks and order are exact all the same.
  await page.keyboard.press('1');
  await page.locator('[data-testid=lanes] .step.event').first().click();
  expect(await page.getByTestId('held').innerText()).toBe('none');
  expect(await page.locator('.foldline').first().innerText()).toMatch(/steps/);
  expect(problems).toEqual([]);
});
