// Several findings, none, and what the judge refuted.
import { close, indexOf, open, reportOfTrace, type Opened } from './harness';

afterAll(close);

// Two races and a deadlock.
const several = `fork 0 1 @main.cc:1:1
fork 0 2 @main.cc:2:1
wr 1 alpha 1 @one.cc:3:1
wr 1 beta 2 @one.cc:4:1
req 1 m @one.cc:5:1
acq 1 m @one.cc:5:1
req 1 n @one.cc:6:1
acq 1 n @one.cc:6:1
rel 1 n @one.cc:7:1
rel 1 m @one.cc:8:1
req 2 n @two.cc:3:1
acq 2 n @two.cc:3:1
req 2 m @two.cc:4:1
acq 2 m @two.cc:4:1
rel 2 m @two.cc:5:1
rel 2 n @two.cc:6:1
rd 2 alpha 1 @two.cc:7:1
rd 2 beta 2 @two.cc:8:1
`;

const ids = async ({ page }: Opened) => page.locator('.finding .line b').allInnerTexts();

test('filter by kind, search by any word, step with n and p', async () => {
  const opened = await open(reportOfTrace('several', several));
  const { page } = opened;
  expect((await ids(opened)).sort()).toEqual(['deadlock-1', 'race-1', 'race-2']);
  await page.getByRole('button', { name: /^deadlock/ }).first().click();
  expect(await ids(opened)).toEqual(['deadlock-1']);
  expect(page.url()).toContain('kind=deadlock');
  await page.getByRole('button', { name: /^deadlock/ }).first().click();
  await page.getByRole('searchbox').fill('BETA two.cc');
  expect((await ids(opened)).length).toBe(1);
  await page.getByRole('searchbox').fill('');
  await page.keyboard.press('Escape');
  const current = () => page.locator('.finding[aria-current=true] .line b').innerText();
  const order = await ids(opened);
  await page.keyboard.press('n');
  expect(await current()).toBe(order[1]);
  await page.keyboard.press('n');
  expect(await current()).toBe(order[2]);
  await page.keyboard.press('p');
  expect(await current()).toBe(order[1]);
  expect(page.url()).toContain(`f=${order[1]}`);
  expect(opened.problems).toEqual([]);
});

test('the index of many processes: each finding with its source, and a page behind it', async () => {
  const file = indexOf('processes', ['bank', 'transfer']);
  const opened = await open(file, '', false, 'article');
  const { page } = opened;
  const articles = await page.locator('article').allInnerTexts();
  expect(articles.join()).toMatch(/race-1: data race on 'account\.balance'/);
  expect(articles.join()).toMatch(/account\.balance \+= amount;/);
  expect(articles.join()).toMatch(/deadlock-1: deadlock of 2 threads/);
  expect(await page.locator('table').innerText()).toMatch(/\.\/bank\s+race-1/);
  await page.setViewportSize({ width: 800, height: 600 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800);
  const link = await page.locator('article a').first().getAttribute('href');
  expect(link).toMatch(/^processes-\d+\.html#f=(race|deadlock)-1$/);
  expect(opened.problems).toEqual([]);
});

test('a run without findings says so and still shows its map', async () => {
  const opened = await open(reportOfTrace('clean', 'wr 0 x 1\nfork 0 1\nrd 1 x 1\n'));
  expect(await opened.page.locator('h1').innerText()).toBe('No findings');
  expect(await opened.page.locator('.map canvas').count()).toBe(1);
  expect(opened.problems).toEqual([]);
});

test('what was refuted is shown to who asks, with the reason', async () => {
  // Happens-before calls it a race after the first one; no correct reordering has it.
  const text = `wr 1 x 1 @a.cc:1:1
wr 1 flag 1 @a.cc:2:1
rd 2 flag 1 @a.cc:3:1
wr 2 x 2 @a.cc:4:1
`;
  const opened = await open(reportOfTrace('refuted', text));
  const chip = opened.page.getByRole('button', { name: /dismissed/ });
  expect(await chip.count()).toBe(1);
  await chip.click();
  await opened.page.locator('.finding.dismissed').first().click();
  expect(await opened.page.locator('.badge').innerText()).toBe('cannot happen');
  expect(await opened.page.locator('.story').innerText()).toContain('Why it cannot happen');
  expect(await opened.page.getByRole('radio', { name: 'predicted' }).isDisabled()).toBe(true);
  expect(opened.problems).toEqual([]);
});
