import { describe, expect, it } from 'vitest';
import { decodeCommit, decodeEvents, encodeCommit } from '../../codec/codec.ts';
import { SAMPLES, wrap } from '../../../test/fixtures/codec/samples.ts';
import { createContextPacker, createContextUnpacker, type EventContext, NEW_CONTEXT } from './event-context.ts';

const CONTEXTS: readonly EventContext[] = [
  NEW_CONTEXT,
  { ...NEW_CONTEXT, lifecycleStage: 'active' },
  { ...NEW_CONTEXT, isPayer: true },
  { ...NEW_CONTEXT, country: 'DE' },
  { ...NEW_CONTEXT, platform: 'DE' },
  { ...NEW_CONTEXT, appVersion: 'DE' },
  { ...NEW_CONTEXT, build: 'DE' },
  { ...NEW_CONTEXT, platform: 'a', appVersion: 'b c' },
  { ...NEW_CONTEXT, platform: 'a b', appVersion: 'c' },
  { ...NEW_CONTEXT, country: '1 ', platform: '', appVersion: '1', build: '\u0000' },
  { ...NEW_CONTEXT, country: '1', platform: ' ', appVersion: '1', build: '\u0000' },
];

describe('the contexts of the events of a record', () => {
  it('are read as they were written, each stored once', () => {
    const pack = createContextPacker();
    const sent = [...CONTEXTS, ...CONTEXTS.toReversed(), ...CONTEXTS];
    const packed = sent.map(pack);
    expect(packed.map((tuple) => typeof tuple)).toEqual([
      ...CONTEXTS.map(() => 'object'),
      ...Array<string>(2 * CONTEXTS.length).fill('number'),
    ]);
    expect(packed.map(createContextUnpacker())).toEqual(sent);
  });

  it('are those of their own value of the record, whatever stands between them', () => {
    const { PlayerUpdated, EventTracked } = SAMPLES.facts;
    const facts = Array.from({ length: 700 }, (_, n) =>
      n % 5 === 0 ? PlayerUpdated : { ...EventTracked, eventId: `e-${n}`, ...CONTEXTS[(n * 7) % CONTEXTS.length] },
    );
    const bytes = encodeCommit(wrap.commit(facts));
    expect(decodeCommit(bytes).facts).toEqual(facts);
    const events = facts.flatMap((fact, index) => (fact.kind === 'EventTracked' ? [{ index, fact }] : []));
    expect(decodeEvents(bytes)).toEqual(events);
  });

  it('of a batch of one player take a byte an event', () => {
    const { EventTracked } = SAMPLES.facts;
    const size = (some: Partial<EventContext>) =>
      encodeCommit(wrap.commit(Array.from({ length: 100 }, () => ({ ...EventTracked, ...some })))).length;
    const texts = { platform: 'p'.repeat(100), appVersion: 'v'.repeat(100), build: 'b'.repeat(100), country: 'DE' };
    const bare = size({ platform: '', appVersion: '', build: '' });
    expect(size(texts) - bare).toBeGreaterThan(300);
    expect(size(texts) - bare).toBeLessThan(320);
  });

  it('with a place that no context has are an error', () => {
    expect(() => createContextUnpacker()(0)).toThrow(/the context 0 of 0/);
  });
});
