import { RECEIPT_LIMITS } from '../../src/receipts/limits.ts';
import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { ROLES } from '../../core/vocabulary/documents/users.ts';
import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../actors/conditions/compile-condition.ts';
import { FIELD_NAMES } from '../../actors/conditions/fields.ts';
import { PLACEHOLDERS } from '../../core/kernel/text/broken-id.ts';
import { PLATFORMS, platformName } from '../../core/vocabulary/state/platform.ts';
import { MEMBER_NAMES } from '../../actors/conditions/members.ts';
import { OPERATORS } from '../../actors/conditions/operators.ts';
import { SUPPRESSION_REASONS } from '../../core/vocabulary/facts/suppression-reasons.ts';
import { routes } from '../../src/api/routes.ts';
import { readConfig, SECRET_SETTINGS } from '../../src/settings/config.ts';
import { setGameCommand } from '../../src/cli/set-game.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { ERRORS } from '../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from '../../src/api/analytics/limits.ts';
import { API_LIMITS } from '../../src/api/limits.ts';
import { BODY_LIMITS } from '../../src/gateway/http/read/limits.ts';
import { CAMPAIGN_API_LIMITS } from '../../src/api/campaigns/limits.ts';
import { MESSAGE_LIMITS } from '../../actors/campaigns/message/limits.ts';
import { COMPUTED_LIMITS } from '../../actors/properties/limits.ts';
import { CONDITION_LIMITS } from '../../actors/conditions/limits.ts';
import { COUNTER_LIMITS } from '../../actors/computed/limits.ts';
import { DELIVERY_LIMITS } from '../../streams/sinks/webhooks/delivery/limits.ts';
import { EVENT_SCHEMA_API_LIMITS } from '../../src/api/event-schemas/limits.ts';
import { EVENT_SCHEMA_LIMITS } from '../../src/event-schemas/limits.ts';
import { CONFIG_LIMITS } from '../../streams/config/limits.ts';
import { FLAG_API_LIMITS } from '../../src/api/flags/limits.ts';
import { GAME_API_LIMITS } from '../../src/api/game/limits.ts';
import { GATEWAY_LIMITS } from '../../src/gateway/limits.ts';
import { IDEMPOTENCY_LIMITS } from '../../actors/idempotency/limits.ts';
import { LIST_LOAD_LIMITS } from '../../src/api/segments/lists/limits.ts';
import { MATCHING_LIMITS } from '../../streams/sinks/webhooks/matching/limits.ts';
import { PLAYER_API_LIMITS } from '../../src/api/players/limits.ts';
import { PLAYER_LIMITS } from '../../actors/decision/limits.ts';
import { ROUTE_LIMITS } from '../../src/api/route/limits.ts';
import { SEGMENT_API_LIMITS } from '../../src/api/segments/limits.ts';
import { EXPERIMENT_LIMITS } from '../../actors/experiments/limits.ts';
import { EXPERIMENT_API_LIMITS } from '../../src/api/experiments/limits.ts';
import { FLAG_LIMITS } from '../../actors/flags/limits.ts';
import { SERVICE_LIMITS } from '../../src/parts/limits.ts';
import { SESSION_LIMITS } from '../../actors/sessions/limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { STREAM_API_LIMITS } from '../../src/api/stream/limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../core/kernel/validation/limits.ts';
import { WEBHOOK_LIMITS } from '../../src/api/webhooks/limits.ts';
import { createMetrics } from '../../src/parts/metrics.ts';
import { TIERS } from '../../core/vocabulary/documents/documents.ts';
import { BUCKET_MAX_AGE_MS, BUCKETS, STREAMS, type BucketName } from '../../streams/log/stream-definitions.ts';
import { WEBHOOK_KINDS } from '../../core/vocabulary/documents/webhook-kinds.ts';
import { FILTER_OPERATORS } from '../../streams/config/webhooks/webhook-patterns.ts';
import {
  blocksOf,
  codeIn,
  linkFault,
  linksOf,
  markdownFiles,
  pageText,
  proseOf,
  rowsOf,
  rowsUnder,
  userPages,
} from '../support/documentation.ts';

/* Holds README and docs/ to their form, and their reference tables to the code. */

