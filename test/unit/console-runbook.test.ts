import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RUNBOOK_ENTRIES } from '../../src/api/operations/status-findings.ts';
import { codeParts, runbookEntry } from '../../console/src/operations/runbook-text.ts';

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

it.each(RUNBOOK_ENTRIES)('the runbook has the entry %s, without addresses of links', (entry) => {
  const items = runbookEntry(PAGE, entry);
  expect(items.map(({ title }) => title)).toEqual(['Symptom', 'Meaning', 'Look at', 'Do']);
  for (const { text } of items) {
    expect(text).not.toMatch(/\]\(|\*\*/);
    expect(codeParts(text).length % 2).toBe(1);
  }
});

it('an entry that does not exist has no items', () => {
  expect(runbookEntry(PAGE, 'NoSuchEntry')).toEqual([]);
});
