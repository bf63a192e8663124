import { expect, it } from 'vitest';
import { propertiesLedgerOf, type PropertySpec } from '../../../core/vocabulary/documents/computed.ts';
import type { LedgerState } from '../../../core/vocabulary/state/state.ts';
import { createDraft } from '../term/draft.ts';
import { createPropertySync, unfilledProperties } from './property-sync.ts';

it('repeats a change whose record was refused, also after records that may not have it', () => {
  const spec: PropertySpec = { event: 'lost', aggregate: 'count', days: 0 };
  const properties = createPropertySync({
    entities: { get: () => undefined, ledgersOf: () => [] },
    definitions: {
      computed: () => new Map([['p', spec]]),
      computedScopes: () => [{ game: 'demo', environment: 'live' }],
      computedVersion: 1,
      revision: 1,
    },
  });
  const draft = () => createDraft(() => undefined);
  expect(properties.sync(draft(), 0, 1_000)).toBe(true);
  // FACTS refused that record, and is full: only records without it are stored.
  expect(properties.sync(draft(), 0, 0)).toBe(false);
  properties.stored();
  const next = draft();
  expect(properties.sync(next, 0, 1_000)).toBe(true);
  expect(next.facts.map(({ kind }) => kind)).toEqual(['PropertiesChanged']);
});

it('changes nothing with definitions that are older than those of the ledger', () => {
  const property = { id: 'p', spec: '{}', generation: 1, from: 3, filled: true };
  const ledger: LedgerState = {
    kind: 'ledger',
    id: propertiesLedgerOf('demo', 'live'),
    game: 'demo',
    environment: 'live',
    keys: [],
    properties: { revision: 5, generation: 1, list: [property] },
    lastSeq: 3,
  };
  const emitted = (revision: number) => {
    const properties = createPropertySync({
      entities: { get: () => ledger, ledgersOf: () => [ledger.id] },
      definitions: { computed: () => new Map(), computedScopes: () => [], computedVersion: 1, revision },
    });
    const draft = createDraft((id) => (id === ledger.id ? ledger : undefined));
    properties.sync(draft, 0, 1_000);
    return draft.facts.length;
  };
  expect([emitted(4), emitted(5)]).toEqual([0, 1]);
});

it('reports a property as not counted from its definition on, before a record has begun it', () => {
  const spec: PropertySpec = { event: 'lost', aggregate: 'count', days: 0 };
  const definitions = {
    computed: () =>
      new Map([
        ['old', spec],
        ['new', spec],
      ]),
    computedScopes: () => [{ game: 'demo', environment: 'live' } as const],
  };
  const ledger = (filled: boolean): LedgerState => ({
    kind: 'ledger',
    id: propertiesLedgerOf('demo', 'live'),
    game: 'demo',
    environment: 'live',
    keys: [],
    properties: { revision: 5, generation: 1, list: [{ id: 'old', spec: '{}', generation: 1, from: 3, filled }] },
    lastSeq: 3,
  });
  const unfilled = (state: LedgerState | undefined) =>
    unfilledProperties({ get: () => state, ledgersOf: () => (state === undefined ? [] : [state.id]) }, definitions);
  expect(unfilled(ledger(true))).toEqual({ 'demo/live': ['new'] });
  expect(unfilled(ledger(false))).toEqual({ 'demo/live': ['old', 'new'] });
  expect(unfilled(undefined)).toEqual({ 'demo/live': ['new', 'old'] });
});
