import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../cli-error.ts';
import { fileFormat, type ImportSource } from '../files/file-formats.ts';
import { placeOf, type Survey } from './findings.ts';
import { createIdentityLinks } from './identity-links.ts';
import { createKeyTable } from './key-table.ts';
import { createSessionSpans } from './session-spans.ts';
import { surveyFiles } from './survey.ts';

const NOW = Date.UTC(2026, 0, 15);

describe('a table of keys', () => {
  it('numbers each text once, over any number of them', () => {
    const table = createKeyTable();
    const texts = Array.from({ length: 20_000 }, (_, n) => `key ${n}`);
    expect(texts.map((text) => table.add(text))).toEqual(texts.map((_, n) => n));
    expect(texts.map((text) => table.add(text))).toEqual(texts.map((_, n) => n));
    expect([table.size, table.placeOf('key 777'), table.placeOf('other')]).toEqual([20_000, 777, undefined]);
  });
});

describe('links of identities', () => {
  it('lead to the first user of an id, in any order of the lines', () => {
    const lines = [
      ['phone', 'ann', 5],
      ['phone', 'bob', 3],
      ['phone', 'cid', 3],
      ['phone', 'dan', 9],
    ] as const;
    for (const order of [lines, lines.toReversed()]) {
      const links = createIdentityLinks();
      for (const [id, user, at] of order) links.link(id, user, at);
      expect([links.userOf('phone'), links.userOf('ann')]).toEqual(['bob', undefined]);
    }
  });

  it('are followed over several steps, and a circle is one player', () => {
    const links = createIdentityLinks();
    for (const [id, user] of ['ab', 'bc', 'cd', 'xy', 'yz', 'zx', 'wx', 'ss']) links.link(id ?? '', user ?? '', 1);
    expect('abcdxyzws'.split('').map((id) => links.userOf(id))).toEqual([
      'd',
      'd',
      'd',
      undefined,
      'x',
      'x',
      'x',
      'x',
      undefined,
    ]);
  });

  it('are refused beyond their bound', () => {
    const links = createIdentityLinks(2);
    links.link('a', 'u', 1);
    links.link('b', 'u', 1);
    expect(() => links.link('c', 'u', 1)).toThrow(
      /more than 2 anonymous ids .* Nothing is imported\. Import the export in parts/,
    );
  });
});

describe('sessions', () => {
  it.each([
    ['span', 60],
    ['sum', 12],
    ['longest', 9],
  ] as const)('by their %s have their length at their first line', (rule, seconds) => {
    const spans = createSessionSpans(rule);
    spans.add({ key: 's', atMs: 70_000, place: 3, lengthMs: 2_000, id: 'e3' });
    spans.add({ key: 's', atMs: 10_000, place: 9, lengthMs: 9_000, id: 'e9' });
    spans.add({ key: 's', atMs: 10_000, place: 7, lengthMs: 1_000, id: 'e7' });
    spans.add({ key: 's', atMs: 70_000, place: 11, lengthMs: 2_000, id: 'e3' });
    expect([7, 9, 3].map((place) => spans.secondsFrom('s', place))).toEqual([seconds, undefined, undefined]);
  });

  it('are refused beyond their bounds', () => {
    const few = createSessionSpans('span', { surveySessions: 1, surveyParts: 1 });
    few.add({ key: 'a', atMs: 1, place: 1, lengthMs: 0 });
    expect(() => few.add({ key: 'b', atMs: 1, place: 1, lengthMs: 0 })).toThrow(CliError);
    const parts = createSessionSpans('sum', { surveySessions: 9, surveyParts: 1 });
    parts.add({ key: 'a', atMs: 1, place: 1, lengthMs: 5, id: 'e1' });
    parts.add({ key: 'a', atMs: 1, place: 1, lengthMs: 5, id: 'e1' });
    expect(() => parts.add({ key: 'a', atMs: 1, place: 1, lengthMs: 5, id: 'e2' })).toThrow(
      /more than 1 events that add/,
    );
  });
});

