// examples/audit.cc: a race that the recorded order hides.
import { close, open, reportOf, type Opened } from './harness';

let file = '';
let opened: Opened;
beforeAll(() => {
  file = reportOf('audit');
});
afterAll(close);
beforeEach(async () => {
  opened = await open(file);
});
afterEach(async () => {
  expect(opened.problems).toEqual([]);
  await opened.page.context().close();
});

const step = (text: string) => `[data-testid=lanes] .step:has-text("${text}")`;

test('opens with the finding told: what, where, why it did not show, what to do', async () => {
  const { page } = opened;
  await expectText('h1', /Data race on account\.balance\s+confirmed on the real binary/);
  await expectText('.sentences', /T1 writes account\.balance \(110\), holding no lock/);
  await expectText('.story', /T1 happened to unlock 'account\.lock' before T2 locked it\./);
  await expectText('.story', /Take 'account\.lock' in both places/);
  await expectText('.story', /foretell replay race-1/);
  expect(await page.title()).toBe('./audit · Foretell');
});

async function expectText(selector: string, pattern: RegExp): Promise<void> {
  expect((await opened.page.locator(selector).first().innerText()).replace(/\s+/g, ' ')).toMatch(pattern);
}

test('the map has ink in every thread and red where the race is', async () => {
  const counts = await opened.page.locator('.map canvas').evaluate((node) => {
    const canvas = node as HTMLCanvasElement;
    const context = canvas.getContext('2d')!;
    const pitch = canvas.height / 3;
    return [0, 1, 2].map((line) => {
      const { data } = context.getImageData(0, line * pitch, canvas.width, pitch);
      let ink = 0;
      let red = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 0) ink++;
        if (data[i + 3] > 200 && data[i] > 200 && data[i + 1] < 90) red++;
      }
      return { ink: ink > 100, red: red > 10 };
    });
  });
  expect(counts).toEqual([{ ink: true, red: false }, { ink: true, red: true }, { ink: true, red: true }]);
});

test('predicted: both accesses stand in one line, at once', async () => {
  const { page } = opened;
  const together = page.locator('.row-together');
  await together.waitFor();
  expect(await together.locator('.step').count()).toBe(2);
  expect(await together.innerText()).toMatch(/at once[\s\S]*write[\s\S]*account\.balance[\s\S]*read[\s\S]*account\.balance/);
  // T2's critical section comes before, T1's does not happen.
  expect(await page.locator(step('lock account.lock')).count()).toBe(2);
});

test('recorded, predicted, both: by button and by key', async () => {
  const { page } = opened;
  await page.getByRole('radio', { name: 'recorded' }).click();
  expect(await page.locator('.row-together').count()).toBe(0);
  expect(await page.locator('.link.chance').count()).toBe(1);
  expect(page.url()).toContain('view=recorded');
  await page.keyboard.press('3');
  expect(await page.getByTestId('lanes').count()).toBe(2);
  await page.keyboard.press('2');
  expect(await page.getByTestId('lanes').count()).toBe(1);
});

test('folds hide what says little and open on a click', async () => {
  const { page } = opened;
  await page.keyboard.press('1');
  const before = await page.locator('[data-testid=lanes] .step').count();
  await page.locator('.foldline').first().click();
  expect(await page.locator('[data-testid=lanes] .step').count()).toBeGreaterThan(before);
  await page.keyboard.press('f');
  await page.keyboard.press('f');
  expect(await page.locator('.foldline').count()).toBe(0);
});

test('hover lights the cone: before, after, and what fades is concurrent', async () => {
  const { page } = opened;
  await page.keyboard.press('1');
  await page.locator('[data-testid=lanes] .step', { hasText: 'unlock' }).first().hover();
  expect(await page.locator('.step.self').count()).toBe(1);
  const texts = async (relation: string) => (await page.locator(`.step.${relation}`).allInnerTexts()).map((t) => t.replace(/\s+/g, ' '));
  expect((await texts('past')).join()).toContain('write account.balance');
  expect((await texts('future')).join()).toMatch(/lock account\.lock.*read account\.balance/);
  expect((await texts('concurrent')).join()).toContain('thread starts');
  expect(await page.getByTestId('held').innerText()).toContain('account.lock');
  await page.mouse.move(2, 2);
  expect(await page.locator('.step.past').count()).toBe(0);
});

test('ordered? two clicks: ordered through the lock as recorded, not as predicted', async () => {
  const { page } = opened;
  await page.keyboard.press('1');
  await page.locator('.step.event').nth(0).click();
  expect(await page.getByTestId('ordered').count()).toBe(0);
  await page.locator('.step.event').nth(1).click();
  const recorded = (await page.getByTestId('answer-recorded').innerText()).replace(/\s+/g, ' ');
  expect(recorded).toMatch(/Ordered.*T1 unlock account\.lock.*then the lock is taken by.*T2 lock account\.lock/);
  expect(await page.getByTestId('answer-predicted').innerText()).toContain('Not ordered');
  expect(await page.locator('.link.path').count()).toBe(1);
  await page.keyboard.press('Escape');
  expect(await page.getByTestId('ordered').count()).toBe(0);
});

