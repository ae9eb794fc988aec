// The map of the whole trace: a thread a line, time to the right, drawn by pixels and not by events.
//
// Each thread's events are counted per pixel column once for a width; drawing is then independent of how
// many there are. A trace that is not all in the page brings its own counts.

import { ByteReader, bytesOf } from './bytes';
import type { Trace } from './trace';

export interface Bins {
  columns: number;
  counts: Float32Array[]; // by line
  most: number;
}

const MOST_LINES = 64;

export function lineCount(trace: Trace): number {
  return Math.min(trace.threadCount, MOST_LINES);
}

export function binsOf(trace: Trace, columns: number): Bins {
  const lines = lineCount(trace);
  const counts = Array.from({ length: lines }, () => new Float32Array(columns));
  const events = Math.max(trace.events, 1);
  const density = trace.data.density;
  if (density) {
    const reader = new ByteReader(bytesOf(density.counts));
    for (let thread = 0; thread < density.threads; thread++) {
      for (let part = 0; part < density.parts; part++) {
        const count = reader.number();
        if (thread >= lines || count === 0) continue;
        // A part may be wider than a column: it is spread evenly.
        const begin = (part * columns) / density.parts;
        const end = ((part + 1) * columns) / density.parts;
        for (let c = Math.floor(begin); c < end && c < columns; c++) {
          const share = (Math.min(end, c + 1) - Math.max(begin, c)) / (end - begin);
          counts[thread][c] += count * share;
        }
      }
    }
  } else {
    const scale = columns / events;
    for (let row = 0; row < trace.rows; row++) {
      const thread = trace.thread(row);
      if (thread < lines) counts[thread][Math.min(columns - 1, Math.floor(trace.index[row] * scale))]++;
    }
  }
  let most = 0;
  for (const line of counts) for (const count of line) most = Math.max(most, count);
  return { columns, counts, most };
}

export interface MapColors {
  event: string;
  mark: string;
  path: string;
  window: string;
}

export interface Mark {
  index: number;
  thread: number;
  strong: boolean;
}

export function drawMap(
  canvas: HTMLCanvasElement,
  trace: Trace,
  bins: Bins,
  marks: Mark[],
  window: [number, number] | undefined,
  colors: MapColors,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = canvas;
  const lines = bins.counts.length;
  const pitch = height / lines;
  const xOf = (index: number) => (index / Math.max(trace.events, 1)) * width;
  context.clearRect(0, 0, width, height);
  if (window) {
    context.fillStyle = colors.window;
    const begin = xOf(window[0]);
    context.fillRect(begin, 0, Math.max(2, xOf(window[1] + 1) - begin), height);
  }
  context.fillStyle = colors.event;
  const most = Math.log1p(bins.most);
  // Few events have room: they become bars, so that a small trace does not look empty.
  const bar = Math.max(1, (width / Math.max(trace.events, 1)) * 0.8);
  for (let line = 0; line < lines; line++) {
    const top = line * pitch + pitch * 0.2;
    for (let c = 0; c < bins.columns; c++) {
      const count = bins.counts[line][c];
      if (count === 0) continue;
      context.globalAlpha = 0.3 + 0.7 * (Math.log1p(count) / most);
      context.fillRect(c, top, bar, Math.max(1, pitch * 0.6));
    }
  }
  context.globalAlpha = 1;
  for (const mark of marks) {
    if (mark.thread >= lines) continue;
    context.fillStyle = mark.strong ? colors.mark : colors.path;
    const wide = mark.strong ? Math.max(4, bar) : Math.max(2, bar);
    context.fillRect(xOf(mark.index) + bar / 2 - wide / 2, mark.thread * pitch, wide, pitch);
  }
}
