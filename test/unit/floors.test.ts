import { describe, expect, it } from 'vitest';
import { codeIn, markdownFiles, proseOf, rowsOf } from '../support/documentation.ts';
import { files, imports, sources, type Import } from '../support/own-imports.ts';

/** From the ground up. A folder imports its own floor and those below it. */
const FLOORS: readonly string[] = ['core', 'clickhouse-schema', 'streams', 'actors', 'src'];

/**
 * What each folder may import of its own floor, in an order in which each stands above all that it names. A folder
 * includes its subfolders, except those that have an entry. A floor's own name stands for the files directly in it.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'core/kernel': [],
  'core/vocabulary': ['core/kernel'],
  'core/codec': ['core/vocabulary'],

  'clickhouse-schema': [],
  'clickhouse-schema/behaviour': ['clickhouse-schema'],
  'clickhouse-schema/metrics': [],
  'clickhouse-schema/views': ['clickhouse-schema', 'clickhouse-schema/behaviour', 'clickhouse-schema/metrics'],
  'clickhouse-schema/migrations': ['clickhouse-schema', 'clickhouse-schema/views'],
  'clickhouse-schema/rows': ['clickhouse-schema'],
  'clickhouse-schema/queries': [
    'clickhouse-schema',
    'clickhouse-schema/behaviour',
    'clickhouse-schema/metrics',
    'clickhouse-schema/rows',
  ],

  'streams/log': [],
  'streams/config': ['streams/log'],
  streams: ['streams/log', 'streams/config'],
  'streams/records': ['streams/log', 'streams'],
  'streams/audit': ['streams/log', 'streams', 'streams/config', 'streams/records'],
  'streams/leases': ['streams/log'],
  'streams/positions': ['streams/log', 'streams'],
  'streams/merges': ['streams/log'],
  'streams/facts': ['streams/log', 'streams', 'streams/leases', 'streams/positions'],
  'streams/freshness': ['streams/log', 'streams'],
  'streams/sinks': ['streams/log', 'streams/positions', 'streams/freshness'],
  'streams/sinks/clickhouse': [
    'streams/log',
    'streams',
    'streams/leases',
    'streams/positions',
    'streams/facts',
    'streams/freshness',
    'streams/sinks',
  ],
  'streams/sinks/live': ['streams/log', 'streams', 'streams/facts', 'streams/freshness'],
  'streams/sinks/webhooks/record': ['streams/log', 'streams/config'],
  'streams/sinks/webhooks/queue': ['streams/log', 'streams/sinks/webhooks/record'],
  'streams/sinks/webhooks/delivery': [
    'streams/log',
    'streams',
    'streams/config',
    'streams/records',
    'streams/facts',
    'streams/freshness',
    'streams/sinks/webhooks/record',
    'streams/sinks/webhooks/queue',
  ],
  'streams/sinks/webhooks/matching': [
    'streams/log',
    'streams',
    'streams/config',
    'streams/leases',
    'streams/positions',
    'streams/facts',
    'streams/sinks/webhooks/record',
    'streams/sinks/webhooks/queue',
  ],
  'streams/sinks/webhooks/recovery': [
    'streams/log',
    'streams',
    'streams/config',
    'streams/leases',
    'streams/facts',
    'streams/sinks/webhooks/record',
    'streams/sinks/webhooks/queue',
    'streams/sinks/webhooks/delivery',
    'streams/sinks/webhooks/matching',
  ],
  'streams/sinks/webhooks': [
    'streams/log',
    'streams',
    'streams/leases',
    'streams/facts',
    'streams/freshness',
    'streams/sinks/webhooks/record',
    'streams/sinks/webhooks/queue',
    'streams/sinks/webhooks/delivery',
    'streams/sinks/webhooks/matching',
    'streams/sinks/webhooks/recovery',
  ],

  'actors/decision': [],
  'actors/computed': ['actors/decision'],
  'actors/conditions': ['actors/decision', 'actors/computed'],
  'actors/segments': ['actors/decision', 'actors/conditions'],
  'actors/flags': ['actors/decision', 'actors/conditions', 'actors/segments'],
  'actors/experiments': ['actors/conditions', 'actors/segments', 'actors/flags', 'actors/decision'],
  'actors/difference': [],
  'actors/time-zones': [],
  'actors/campaigns': ['actors/decision', 'actors/conditions', 'actors/segments', 'actors/time-zones', 'actors/flags'],
  'actors/churn': ['actors/decision', 'actors/segments'],
  'actors/properties': ['actors/decision', 'actors/computed', 'actors/conditions'],
  'actors/events': ['actors/decision', 'actors/computed', 'actors/flags', 'actors/properties'],
  'actors/idempotency': ['actors/decision'],
  'actors/player': ['actors/decision', 'actors/computed', 'actors/churn', 'actors/events'],
  'actors/sessions': ['actors/decision', 'actors/flags', 'actors/campaigns', 'actors/events', 'actors/player'],
  'actors/purchases': ['actors/decision', 'actors/events'],
  'actors/merge': [
    'actors/decision',
    'actors/computed',
    'actors/flags',
    'actors/campaigns',
    'actors/events',
    'actors/idempotency',
    'actors/player',
    'actors/sessions',
    'actors/purchases',
  ],
  'actors/import': [
    'actors/purchases',
    'actors/decision',
    'actors/computed',
    'actors/conditions',
    'actors/segments',
    'actors/properties',
    'actors/player',
    'actors/sessions',
  ],
  actors: [
    'actors/decision',
    'actors/computed',
    'actors/conditions',
    'actors/segments',
    'actors/flags',
    'actors/experiments',
    'actors/campaigns',
    'actors/churn',
    'actors/events',
    'actors/idempotency',
    'actors/merge',
    'actors/player',
    'actors/sessions',
    'actors/import',
    'actors/purchases',
  ],
  'actors/runtime': [
    'actors',
    'actors/decision',
    'actors/computed',
    'actors/conditions',
    'actors/segments',
    'actors/flags',
    'actors/campaigns',
    'actors/properties',
    'actors/player',
  ],

  'src/settings': [],
  'src/access': ['src/settings'],
  'src/analysis': [],
  'src/event-schemas': [],
  'src/scoring': [],
  'src/sql-gate': [],
  'src/trace': [],
  'src/receipts': [],
  'src/api': [
    'src/settings',
    'src/access',
    'src/analysis',
    'src/event-schemas',
    'src/scoring',
    'src/sql-gate',
    'src/trace',
    'src/receipts',
  ],
  'src/gateway': ['src/settings', 'src/access', 'src/event-schemas', 'src/receipts', 'src/api'],
  'src/health': ['src/api'],
  'src/process': ['src/settings', 'src/health'],
  'src/operations': ['src/api', 'src/health'],
  'src/local': ['src/settings', 'src/sql-gate', 'src/api', 'src/gateway', 'src/process'],
  'src/parts': [
    'src/settings',
    'src/scoring',
    'src/trace',
    'src/receipts',
    'src/api',
    'src/gateway',
    'src/health',
    'src/process',
    'src/operations',
    'src/local',
  ],
  src: ['src/settings', 'src/process', 'src/local', 'src/parts'],
  'src/cli': ['src/settings', 'src/scoring', 'src/trace', 'src/api', 'src/gateway', 'src/process', 'src/local'],
};

/** What these folders do not import although it stands below them. */
const NEVER: readonly { from: RegExp; to: RegExp; but?: RegExp; why: string }[] = [
  {
    from: /^actors\/(?!runtime\/)/,
    to: /^(streams|clickhouse-schema)\/|^core\/codec\//,
    // A state holds stored replies and guests as bytes.
    but: /^core\/codec\/stored-(reply|guest)\.ts$/,
    why: 'domains are pure: they know neither the log nor ClickHouse',
  },
  { from: /^actors\/runtime\//, to: /^streams\/sinks\//, why: 'owners append to FACTS and import none of its readers' },
  {
    from: /^src\/(gateway|api)\//,
    to: /^streams\/sinks\/|^actors\/runtime\//,
    why: 'a gateway reaches owners and sinks through the log only',
  },
  {
    from: /^src\/cli\/audit\//,
    to: /^(?!src\/cli\/audit\/)/,
    but: /^core\/codec\/(codec|stored-guest)\.ts$/,
    why: 'the audit and the service must not err alike',
  },
];

const floorOf = (file: string) => FLOORS.indexOf(file.split('/')[0] ?? '');

/** The folder of `ROOMS` that a file belongs to. */
function roomOf(file: string): string | undefined {
  const folders = file.split('/').slice(0, -1);
  while (folders.length > 0) {
    const name = folders.join('/');
    if (name in ROOMS) return folders.length > 1 || file.split('/').length === 2 ? name : undefined;
    folders.pop();
  }
  return undefined;
}

const shown = (wrong: readonly Import[]) => wrong.map(({ from, to }) => `${from} → ${to}`);
const housed = imports.filter(({ from, to }) => floorOf(from) >= 0 && floorOf(to) >= 0);

describe('the floors', () => {
  it('import nothing above them', () => {
    expect(housed.length).toBeGreaterThan(1_000);
    expect(shown(housed.filter(({ from, to }) => floorOf(to) > floorOf(from)))).toEqual([]);
  });

  it('import nothing of the folders that stand beside the house', () => {
    const outside = imports.filter(({ from, to }) => floorOf(from) >= 0 && floorOf(to) < 0 && to !== 'package.json');
    expect(shown(outside)).toEqual([]);
  });

  it('consist of folders that each say what they import of their floor', () => {
    const homeless = sources.filter((file) => floorOf(file) >= 0 && roomOf(file) === undefined);
    expect(homeless).toEqual([]);
    const within = housed.filter(({ from, to }) => floorOf(from) === floorOf(to) && roomOf(from) !== roomOf(to));
    const wrong = within.filter(({ from, to }) => !(ROOMS[roomOf(from) ?? '']?.includes(roomOf(to) ?? '') ?? false));
    expect(shown(wrong)).toEqual([]);
  });

  it('name no import that no file makes', () => {
    const made = new Set(housed.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
    const named = Object.entries(ROOMS).flatMap(([room, below]) => below.map((other) => `${room} → ${other}`));
    expect(named.filter((pair) => !made.has(pair))).toEqual([]);
  });

  it('have no circle of folders', () => {
    const names = Object.keys(ROOMS);
    const upwards = Object.entries(ROOMS).flatMap(([room, below]) =>
      below.filter((other) => names.indexOf(other) >= names.indexOf(room)).map((other) => `${room} → ${other}`),
    );
    expect(upwards).toEqual([]);
  });

  it.each(NEVER)('keep apart: $why', ({ from, to, but }) => {
    const wrong = imports.filter((one) => from.test(one.from) && to.test(one.to) && !(but?.test(one.to) ?? false));
    expect(shown(wrong)).toEqual([]);
  });
});

describe('the maps in documents', () => {
  const rooms = rowsOf('ARCHITECTURE.md').filter(({ heading }) => FLOORS.includes(heading));

  it('ARCHITECTURE.md has a row for every room, in order, with where it starts, what it owns and what it never does', () => {
    expect(rooms.map(({ cells: [room] }) => codeIn(room)[0])).toEqual(Object.keys(ROOMS));
    for (const { cells } of rooms) expect(cells.filter((cell) => cell.length > 3)).toHaveLength(4);
  });

  it('each room starts in one of its own files', () => {
    const starts = rooms.map(({ cells: [room, start] }) => `${codeIn(room)[0]}/${codeIn(start)[0]}`);
    expect(starts.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('name files and folders that exist', () => {
    const paths = new Set(
      files.flatMap((file) => file.split('/').map((_part, end, parts) => parts.slice(end).join('/'))),
    );
    for (const file of files) {
      const folders = file.split('/').slice(0, -1);
      for (let end = folders.length; end > 0; end--) paths.add(folders.slice(0, end).join('/'));
    }
    const top = new Set(files.map((file) => file.split('/')[0]));
    const isPath = (text: string) =>
      /^[\w.-]+(\/[\w.-]+)*\/?$/.test(text) &&
      (text.endsWith('.ts') || (text.includes('/') && top.has(text.split('/')[0])));
    const made = /^(bench\/results\/|docs\/decisions\/\d{4})$/;
    const named = markdownFiles()
      .filter((page) => !/^(models|sdk|test|CHANGELOG)/.test(page))
      .flatMap((page) =>
        proseOf(page).flatMap(({ text }) => codeIn(text).filter((found) => isPath(found) && !made.test(found))),
      );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter((path) => !paths.has(path.replace(/\/$/, '')))).toEqual([]);
  });
});

describe('the folders', () => {
  it('hold at most fifteen files each', () => {
    const counts = new Map<string, number>();
    for (const file of sources) {
      const folder = file.slice(0, file.lastIndexOf('/'));
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
  });
});
