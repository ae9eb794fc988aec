// Every string of the program under test is shown as text, whatever it says; nothing leaves the page.
import { createServer, type AddressInfo } from 'node:net';
import { close, open, readFileSync, reportOfTrace } from './harness';

afterAll(close);

const nasty = [
  `</script><script>document.title='owned'</script>`,
  `<img src=x onerror=document.title='owned'>`,
  `--><svg/onload=alert(1)>`,
  `"'\`><b>bold</b>{{7*7}}\${7*7}`,
  `javascript:alert(1)`,
  `a\u2028b\u0007c\u202etxt`,
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
    const file = reportOfTrace(`hostile${i}`, text, ['--input-format=tiddle']);
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
    // No element came from a name: the viewer itself makes none of these, nor a <b> of that text alone.
    expect(await opened.page.locator('img, main script, aside script, nav script, b:text-is("bold")').count(), name).toBe(0);
    const headline = await opened.page.locator('h1').textContent();
    expect(headline!.replace(/\s+/g, ' ')).toContain('Data race on ' + name.replace(/\s+/g, ' '));
    await opened.page.context().close();
  }
});

test('the page may not load or send anything', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const tries = async (url: string) => {
    const one = (make: (ended: (how: string) => void) => void) => new Promise<string>(make);
    const fetched = await fetch(url).then(() => 'sent', () => 'refused');
    const image = await one((ended) => {
      const node = new Image();
      node.onload = () => ended('loaded');
      node.onerror = () => ended('refused');
      node.src = url + 'x.png';
    });
    const script = await one((ended) => {
      const node = document.createElement('script');
      node.onload = () => ended('loaded');
      node.onerror = () => ended('refused');
      node.src = url + 'x.js';
      document.head.append(node);
    });
    return [fetched, image, script];
  };
  try {
    const sealed = await open(reportOfTrace('sealed', 'wr 1 x 1\nwr 2 x 2\n'));
    expect(await sealed.page.evaluate(tries, target)).toEqual(['refused', 'refused', 'refused']);
    expect(sealed.problems.join()).toContain('Content Security Policy');
    expect(connections).toBe(0);
    // The same tries from a page without the policy do arrive, so the count above means something.
    await sealed.page.goto('about:blank');
    await sealed.page.evaluate(tries, target);
    expect(connections).toBeGreaterThan(0);
  } finally {
    server.close();
  }
});
