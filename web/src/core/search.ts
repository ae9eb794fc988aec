// Which findings the list shows.

import type { FindingData } from './data';
import { headline } from './story';

export interface ListedFinding {
  finding: FindingData;
  dismissed: boolean;
  headline: string;
  haystack: string;
}

export function listed(findings: FindingData[], dismissed: FindingData[]): ListedFinding[] {
  const entry = (finding: FindingData, isDismissed: boolean): ListedFinding => {
    const words = [finding.id, finding.kind, headline(finding), finding.location, finding.verdict];
    for (const e of finding.events) {
      words.push(e.site, e.function ?? '', e.expression ?? '', e.thread, e.thread_name ?? '');
      for (const lock of e.locks) words.push(lock.lock);
    }
    return {
      finding,
      dismissed: isDismissed,
      headline: headline(finding),
      haystack: words.join('\n').toLowerCase(),
    };
  };
  return [...findings.map((f) => entry(f, false)), ...dismissed.map((f) => entry(f, true))];
}

// Every word of the query must occur. No kinds or verdicts chosen means all, but what cannot happen is
// only shown to who asks for it.
export function matching(all: ListedFinding[], query: string, kinds: string[], verdicts: string[]): ListedFinding[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((entry) => {
    const verdict = entry.dismissed ? 'dismissed' : entry.finding.verdict;
    if (verdicts.length === 0 ? entry.dismissed : !verdicts.includes(verdict)) return false;
    if (kinds.length > 0 && !kinds.includes(entry.finding.kind)) return false;
    return words.every((word) => entry.haystack.includes(word));
  });
}
