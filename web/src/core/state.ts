// What the page shows, as the hash of its address: a link to it shows the same.

export type View = 'recorded' | 'predicted' | 'both';

export interface PageState {
  finding: string;
  view: View;
  table: boolean;
  selected: number[]; // indices of up to two events
  query: string;
  kinds: string[]; // empty: all
  verdicts: string[];
  theme: '' | 'light' | 'dark';
}

export const initialState: PageState = {
  finding: '',
  view: 'predicted',
  table: false,
  selected: [],
  query: '',
  kinds: [],
  verdicts: [],
  theme: '',
};

export function toHash(state: PageState): string {
  const parameters = new URLSearchParams();
  if (state.finding) parameters.set('f', state.finding);
  if (state.view !== initialState.view) parameters.set('view', state.view);
  if (state.table) parameters.set('table', '1');
  if (state.selected.length > 0) parameters.set('e', state.selected.join('.'));
  if (state.query) parameters.set('q', state.query);
  if (state.kinds.length > 0) parameters.set('kind', state.kinds.join('.'));
  if (state.verdicts.length > 0) parameters.set('verdict', state.verdicts.join('.'));
  if (state.theme) parameters.set('theme', state.theme);
  return '#' + parameters.toString();
}

// Anything may stand in an address: what makes no sense is left out.
export function fromHash(hash: string): PageState {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const list = (key: string) => (parameters.get(key) ?? '').split('.').filter((word) => /^[a-z]+$/.test(word));
  const view = parameters.get('view');
  const theme = parameters.get('theme');
  return {
    finding: parameters.get('f') ?? '',
    view: view === 'recorded' || view === 'both' ? view : 'predicted',
    table: parameters.get('table') === '1',
    selected: (parameters.get('e') ?? '')
      .split('.')
      .filter((word) => /^\d+$/.test(word))
      .map(Number)
      .slice(0, 2),
    query: parameters.get('q') ?? '',
    kinds: list('kind'),
    verdicts: list('verdict'),
    theme: theme === 'light' || theme === 'dark' ? theme : '',
  };
}
