import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { createMemoryConfigStore } from '../../../test/support/in-memory/memory-config-store.ts';
import type { FlagDocument, SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { GameDocument } from '../../../core/vocabulary/documents/game.ts';
import { effectiveRevision, withEffective } from '../../../core/vocabulary/labels.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { aCampaign } from '../../campaigns/testing-campaign.ts';
import { DEFAULT_THRESHOLDS } from '../../player/thresholds.ts';
import { anExperiment } from '../../experiments/testing-experiment.ts';
import { aPlayer } from '../../testing-players.ts';
import type { Flag } from '../../decision/targeting.ts';
import { createLiveDefinitions } from './live-definitions.ts';

function setUp() {
  const lines: { level: number; msg: string; flag?: string; version?: number }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const config = createMemoryConfigStore();
  const definitions = createLiveDefinitions(config, logger);
  const put = (document: SegmentDocument, game = 'demo') =>
    config.put({ game, environment: 'live', kind: 'segment', key: document.id }, document);
  const putFlag = (document: FlagDocument) =>
    config.put({ game: 'demo', environment: 'live', kind: 'flag', key: document.key }, document);
  return { config, definitions, lines, put, putFlag };
}

const segment = (id: string, conditions: SegmentDocument['conditions'] = {}): SegmentDocument => ({
  id,
  key: `key-${id}`,
  name: id,
  description: '',
  conditions,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
});

const flag = (key: string, some: Partial<FlagDocument> = {}): FlagDocument => ({
  key,
  name: key,
  description: '',
  flagType: 'boolean',
  enabled: true,
  defaultValue: false,
  salt: 's',
  variants: [],
  rules: [],
  prerequisites: [],
  createdAt: 0,
  updatedAt: 0,
  archivedAt: null,
  version: 1,
  periods: [{ period: 1, version: 1, since: 0 }],
  ...some,
});

describe('the definitions of a process', () => {
  it('name the events whose counters segments, flags and campaigns read', async () => {
    const { definitions, config, put, putFlag } = setUp();
    await put(segment('a', { 'events.win.count_7d': 1 }));
    const conditions = { $not: { 'events.lose.last_days_ago': 1 } };
    const rule = {
      name: 'r',
      segmentId: null,
      value: true,
      percentage: 100,
      priority: 1,
      startAt: null,
      endAt: null,
      conditions,
    };
    await putFlag(flag('shop', { rules: [rule] }));
    await putFlag(flag('gone', { archivedAt: 5, rules: [{ ...rule, conditions: { 'events.old.count_1d': 1 } }] }));
    const campaign = aCampaign({ trigger: { kind: 'event', event: 'x', conditions: { 'events.buy.count_1d': 1 } } });
    await config.put({ game: 'demo', environment: 'live', kind: 'campaign', key: campaign.id }, campaign);
    expect([...(definitions.of('demo', 'live').countedEvents ?? [])].toSorted()).toEqual(['buy', 'lose', 'win']);
    expect(definitions.of('demo', 'test').countedEvents).toEqual(new Set());
  });

  it('have the experiment of a flag that runs or is paused, and the holdout of the game', async () => {
    const { definitions, config, putFlag } = setUp();
    const putExperiment = (document: ExperimentDocument) =>
      config.put({ game: 'demo', environment: 'live', kind: 'experiment', key: document.key }, document);
    await putFlag(flag('shop'));
    await putExperiment(anExperiment({ key: 'old', state: 'stopped' }));
    expect(definitions.of('demo', 'live').experimentOf?.('shop')).toBeUndefined();
    await putExperiment(anExperiment({ key: 'new', state: 'running' }));
    expect(definitions.of('demo', 'live').experimentOf?.('shop')?.key).toBe('new');
    expect(definitions.of('demo', 'live').experimentOf?.('other')).toBeUndefined();
    expect(definitions.of('demo', 'test').experimentOf?.('shop')).toBeUndefined();
    await putExperiment(anExperiment({ key: 'new', state: 'paused' }));
    expect(definitions.of('demo', 'live').experimentOf?.('shop')?.state).toBe('paused');
    const game: GameDocument = { name: 'd', tenant: 't', namespace: 'n', createdAt: 0 };
    for (const holdout of [{ percentage: 5, salt: 'h' }, { percentage: 0, salt: 'h' }, null]) {
      await config.put(gameAddress('demo'), { ...game, holdout });
      expect(definitions.of('demo', 'live').holdout).toEqual(holdout?.percentage === 5 ? holdout : undefined);
    }
  });

  it('are compiled once until they change, per game and environment', async () => {
    const { definitions, config, put, putFlag } = setUp();
    await put(segment('b'));
    await put(segment('a'));
    await putFlag(flag('shop'));
    await putFlag(flag('gone', { archivedAt: 5 }));
    const first = definitions.of('demo', 'live');
    expect(first.segments.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(first.segment('b')?.key).toBe('key-b');
    expect([...first.flags.keys()]).toEqual(['shop']);
    expect(definitions.of('demo', 'live')).toBe(first);
    expect(definitions.of('demo', 'test').segments).toEqual([]);
    expect(definitions.of('other', 'live').segments).toEqual([]);
    await put(segment('c'), 'other');
    expect(definitions.of('demo', 'live')).toBe(first);
    await putFlag(flag('shop', { version: 2 }));
    const second = definitions.of('demo', 'live');
    expect(second).not.toBe(first);
    expect(second.flags.get('shop')?.document.version).toBe(2);
    // What did not change is not compiled again.
    expect(second.segment('a')).toBe(first.segment('a'));
    expect(definitions.revision).toBe(config.revision);
  });

  it('report every change and deletion of a segment, and nothing else', async () => {
    const { definitions, config, put, putFlag } = setUp();
    let reports = 0;
    const stop = definitions.onSegments(() => {
      reports += 1;
    });
    expect(definitions.wantsSweep).toBe(false);
    await put(segment('a'));
    await put(segment('a', { is_payer: true }));
    expect([reports, definitions.segmentsVersion, definitions.wantsSweep]).toEqual([2, 2, true]);
    await putFlag(flag('shop'));
    expect(reports).toBe(2);
    await config.delete({ game: 'demo', environment: 'live', kind: 'segment', key: 'a' });
    expect([reports, definitions.segmentsVersion, definitions.wantsSweep]).toEqual([3, 3, false]);
    stop();
    await put(segment('b'));
    expect([reports, definitions.segmentsVersion]).toEqual([3, 4]);
  });

  it('hold a game’s settings, and report new thresholds like changes of segments', async () => {
    const { definitions, config } = setUp();
    const game = { name: 'demo', tenant: 't', namespace: 'n', createdAt: 0 };
    const put = (document: GameDocument) => config.put(gameAddress('demo'), document);
    expect(definitions.settings('demo').lifecycle).toEqual(DEFAULT_THRESHOLDS);
    await put(game);
    expect([definitions.segmentsVersion, definitions.wantsSweep]).toEqual([0, false]);
    await put({ ...game, lifecycle: { atRiskDays: 3 } });
    expect(definitions.settings('demo').lifecycle).toEqual({ ...DEFAULT_THRESHOLDS, atRiskDays: 3 });
    expect(definitions.settings('other').lifecycle).toEqual(DEFAULT_THRESHOLDS);
    expect([definitions.segmentsVersion, definitions.wantsSweep]).toEqual([1, true]);
    await put(game);
    expect(definitions.settings('demo').lifecycle).toEqual(DEFAULT_THRESHOLDS);
    expect([definitions.segmentsVersion, definitions.wantsSweep]).toEqual([2, false]);
  });

  it('ask for the game’s time zone whenever a campaign’s quiet hours are evaluated', async () => {
    const { definitions, config } = setUp();
    const game = { name: 'demo', tenant: 't', namespace: 'n', createdAt: 0 };
    const quiet = aCampaign({ quietHours: { from: '22:00', to: '08:00' } });
    await config.put({ game: 'demo', environment: 'live', kind: 'campaign', key: 'night' }, quiet);
    const campaign = definitions.campaigns('demo', 'live').get(quiet.id);
    const at = (hour: number) => campaign?.quiet(aPlayer(), Date.UTC(2026, 0, 15, hour)) !== undefined;
    expect([at(0), at(9)]).toEqual([true, false]);
    await config.put(gameAddress('demo'), { ...game, timeZone: 'America/Sao_Paulo' });
    expect([at(0), at(9)]).toEqual([false, true]);
  });

  it('hold the campaigns that are enabled and compile; another shape disables a campaign alone', async () => {
    const { definitions, lines, config } = setUp();
    const put = (document: object, key: string) => {
      const address = { game: 'demo', environment: 'live', kind: 'campaign', key } as const;
      return config.put(address, Object.assign(aCampaign({ id: key, key }), document));
    };
    await put({}, 'good');
    await put({ enabled: false }, 'off');
    await put({ trigger: { kind: 'event', event: 'level_failed', conditions: { $where: 'x' } } }, 'broken');
    for (const field of ['trigger', 'caps', 'displayRules']) await put({ [field]: undefined }, `no-${field}`);
    const held = () => definitions.campaigns('demo', 'live').all.map(({ id }) => id);
    expect(held()).toEqual(['good']);
    expect(definitions.isScheduledIn({ after: 0, until: 2e12 })).toBe(false);
    await put({ trigger: { kind: 'schedule', at: 1e12 } }, 'timed');
    expect(held()).toEqual(['good', 'timed']);
    expect(definitions.campaigns('demo', 'test').all).toEqual([]);
    const at = 1e12;
    expect(definitions.isScheduledIn({ after: at - 1, until: at })).toBe(true);
    expect(definitions.isScheduledIn({ after: at, until: at + 1 })).toBe(false);
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual(Array(4).fill('50 a campaign is disabled'));
  });

  it('that no longer compile are disabled alone, with one ERROR line', async () => {
    const { definitions, lines, put, putFlag } = setUp();
    await put(segment('bad', { $where: 'x' }));
    await put(segment('good', { is_payer: false }));
    await putFlag(flag('bad', { flagType: 'string', rules: [badRule] }));
    await putFlag(flag('good'));
    const { segments, flags } = definitions.of('demo', 'live');
    await putFlag(flag('another'));
    definitions.of('demo', 'live');
    expect([...flags.values()].map((one) => served(one))).toEqual(['flag_disabled', 'default']);
    expect(lines.map(({ level, msg }) => [level, msg.split(':')[0]])).toEqual([
      [50, 'a segment is disabled'],
      [50, 'a flag is disabled'],
    ]);
    // The disabled segment keeps the players it has and takes no other.
    const member = aPlayer({ segments: [{ segmentId: 'bad', segmentKey: 'key-bad', since: 1 }] });
    const matches = (player: typeof member) => segments.map(({ condition }) => condition.matches({ player, nowMs: 1 }));
    expect(matches(member)).toEqual([true, true]);
    expect(matches(aPlayer())).toEqual([false, true]);
  });

  it('survive a condition that throws: it is disabled, and writes go on', async () => {
    const { definitions, lines, put } = setUp();
    await put(segment('s', { 'attributes.level': 1 }));
    const condition = definitions.of('demo', 'live').segment('s')?.condition;
    // Attributes that are no JSON: a bug elsewhere, which must not take every write of the player with it.
    const player = aPlayer({ attributes: '{' });
    expect(condition?.matches({ player, nowMs: 1 })).toBe(false);
    expect(condition?.matches({ player: aPlayer({ attributes: '{"level":1}' }), nowMs: 1 })).toBe(false);
    expect(condition?.changesAt(player, 1)).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual([50]);
  });

  it('survive a flag whose rule throws: it serves its default there, and other flags are unaffected', async () => {
    const { definitions, lines, put, putFlag } = setUp();
    await put(segment('s'));
    const rules = [{ ...badRule, conditions: { 'attributes.level': 1 } }];
    await putFlag(flag('throws', { flagType: 'string', defaultValue: 'none', variants: [on], rules }));
    await putFlag(flag('waits', { prerequisites: [{ flagKey: 'throws', value: 'on' }] }));
    await putFlag(flag('good'));
    const player = aPlayer({ attributes: '{' });
    const evaluations = () => {
      const targeting = definitions.of('demo', 'live');
      return [...targeting.flags.values()].map((one) => one.evaluate({ player, nowMs: 1 }, targeting));
    };
    expect(evaluations()).toEqual([
      { flagKey: 'good', value: 'false', variantKey: null, reason: 'default', period: 0 },
      { flagKey: 'throws', value: '"none"', variantKey: null, reason: 'flag_disabled', period: 0 },
      {
        flagKey: 'waits',
        value: 'false',
        variantKey: null,
        reason: 'flag_disabled',
        period: 0,
        prerequisiteKey: 'throws',
      },
    ]);
    // Once for each version, however often it throws and whatever else changes.
    await putFlag(flag('another'));
    evaluations();
    expect(lines).toMatchObject([{ level: 50, flag: 'throws', version: 1 }]);
    await putFlag(flag('throws', { flagType: 'string', variants: [on], rules, version: 2 }));
    evaluations();
    expect(lines).toMatchObject([{ version: 1 }, { level: 50, flag: 'throws', version: 2 }]);
    // The flag still works where it does not throw; otherwise one caller could turn it off for all.
    const fine = aPlayer({ attributes: '{"level":1}' });
    const targeting = definitions.of('demo', 'live');
    expect(targeting.flags.get('throws')?.evaluate({ player: fine, nowMs: 1 }, targeting).variantKey).toBe('on');
  });

  it('hold a flag whose document cannot even be read as disabled', async () => {
    const { definitions, lines, putFlag } = setUp();
    const without = { rules: undefined, defaultValue: undefined, prerequisites: undefined };
    await putFlag(Object.assign(flag('another-shape'), without));
    await putFlag(flag('waits', { prerequisites: [{ flagKey: 'another-shape', value: true }] }));
    const { flags } = definitions.of('demo', 'live');
    const targeting = definitions.of('demo', 'live');
    const evaluate = (key: string) => flags.get(key)?.evaluate({ player: aPlayer(), nowMs: 1 }, targeting);
    expect(evaluate('another-shape')).toMatchObject({ value: 'null', reason: 'flag_disabled' });
    expect(evaluate('waits')).toMatchObject({ reason: 'flag_disabled', prerequisiteKey: 'another-shape' });
    expect(lines).toMatchObject([{ level: 50, flag: 'another-shape' }]);
  });
});

const on: FlagDocument['variants'][number] = { key: 'on', value: 'on', weight: 1 };

const served = (one: Flag): string =>
  one.evaluate({ player: aPlayer(), nowMs: 1 }, { segments: [], segment: () => undefined, flags: new Map() }).reason;

const badRule: FlagDocument['rules'][number] = {
  name: 'r',
  segmentId: null,
  conditions: { nonsense: 1 },
  value: true,
  percentage: 100,
  priority: 1,
  startAt: null,
  endAt: null,
};

it('a change of a segment for people only makes owners evaluate no player again', async () => {
  const { config, definitions, put } = setUp();
  await put(segment('a'));
  const before = definitions.segmentsVersion;
  const [held] = config.list('segment');
  if (held === undefined) throw new Error('there is no segment');
  await put(withEffective(held, { ...held.document, version: 2, note: 'n', tags: ['t'] }));
  expect(definitions.segmentsVersion).toBe(before);
  const [labelled] = config.list('segment');
  if (labelled === undefined) throw new Error('there is no segment');
  expect(effectiveRevision(labelled)).toBe(held.revision);
  await put(withEffective(labelled, { ...labelled.document, version: 3, conditions: { is_payer: true } }));
  expect(definitions.segmentsVersion).toBe(before + 1);
});
