import { expect, it } from 'vitest';
import { fileFormat, type ImportKind, type ImportSource } from './file-formats.ts';
import { type Fields } from './line-fields.ts';
import { type HistoryLine, lineContext } from './file-format.ts';

const NOW = Date.UTC(2026, 0, 15);

function read(fields: Fields, from: ImportSource = 'native', kind: ImportKind = 'events'): HistoryLine | undefined {
  return fileFormat(from, kind)?.read(fields, lineContext({ nowMs: NOW }));
}

const native = (some: Fields): Fields => ({ external_id: 'ann', event_name: 'e', timestamp: '2025-01-01', ...some });
const DEVICE = { platform: 'iOS', app_version: '2.4.0', build: 240, country: 'DE' };
const SAID = { playedWith: { platform: 'ios', appVersion: '2.4.0', build: '240' }, country: 'DE' };

it('lines say on which device an event, a purchase and a session happened', () => {
  expect(read(native(DEVICE))?.event).toMatchObject(SAID);
  expect(read(native({ platform: 'web', build: '7' }))?.event?.playedWith).toEqual({ platform: 'web', build: '7' });
  const purchase = { external_id: 'ann', amount: 1, timestamp: '2025-01-01', ...DEVICE };
  expect(read(purchase, 'native', 'purchases')?.event).toMatchObject(SAID);
  const properties = { session_id: 's', duration_seconds: 5, build: '239' };
  const session = native({ ...DEVICE, source: 'service', event_name: 'session_recorded', properties });
  expect(read(session)).toMatchObject({
    event: SAID,
    session: { platform: 'ios', appVersion: '2.4.0', build: '239' },
  });
});

it('what no init could have sent is left out, and a line without any says nothing', () => {
  const odd = { platform: 7.5, app_version: 'v'.repeat(129), build: 'a\u0000b', country: 'c'.repeat(65) };
  expect(read(native(odd))?.event).toEqual(read(native({}))?.event);
  expect(read(native({}))?.event).not.toHaveProperty('playedWith');
  const blank = { platform: ' ', app_version: '  ', build: '\t', country: ' ' };
  expect(read(native(blank))?.event).toEqual(read(native({}))?.event);
  expect(read(native({ ...odd, app_version: 'v'.repeat(128), country: 'c'.repeat(64) }))?.event).toMatchObject({
    playedWith: { appVersion: 'v'.repeat(128) },
    country: 'c'.repeat(64),
  });
});

it.each<[ImportSource, Fields, object]>([
  [
    'posthog',
    {
      distinct_id: 'ann',
      event: 'e',
      timestamp: '2025-01-01',
      properties: { $os: 'Android', $app_version: '1.2', $app_build: '12', $geoip_country_code: 'SE' },
    },
    { playedWith: { platform: 'android', appVersion: '1.2', build: '12' }, country: 'SE' },
  ],
  [
    'amplitude',
    {
      user_id: 'ann',
      event_type: 'e',
      event_time: '2025-01-01',
      platform: 'iOS',
      version_name: '1.2',
      country: 'Sweden',
    },
    { playedWith: { platform: 'ios', appVersion: '1.2' }, country: 'SE' },
  ],
  [
    'gameanalytics',
    {
      data: {
        user_id: 'ann',
        category: 'user',
        client_ts: 1_735_689_600,
        platform: 'Android',
        build: '1.2',
        country_code: 'SE',
      },
    },
    { playedWith: { platform: 'android', appVersion: '1.2' }, country: 'SE' },
  ],
])('lines of %s name the device in their own words, and the platform by its stored name', (from, fields, said) => {
  expect(read(fields, from)?.event).toMatchObject(said);
});