const pages = userPages();
/** Written by a program. */
const EXEMPT = /^models\/.*MODEL_CARD\.md/;

describe('every page', () => {
  it('README has at most 10 KB', () => {
    expect(Buffer.byteLength(pageText('README.md'))).toBeLessThanOrEqual(10_000);
  });

  it('README leads to every page of docs/', () => {
    const linked = new Set(linksOf('README.md').map((link) => link.split('#')[0]));
    expect(pages.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
  });

  it('has no line of prose over 120 characters', () => {
    const long = markdownFiles()
      .filter((file) => !EXEMPT.test(file))
      .flatMap((file) =>
        proseOf(file)
          .filter(({ text }) => text.length > 120 && !text.startsWith('|') && !text.startsWith('<'))
          .map(({ number }) => `${file}:${number}`),
      );
    expect(long).toEqual([]);
  });

  it('has links that lead somewhere', () => {
    const faults = markdownFiles().flatMap((file) => linksOf(file).map((link) => linkFault(file, link)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('refers to no document that is not in the repository', () => {
    const absent = /\bthe contract\b|\bcontract:|decisions\.md:|\bchanges \d+|\bissue \d+/i;
    const found = markdownFiles()
      .filter((file) => !EXEMPT.test(file))
      .flatMap((file) =>
        proseOf(file)
          .filter(({ text }) => absent.test(text))
          .map(({ number, text }) => `${file}:${number}: ${text}`),
      );
    expect(found).toEqual([]);
  });

  it('the commands that start and test the service stand as they are, each in a block of its own', () => {
    const plain = blocksOf('README.md').filter(({ info }) => info === '');
    expect(plain.map(({ text }) => text.trim())).toEqual(['npm install && npm start', 'npm install && npm test']);
  });
});

const allRoutes = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
const [forPeople = [], forKeys = []] = [true, false].map((wanted) =>
  allRoutes.filter(({ kind, auth }) => (kind === 'console' || (auth !== 'none' && auth.keys.length === 0)) === wanted),
);

describe('docs/console.md', () => {
  it('lists every endpoint for people', () => {
    const documented = rowsUnder('docs/console.md', 'Endpoints').map(([method, path]) =>
      [codeIn(method)[0], codeIn(path)[0]].join(' '),
    );
    expect(documented.toSorted()).toEqual(forPeople.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it('says what each role may do', () => {
    const documented = rowsUnder('docs/console.md', 'Roles').map(([role]) => codeIn(role)[0]);
    expect(documented).toEqual([...ROLES]);
  });
});

describe('docs/api.md', () => {
  it('lists every error with its status', () => {
    const documented = rowsUnder('docs/api.md', 'Errors').map(([code, status]) => [codeIn(code)[0], Number(status)]);
    const actual = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    expect(sorted(documented)).toEqual(sorted(actual));
  });

  it('lists every endpoint with its keys, its metering and whether it takes an Idempotency-Key', () => {
    const documented = rowsUnder('docs/api.md', 'Endpoints').map(([method, path, keys, counts, idempotent]) =>
      [codeIn(method)[0], codeIn(path)[0], keys, counts, idempotent].join(' | '),
    );
    const actual = forKeys.map(({ method, path, auth, limitClass, idempotent }) => {
      const forClients = auth !== 'none' && auth.keys.includes('client');
      const keys = auth === 'none' ? 'none' : forClients ? 'client, server' : 'server';
      const counts = auth !== 'none' && limitClass !== 'none' ? 'yes' : forClients ? 'client keys' : 'no';
      return [method, path, keys, counts, idempotent === true ? 'yes' : ''].join(' | ');
    });
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });
});

describe('docs/limits.md', () => {
  it('has the rate limit and the open streams of every tier', () => {
    const documented = rowsUnder('docs/limits.md', 'Rate limits').map(([tier, perMinute, streams]) => [
      codeIn(tier)[0],
      perMinute,
      streams,
    ]);
    const actual = Object.entries(TIERS).map(([tier, perMinute]) => [
      tier,
      perMinute === null ? 'unlimited' : perMinute.toLocaleString('en'),
      Object.entries(STREAM_API_LIMITS.streamReadersOfKey)
        .find(([name]) => name === tier)?.[1]
        .toLocaleString('en'),
    ]);
    expect(sorted(documented)).toEqual(sorted(actual));
  });

  it('has the figures of the code, in every row', () => {
    const KIB = 1024;
    const expected: Record<string, number> = {
      'body, decompressed': API_LIMITS.bodyBytes / KIB / KIB,
      '`attributes` or `properties`, as JSON': TEXT_LIMITS.documentBytes / KIB,
      'keys of `attributes` or `properties`': TEXT_LIMITS.documentKeys,
      'one string': TEXT_LIMITS.stringBytes / KIB,
      'name of an event or attribute': TEXT_LIMITS.nameLength,
      '`external_id`, `device_id` of a player': TEXT_LIMITS.externalIdLength,
      '`event_id`, `session_id`, `transaction_id`': TEXT_LIMITS.callerIdLength,
      '`Idempotency-Key`': ROUTE_LIMITS.idempotencyKeyLength,
      'e-mail address': TEXT_LIMITS.emailLength,
      'nesting of a body': SHARED_LIMITS.jsonDepth,
      'commas, colons and opening brackets': BODY_LIMITS.jsonSeparators,
      'characters of one number': BODY_LIMITS.jsonNumberLength,
      'events in a batch': API_LIMITS.batchEvents,
      "events in a sync, or at a session's end": GAME_API_LIMITS.syncEvents,
      'flags that `init` may request by key': GAME_API_LIMITS.requestedFlags,
      'items of a page': API_LIMITS.pageItems,
      'rows of a page of an export': PLAYER_API_LIMITS.exportRows,
      'one purchase': SHARED_LIMITS.purchaseAmount / 10_000,
      'length of a recorded session': PLAYER_API_LIMITS.recordedSessionSeconds / 3600,
      'faults listed in one answer': VALIDATION_LIMITS.reportedFaults,
      segments: STATE_LIMITS.segmentsPerEnvironment,
      'API keys that are valid': CONFIG_LIMITS.keysOfEnvironment,
      'static segments': SEGMENT_API_LIMITS.staticSegments,
      'players in a list': SEGMENT_API_LIMITS.listPlayers,
      'players that a segment includes, and excludes': SEGMENT_API_LIMITS.segmentExceptions,
      'test players of one partition': PLAYER_LIMITS.testPlayers,
      flags: FLAG_API_LIMITS.flagsPerEnvironment,
      'flags with the archived ones': FLAG_API_LIMITS.flagKeysPerEnvironment,
      'rules of a flag': FLAG_LIMITS.flagRules,
      'variants of a flag': FLAG_LIMITS.flagVariants,
      'prerequisites of a flag': FLAG_LIMITS.flagPrerequisites,
      'size of a flag': FLAG_LIMITS.flagBytes / KIB,
      'experiments that did not end': EXPERIMENT_API_LIMITS.experimentsPerEnvironment,
      experiments: EXPERIMENT_API_LIMITS.experimentKeysPerEnvironment,
      'phases of an experiment': EXPERIMENT_LIMITS.experimentPhases,
      'guardrails of an experiment': EXPERIMENT_LIMITS.experimentGuardrails,
      'size of an experiment': EXPERIMENT_LIMITS.experimentBytes / KIB,
      campaigns: CAMPAIGN_API_LIMITS.campaignsPerEnvironment,
      'messages of a campaign, in all languages': MESSAGE_LIMITS.campaignBytes / 1024,
      'variants of a campaign': MESSAGE_LIMITS.variants,
      'computed properties, those of conditions too': COMPUTED_LIMITS.computedProperties,
      'saved analytics queries': ANALYTICS_LIMITS.savedQueries,
      annotations: ANALYTICS_LIMITS.annotations,
      'event schemas': EVENT_SCHEMA_API_LIMITS.eventSchemasPerEnvironment,
      'size of an event schema': EVENT_SCHEMA_LIMITS.eventSchemaBytes / KIB,
      webhooks: WEBHOOK_LIMITS.webhooksPerEnvironment,
      'filters of a webhook': WEBHOOK_LIMITS.webhookFilters,
      'values in a condition': CONDITION_LIMITS.conditionValues,
      'nesting of a condition': CONDITION_LIMITS.conditionDepth,
      'open sessions': SESSION_LIMITS.openSessions,
      'event names with counters': COUNTER_LIMITS.countedNames,
      'days that counters cover': COUNTER_LIMITS.countedDays,
      'recognised `event_id`s, for each kind of key': PLAYER_LIMITS.eventIds,
      'recognised recorded sessions': STATE_LIMITS.recordedSessions,
      'recognised transactions': STATE_LIMITS.recordedPurchases,
      '`Idempotency-Key`s, for each kind of key': IDEMPOTENCY_LIMITS.idempotencyKeys,
      'flag overrides': FLAG_LIMITS.overridesPerPlayer,
      'messages of campaigns that wait': PLAYER_LIMITS.interventionsPerPlayer,
      'messages on one UTC day, all campaigns together': PLAYER_LIMITS.interventionsPerDay,
      'open HTTP connections': GATEWAY_LIMITS.connections,
      'open event streams': SHARED_LIMITS.streamReaders,
      'open streams of changed flags': GATEWAY_LIMITS.changesReaders,
      'unread bytes of answers, in MiB': GATEWAY_LIMITS.unreadAnswerBytes / KIB / KIB,
      'webhook deliveries in flight': DELIVERY_LIMITS.deliveriesInFlight,
      'webhook deliveries in flight of a game': DELIVERY_LIMITS.deliveriesInFlightPerGame,
      'lists of players loaded at once': LIST_LOAD_LIMITS.listLoads,
    };
    const documented = rowsOf('docs/limits.md')
      .filter(({ heading }) => heading !== 'Rate limits')
      .map(({ cells: [what = '', figure = ''] }): [string, number] => [what, firstNumber(figure)]);
    expect(sorted(documented)).toEqual(sorted(Object.entries(expected)));
  });
});

it('docs/segment-clients.md lists every text that stands for a missing id', () => {
  const [, after = ''] = pageText('docs/segment-clients.md').split('[those that the API refuses](api.md#envelope),');
  expect(sorted(codeIn(after.split(';')[0]))).toEqual(sorted([...PLACEHOLDERS]));
});

it('docs/game-client.md lists every platform, with other names that mean it', () => {
  const documented = rowsUnder('docs/game-client.md', 'Platforms');
  expect(documented.map(([name]) => codeIn(name)[0])).toEqual(Object.keys(PLATFORMS));
  for (const [name, , others] of documented) {
    const names = codeIn(others);
    expect(names).not.toEqual([]);
    expect(names.map(platformName)).toEqual(names.map(() => codeIn(name)[0]));
  }
});

describe('docs/conditions.md', () => {
  const PAGE = 'docs/conditions.md';
  const GROUPS = ['$and', '$or', '$nor', '$not'];

  it('lists every operator', () => {
    const documented = rowsUnder(PAGE, 'Operators').map(([operator]) => codeIn(operator)[0]);
    expect(sorted(documented)).toEqual(sorted([...OPERATORS.keys(), ...GROUPS, ...MEMBER_NAMES]));
  });

  it('lists every field', () => {
    const measures = ['count_1d', 'count_7d', 'count_30d', 'last_days_ago'].map(
      (measure) => `events.<name>.${measure}`,
    );
    const everywhere = FIELD_NAMES.flatMap((name) => (name.startsWith('events.') ? measures : [name]));
    const documented = rowsUnder(PAGE, 'Fields').map(([field]) => codeIn(field)[0]);
    expect(sorted(documented)).toEqual(sorted([...everywhere, 'context.<path>', 'properties.<path>']));
  });

  it('has fields and examples that compile', () => {
    const fields = rowsUnder(PAGE, 'Fields').map(([field]) => {
      const name = codeIn(field)[0]?.replace('<path>', 'a.b').replace('<name>', 'level_up') ?? '';
      return { [name]: name === 'events' ? { name: 'level_up', count: 1 } : 1 };
    });
    const examples = rowsUnder(PAGE, 'Operators').map((cells): unknown => JSON.parse(codeIn(cells.at(-1))[0] ?? ''));
    const blocks = blocksOf(PAGE)
      .filter(({ info, text }) => info === 'json' && !text.includes('"success"'))
      .map(({ text }): unknown => JSON.parse(text));
    expect(blocks.length).toBeGreaterThan(2);
    for (const condition of [...fields, ...examples, ...blocks]) {
      const compiled = compileCondition(JSON.parse(JSON.stringify(condition)), { context: true, properties: true });
      expect([condition, compiled]).toEqual([condition, expect.objectContaining({ kind: 'compiled' })]);
    }
  });

  it('every example of an operator uses it', () => {
    const unused = rowsUnder(PAGE, 'Operators').filter(([operator, , example]) => {
      return !(example ?? '').includes(`"${codeIn(operator)[0]}"`);
    });
    expect(unused).toEqual([]);
  });
});

describe('docs/webhooks.md', () => {
  it('lists every kind and every filter operator', () => {
    const kinds = rowsUnder('docs/webhooks.md', 'Kinds').map(([kind]) => codeIn(kind)[0]);
    expect(sorted(kinds)).toEqual(sorted(Object.keys(WEBHOOK_KINDS)));
    const operators = rowsUnder('docs/webhooks.md', 'Filters').map(([operator]) => codeIn(operator)[0]);
    expect(sorted(operators)).toEqual(sorted(Object.keys(FILTER_OPERATORS)));
  });
});

describe('docs/settings.md', () => {
  const documented = rowsOf('docs/settings.md').map(({ cells: [name, fallback] }) => ({
    name: codeIn(name)[0] ?? '',
    fallback: codeIn(fallback)[0],
  }));
  /** Set by the supervisor for its own children. */
  const INTERNAL = ['SUPERVISED', 'PROCESS_OF_GROUP', 'GROUP_DATA_DIR'];

  it('lists every setting that is read', () => {
    const read = new Set<string>();
    readConfig(
      new Proxy<Record<string, string | undefined>>(
        {},
        {
          get(_target, name) {
            read.add(String(name));
            // Settings that are given are read further than absent ones.
            return undefined;
          },
        },
      ),
    );
    for (const name of INTERNAL) read.delete(name);
    const files = SECRET_SETTINGS.map((name) => `${name}_FILE`);
    for (const name of files) expect(pageText('docs/settings.md')).toContain(`\`${name}\``);
    const names = new Set([...documented.map(({ name }) => name), ...files]);
    expect([...names].toSorted()).toEqual([...read].toSorted());
  });

  it('has the defaults of the code: to set one changes nothing', () => {
    const defaults = documented.filter(({ fallback }) => fallback !== undefined);
    expect(defaults.length).toBeGreaterThan(10);
    for (const { name, fallback } of defaults) {
      expect([name, readConfig({ [name]: fallback })]).toEqual([name, readConfig({})]);
    }
  });
});

describe('docs/monitoring.md', () => {
  it('lists every metric of the service', async () => {
    const metrics = createMetrics();
    metrics.collectProcess(systemClock);
    metrics.collectThread(systemClock);
    const text = await metrics.text();
    const actual = [...text.matchAll(/^# TYPE (\S+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !/^(process|nodejs)_/.test(name));
    // Alerts and the metrics of exporters are held to theirs in monitoring.test.ts.
    const documented = rowsOf('docs/monitoring.md')
      .filter(({ heading }) => !['Alerts', 'NATS', 'ClickHouse'].includes(heading))
      .map(({ cells: [name] }) => codeIn(name)[0] ?? '');
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });
});

describe('docs/operations.md', () => {
  it('has the size and age of every stream and bucket', () => {
    const DAY_MS = 86_400_000;
    const GIB = 1024 ** 3;
    const rows = rowsUnder('docs/operations.md', 'Retention');
    const retentionOf = (name: string) => rows.find(([store]) => store?.includes(name))?.[2];
    const days = Math.ceil(SERVICE_LIMITS.factsRetentionMs / DAY_MS);
    const hoursLess = (days * DAY_MS - SERVICE_LIMITS.factsRetentionMs) / 3_600_000;
    const expected: Record<StreamName | BucketName, string> = {
      FACTS: `at most ${days} days less ${hoursLess} hours, until room is needed and all are past it`,
      REQUESTS: `${STREAMS.REQUESTS.maxAgeMs / 1000} seconds; at most ${STREAMS.REQUESTS.maxBytes / 1024 ** 2} MiB`,
      RECORDS: `until they are in ClickHouse; at most ${STREAMS.RECORDS.maxBytes / GIB} GiB`,
      AUDIT: `until they are in ClickHouse; at most ${STREAMS.AUDIT.maxBytes / GIB} GiB`,
      RECEIPTS: `until they are decided, at most ${RECEIPT_LIMITS.triedMs / DAY_MS} days; at most ${STREAMS.RECEIPTS.maxBytes / 1024 ** 2} MiB`,
      DELIVERIES: `until they are delivered or exhausted; at most ${MATCHING_LIMITS.deliveriesBytes / GIB} GiB, then matching waits`,
      CONFIG: 'forever',
      OWNERS: 'forever; a few entries',
      POSITIONS: 'forever; a few entries',
      ERASURES: `${BUCKET_MAX_AGE_MS.ERASURES / DAY_MS} days`,
      WEBHOOKS: `${BUCKET_MAX_AGE_MS.WEBHOOKS / DAY_MS} days`,
      STREAM_TOKENS: `${BUCKET_MAX_AGE_MS.STREAM_TOKENS / 60_000} minutes`,
      USE_TIMES: 'forever; two entries per game and environment',
      MERGES: `${BUCKET_MAX_AGE_MS.MERGES / DAY_MS} days`,
      CLAIMS: `${BUCKET_MAX_AGE_MS.CLAIMS / DAY_MS} days; one entry per verified transaction`,
    };
    const names = Object.keys(expected);
    expect(names.map((name) => [name, retentionOf(name)])).toEqual(Object.entries(expected));
    const forever = BUCKETS.filter((name) => BUCKET_MAX_AGE_MS[name] === 0);
    expect(forever.filter((name) => !expected[name].startsWith('forever'))).toEqual([]);
  });

  it('lists every option of a game', () => {
    const documented = rowsUnder('docs/operations.md', 'Games and keys')
      .flatMap(([options]) => codeIn(options))
      .map((option) => option.split(' ')[0]);
    const context = { clock: systemClock, ids: systemIds, print: () => {}, note: () => {}, dataDir: '', modelPath: '' };
    const unused = (): never => {
      throw new Error('this test runs no command');
    };
    const command = setGameCommand({
      ...context,
      baseUrl: unused,
      withConfigStore: unused,
      withDeployment: unused,
      clickhouse: unused,
    });
    expect(sorted(documented)).toEqual(sorted(command.options.map(({ long }) => long)));
  });
});

describe('docs/campaigns.md', () => {
  it('names every reason of a suppression', () => {
    const section = pageText('docs/campaigns.md').split('## Suppression')[1] ?? '';
    expect(SUPPRESSION_REASONS.filter((reason) => !section.includes(`\`${reason}\``))).toEqual([]);
  });
});

function firstNumber(text: string): number {
  return Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', ''));
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

describe('the blocks of the pages', () => {
  it('are run by test/long, except those that need other machines', () => {
    const manual = userPages().flatMap((page) => blocksOf(page).filter(({ info }) => info === 'sh manual'));
    expect(manual.map(({ page, text }) => `${page}: ${text.split(/[=:\n]/)[0]}`)).toEqual([
      'docs/cluster.md: # In a shell of its own',
      'docs/cluster.md: export NATS_URL',
      'docs/cluster.md: npm install --omit',
      'docs/cluster.md: npx node --max-semi-space-size',
      'docs/cluster.md: npm run cli -- games create my-game',
      'docs/console.md: npm run --silent cli -- users add ann@example.com --role editor --game my-game',
      'docs/console.md: npm run --silent cli -- users grant ann@example.com --role analyst --game "*"',
      'docs/console.md: npm run --silent cli -- clickhouse grants console --database player_analytics --password … |',
      'docs/monitoring.md: export GRAFANA_PASSWORD',
    ]);
  });

  it('have kinds that test/long handles', () => {
    // The package of the SDK compiles `ts`.
    const known = /^(sh|sql|json|text|js|ts|csharp|gdscript|nginx|sh manual|sh stopped|)$/;
    const unknown = userPages().flatMap((page) => blocksOf(page).filter(({ info }) => !known.test(info)));
    expect(unknown.map(({ page, line, info }) => `${page}:${line}: ${info}`)).toEqual([]);
  });
});
