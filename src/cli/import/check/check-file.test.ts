import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileFormat, type ImportSource } from '../files/file-formats.ts';
import { checkFile, newCheck } from './check-file.ts';
import { noteReads } from './read-paths.ts';
import { reportLines } from './report-lines.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'check-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function report(from: ImportSource, lines: readonly object[], shared = newCheck()): Promise<string[]> {
  const format = fileFormat(from, 'events');
  if (format === undefined) throw new Error('no such format');
  const path = join(folder, 'some.json');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const options = {
    fileKind: 'ndjson',
    format,
    importId: '',
    nowMs: Date.UTC(2026, 0, 15),
    playerIdOf: (id: string) => id,
    exchangeOf: () => undefined,
  } as const;
  return reportLines('some.json', await checkFile(path, options, shared));
}

const level = (some: object = {}) => ({
  event: 'level_up',
  distinct_id: 'ann',
  timestamp: '2025-06-01T12:00:00Z',
  uuid: 'u-1',
  team_id: 2,
  person_properties: { plan: 'free', tags: ['a', 'b'] },
  properties: { level: 3, $os: 'iOS' },
  ...some,
});

it('shows for one line of each name what is kept and what is dropped of it', async () => {
  const bought = level({ event: 'Order', properties: {} });
  expect(await report('posthog', [level(), level({ uuid: 'u-2' }), bought])).toEqual([
    'some.json: 3 lines, 3 good, 0 faulty',
    '  1 players, 2025-06-01T12:00:00.000Z to 2025-06-01T12:00:00.000Z',
    '  2 level_up',
    '    line 1 is kept as: player ann; at 2025-06-01T12:00:00.000Z; id u-1; platform ios; properties level, $os',
    '    dropped of it: team_id, person_properties.plan, person_properties.tags[]',
    '  1 Order',
    '    line 3 is kept as: player ann; at 2025-06-01T12:00:00.000Z; id u-1',
    '    dropped of it: team_id, person_properties.plan, person_properties.tags[]',
  ]);
});

it('names the first ten faults of a command with a remedy each, and what is left out', async () => {
  const shared = newCheck();
  const many = Array.from({ length: 8 }, () => ({ distinct_id: 'ann', event: 'e' }));
  expect((await report('posthog', many, shared)).filter((text) => text.startsWith('  line '))).toHaveLength(8);
  const lines = await report('posthog', [level({ timestamp: '1970-01-02' }), level({ event: '' }), ...many], shared);
  expect(lines).toEqual([
    'some.json: 10 lines, 0 good, 10 faulty',
    '  0 players',
    '  line 1: `timestamp` is before 2000-01-01.',
    '    The clock of the device was wrong: leave the line out, or give it the time of its receipt.',
    '  line 2: `event` is missing.',
    '    Mend the line in a copy of the file, and import the copy: what is imported stays as it is.',
  ]);
  const unity = { ts: Date.UTC(2025, 1, 1), userid: 'ann', type: 'deviceInfo' };
  expect(await report('unity', [unity, unity])).toContain(
    '  2 left out: Lines of `deviceInfo` describe devices and are no events.',
  );
});

it('sums money by currency and sessions', async () => {
  const sum = (event_id: string, amount: number, currency: string) => ({
    data: { category: 'business', user_id: 'a', client_ts: 1_735_689_600, session_id: 's', event_id, amount, currency },
  });
  const end = {
    data: { category: 'session_end', user_id: 'a', client_ts: 1_735_689_600, session_id: 's', length: 90 },
  };
  const lines = await report('gameanalytics', [
    sum('x', 499, 'USD'),
    sum('y', 1_001, 'USD'),
    sum('z', 500, 'EUR'),
    end,
  ]);
  expect(lines.slice(2, 5)).toEqual([
    '  1 sessions of 90 seconds',
    '  2 purchases of 15 in USD',
    '  1 purchases of 5 in EUR',
  ]);
});

it('paths of values that were read are told from others, however deep', () => {
  const { fields, paths } = noteReads({ a: 1, b: { c: [{ d: 2 }, { d: 3 }], e: 4 }, f: null, g: '' });
  JSON.stringify(fields['b']);
  expect(paths()).toEqual({ read: ['b.c.0.d', 'b.c.1.d', 'b.e'], unread: ['a'] });
});
