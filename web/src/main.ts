import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import type { ReportData } from './core/data';
import { Trace } from './core/trace';

const element = document.getElementById('foretell-data');
const target = document.getElementById('app')!;
if (!element?.textContent) {
  target.textContent = 'This page has no data: it is made by foretell report --html.';
} else {
  const data = JSON.parse(element.textContent) as ReportData;
  // The text is several times the size of what was read from it.
  element.remove();
  const trace = new Trace(data.trace, data.sources, data.summary.events);
  document.title = `${data.summary.name} · Foretell`;
  mount(App, { target, props: { data, trace } });
  performance.mark('foretell-ready');
}