test('the source pane marks the line and follows what is selected', async () => {
  const { page } = opened;
  const here = page.locator('.codeline.here');
  expect(await here.innerText()).toContain('account.balance += amount;');
  await page.locator('.sentences .site').nth(1).click();
  expect(await here.innerText()).toContain('if (account.balance < 0)');
  expect(await here.locator('mark').innerText()).toBe('balance');
  expect(await page.getByTestId('value').innerText()).toBe('110');
});

test('the source is colored, and a second pane has the other access', async () => {
  const { page } = opened;
  expect(await page.getByTestId('source').locator('.tok-keyword').count()).toBeGreaterThan(0);
  expect(await page.getByTestId('source').locator('.tok-comment').count()).toBeGreaterThan(0);
  const second = page.getByTestId('source-2').locator('.codeline.at');
  expect(await second.innerText()).toContain('if (account.balance < 0)');
  await page.locator('.sentences .site').nth(1).click();
  expect(await second.innerText()).toContain('account.balance += amount;');
});

test('call stacks of the accesses, and of what made their threads', async () => {
  const { page } = opened;
  await page.getByTestId('origins').locator('summary').click();
  const origins = (await page.getByTestId('origins').innerText()).replace(/\s+/g, ' ');
  expect(origins).toMatch(/audit\.cc:32 T0.* creates T1/);
  expect(origins).toMatch(/audit\.cc:33 T0.* creates T2/);
});

test('800 by 600: nothing wider than the page, names in all lanes, the finding in sight when unfolded', async () => {
  const { page } = opened;
  await page.setViewportSize({ width: 800, height: 600 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(800);
  await page.keyboard.press('f');
  expect(await page.locator('.row-together').isVisible()).toBe(true);
  const names = await page.locator('[data-testid=lanes] .row-step .step .object').evaluateAll((nodes) =>
    nodes.map((n) => (n as HTMLElement).clientWidth >= Math.min(40, (n as HTMLElement).scrollWidth)),
  );
  expect(names.length).toBeGreaterThan(3);
  expect(names).not.toContain(false);
  await page.keyboard.press('3');
  const boxes = await Promise.all((await page.locator('.view').all()).map((view) => view.boundingBox()));
  expect(boxes[1]!.y).toBeGreaterThan(boxes[0]!.y + boxes[0]!.height - 1);
});

test('keys: j and k walk the steps, / searches, ? helps', async () => {
  const { page } = opened;
  const selected = () => page.locator('.step.selected').getAttribute('data-index');
  await page.keyboard.press('j');
  const first = Number(await selected());
  await page.keyboard.press('j');
  const second = Number(await selected());
  expect(second).toBeGreaterThan(first);
  await page.keyboard.press('k');
  expect(Number(await selected())).toBe(first);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('no such thing');
  expect(await page.locator('.findings').innerText()).toContain('No finding matches.');
});

test('the address brings back the same page', async () => {
  const { page } = opened;
  await page.keyboard.press('3');
  await page.keyboard.press('o');
  await page.keyboard.press('d');
  const again = await open(file, new URL(page.url()).hash);
  expect(await again.page.getByTestId('lanes').count()).toBe(2);
  expect(await again.page.getByTestId('answer-recorded').innerText()).toContain('Ordered');
  expect(await again.page.locator('html').getAttribute('data-theme')).toBe('dark');
  expect(again.problems).toEqual([]);
  await again.page.context().close();
});

test('dark mode: by the system, and by the button against it', async () => {
  const brightness = (page: Opened['page']) =>
    page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)![0]));
  expect(await brightness(opened.page)).toBeGreaterThan(200);
  const dark = await open(file, '', true);
  expect(await brightness(dark.page)).toBeLessThan(60);
  await dark.page.getByRole('button', { name: 'Light or dark' }).click();
  expect(await brightness(dark.page)).toBeGreaterThan(200);
  await dark.page.context().close();
});

test('the table has what the lanes have, and prints', async () => {
  const { page } = opened;
  const table = page.getByRole('table', { name: 'The predicted schedule' });
  expect(await table.locator('tr.event').allInnerTexts()).toEqual([
    expect.stringMatching(/at once\s+T1\s+write\s+account\.balance\s+audit\.cc:18:19/),
    expect.stringMatching(/at once\s+T2\s+read\s+account\.balance\s+audit\.cc:28:15/),
  ]);
  await page.keyboard.press('t');
  expect(await page.getByTestId('lanes').isVisible()).toBe(false);
  await page.keyboard.press('t');
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByTestId('lanes').isVisible()).toBe(false);
  expect(await page.locator('nav').isVisible()).toBe(false);
  const box = await table.boundingBox();
  expect(box!.width).toBeGreaterThan(400);
});

test('copies the finding as Markdown', async () => {
  const { page } = opened;
  await page.evaluate(() => {
    // The clipboard of a file:// page asks the user; what goes to it is what matters here.
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: (text: string) => ((globalThis as { copied?: string }).copied = text) },
    });
  });
  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  const copied = await page.evaluate(() => (globalThis as { copied?: string }).copied ?? '');
  expect(copied).toContain('### Data race on account.balance (race-1, confirmed on the real binary)');
  expect(copied).toContain('- `audit.cc:18:19`: T1 writes account.balance');
  expect(copied).toMatch(/T2 {3}read account\.balance {3}\(audit\.cc:28\) {3}<-- at once/);
  expect(await page.locator('.notice').innerText()).toBe('Copied as Markdown');
});
