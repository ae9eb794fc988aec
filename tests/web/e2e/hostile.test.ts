// Every string of the program under test is shown as text, whatever it says; nothing leaves the page.
import { close, open, readFileSync, reportOfTrace } from './harness';

afterAll(close);

const nasty = [
  `</script><script>document.title='owned'</script>`,
  `<img src=x onerror=document.title='owned'>`,
  `--><svg/onload=alert(1)>`,
  `"'\`><b>bold</b>{{7*7}}\${7*7}`,
  `javascript:alert(1)`,
  `a\u2028b\u0000c\u202etxt`,
];
const quoted = (text: string) => '"' + text.replace(/[\\"]/g, '\\$&') + '"';

test('hostile names of threads, locations, locks, files, functions and labels stay text', async () => {
  for (const [i, name] of nasty.entries()) {
    const [a, b] = [quoted(name + '1'), quoted(name + '2')];
    const site = (line: number) => `@${quoted(name + '.cc')}:${line}:1 in=${quoted(name)} as=${quoted(name)}`;
    const text = [
      `fork 0 ${a} ${site(1)}`,
      `fork 0 ${b} ${site(2)}`,
      `beg ${a} ${quoted(name)} ${site(3)}`,
      `acq ${a} ${quoted(name)} ${site(3)}`,
      `wr ${a} ${quoted(name)} 1 ${site(4)}`,
      `rel ${a} ${quoted(name)} ${site(5)}`,
      `end ${a} ${quoted(name)} ${site(3)}`,
      `rd ${b} ${quoted(name)} 1 ${site(6)}`,
      '',
    ].join('\n');
    const file = reportOfTrace(`hostile${i}`, text);
    const page = readFileSync(file, 'utf8');
    // The data ends where the viewer says, not where a name does.
    const data = page.slice(page.indexOf('id="foretell-data">') + 19);
    expect(() => JSON.parse(data.slice(0, data.indexOf('</script>')))).not.toThrow();

    const opened = await open(file);
    await opened.page.keyboard.press('1');
    await opened.page.keyboard.press('f');
    await opened.page.keyboard.press('o');
    await opened.page.locator('[data-testid=lanes] .step').first().hover();
    await opened.page.keyboard.press('t');
    expect(opened.problems, name).toEqual([]);
    expect(await opened.page.title()).not.toBe('owned');
    expect(await opened.page.locator('main b:text("bold"), main img, main script, aside img').count()).toBe(0);
    const headline = await opened.page.locator('h1').textContent();
    expect(headline!.replace(/\s+/g, ' ')).toContain('Data race on ' + name.replace(/\s+/g, ' ').replace('\u0000', '\u0000'));
    await opened.page.context().close();
  }
});

test('the page may not load or send anything', async () => {
  const opened = await open(reportOfTrace('sealed', 'wr 1 x 1\nwr 2 x 2\n'));
  const outcomes = await opened.page.evaluate(async () => {
    const fetched = await fetch('https://example.org/').then(() => 'sent', () => 'refused');
    const image = await new Promise((done) => {
      const node = new Image();
      node.onload = () => done('loaded');
      node.onerror = () => done('refused');
      node.src = 'https://example.org/x.png';
    });
    return [fetched, image];
  });
  expect(outcomes).toEqual(['refused', 'refused']);
  // Refused by the page's own policy, before anything went out.
  expect(opened.problems.filter((p) => p.startsWith('request:'))).toEqual([]);
  expect(opened.problems.join()).toContain('Content Security Policy');
});