describe('a survey of files', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'survey-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function survey(from: ImportSource, contents: readonly (string | Buffer)[], joins = true): Promise<Survey> {
    const format = fileFormat(from, 'events');
    if (format === undefined) throw new Error('no such format');
    const files = contents.map((content, n) => {
      const path = join(folder, `${n}.json${typeof content === 'string' ? '' : '.gz'}`);
      writeFileSync(path, content);
      return { path, kind: 'ndjson' as const };
    });
    const choices = { purchases: new Map(), zone: undefined, joins };
    return surveyFiles(files, format, { nowMs: NOW, exchangeOf: () => undefined, choices, fit: false });
  }

  const posthog = (event: string, distinct_id: string, properties: object, second = 0): string =>
    JSON.stringify({ event, distinct_id, timestamp: `2025-01-01T00:00:${10 + second}Z`, properties });

  it('finds in a later file who an id of an earlier one became, whatever else is in them', async () => {
    const files = [
      `${posthog('e', 'phone', {})}\nno json\n{"distinct_id":{},"event":"e","timestamp":"2025-01-01"}`,
      posthog('$identify', 'ann', { $anon_distinct_id: 'phone' }),
    ];
    expect((await survey('posthog', files)).userOf('phone')).toBe('ann');
    expect((await survey('posthog', files, false)).userOf('phone')).toBeUndefined();
  });

  it('has what stands before the broken end of a file', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) =>
      posthog('$identify', `user-${n}`, { $anon_distinct_id: `phone-${n}` }),
    );
    const cut = gzipSync(lines.join('\n')).subarray(0, -50);
    expect((await survey('posthog', [cut])).userOf('phone-3')).toBe('user-3');
  });

  it('counts a session at its first line, which may be in a later file', async () => {
    const found = await survey('posthog', [
      posthog('e', 'ann', { $session_id: 's-1' }, 30),
      `\n${posthog('e', 'phone', { $session_id: 's-1' }, 5)}`,
    ]);
    expect([placeOf(0, 1), placeOf(1, 2)].map((place) => found.sessionSeconds('session\ns-1', place))).toEqual([
      undefined,
      25,
    ]);
  });

  it('counts a session at the first line that is imported, and not by times of wrong clocks', async () => {
    const at = (timestamp: string, some: object = {}) =>
      JSON.stringify({ event: 'e', distinct_id: 'ann', properties: { $session_id: 's-1' }, ...some, timestamp });
    const lines = [
      at('1970-01-01T00:00:05Z'),
      at('2025-01-01T00:00:00Z', { event: 'x'.repeat(129) }),
      at('2025-01-01T00:00:10Z', { properties: { $session_id: 's-1', text: 'x'.repeat(9_000) } }),
      at('2025-01-01T00:00:20Z'),
      at('2025-01-01T00:00:50Z'),
      at('2100-01-01T00:00:00Z'),
    ];
    const found = await survey('posthog', [lines.join('\n')]);
    const seconds = lines.map((_, n) => found.sessionSeconds('session\ns-1', placeOf(0, n + 1)));
    expect(seconds).toEqual([undefined, undefined, undefined, 30, undefined, undefined]);
    const wrong = JSON.stringify({
      event: '$identify',
      distinct_id: 'bob',
      properties: { $anon_distinct_id: 'phone' },
      timestamp: '1970-01-01T00:00:00Z',
    });
    const right = posthog('$identify', 'ann', { $anon_distinct_id: 'phone' });
    expect((await survey('posthog', [`${wrong}\n${right}`])).userOf('phone')).toBe('ann');
  });

  it('follows the merged ids of Amplitude to a user, and the aliases of Mixpanel', async () => {
    const event = (amplitude_id: number, user_id: string | null) =>
      JSON.stringify({ event_type: 'e', event_time: '2025-01-01 00:00:00', device_id: 'd', amplitude_id, user_id });
    const merged = JSON.stringify({ amplitude_id: 2, merged_amplitude_id: 1, merge_event_time: '2025-01-01 00:00:00' });
    const amplitude = await survey('amplitude', [[event(1, null), merged, event(2, 'ann')].join('\n')]);
    expect(amplitude.userOf('amplitude_id 1')).toBe('ann');
    const line = (event: string, properties: object) =>
      JSON.stringify({ event, properties: { time: 1_735_689_600, ...properties } });
    const mixpanel = await survey('mixpanel', [
      [
        line('$create_alias', { distinct_id: 'ann', alias: 'old' }),
        line('e', { distinct_id: 'ann', $user_id: 'ann', $device_id: 'phone' }),
        line('$merge', { $distinct_ids: ['ann', 'tablet'] }),
      ].join('\n'),
    ]);
    expect(['old', 'phone', 'tablet'].map((id) => mixpanel.userOf(id))).toEqual(['ann', 'ann', 'ann']);
  });
});
