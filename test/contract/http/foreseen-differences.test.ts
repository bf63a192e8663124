import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSegmentPreviews } from '../../../actors/runtime/term/preview-segment.ts';
import { createMemoryStores } from '../../../actors/runtime/store/store-memory.ts';
import { playerIdOf } from '../../../actors/flags/evaluate/testing-flag.ts';
import { aPlayer, definitionsOf } from '../../../actors/testing-players.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { SegmentMembership } from '../../../core/vocabulary/state/player.ts';
import { createSegmentPreviewer } from '../../../src/api/segments/segment-previews.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startHistoryGateway } from '../../support/wire/clickhouse-gateway.ts';

/* Previews of changes say how many players they concern, counted by the owner of a partition. */

const PLAYERS = 1_000;
let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;
/** Memberships of the players with even numbers. */
let ofEven: SegmentMembership[] = [];
/** How far the clock of the owner goes with each look at it: a query takes a few players, then. */
let tickMs = 0;

async function countingPreviews() {
  const store = createMemoryStores().partition(0);
  const player = (turn: number) => aPlayer({ id: playerIdOf(turn), isPayer: turn % 4 === 0 });
  const states = Array.from({ length: PLAYERS }, (_, turn) => player(turn));
  await store.write({
    entities: states.map((state) => ({ state, dirtySince: 0, snapshotSeq: 0 })),
    mark: { appliedSeq: 1, factsCreated: 'c' },
  });
  const even = new Set(states.filter((_, turn) => turn % 2 === 0).map(({ id }) => id));
  const held = (id: string) => {
    const state = states.find((one) => one.id === id);
    return state && even.has(id) ? { ...state, segments: ofEven } : state;
  };
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => (nowMs += tickMs) };
  const previews = createSegmentPreviews({
    store,
    entities: { held },
    definitions: definitionsOf(),
    clock,
    sliceMs: 5,
  });
  return createSegmentPreviewer({
    partitions: 1,
    query: async ({ game, environment }, _, body) => {
      const envelope = { requestId: 'r', replyTo: 'g', deadlineAt: 0, configRevision: 0 };
      return previews.preview({ ...envelope, game, environment, body }, body);
    },
    clock,
  });
}

beforeAll(async () => {
  world = await startHistoryGateway({ segmentPreviews: await countingPreviews() });
  ({ gateway } = world);
  key = await gateway.key();
});
afterAll(() => world.close());
let made = 0;
let item = '';
beforeEach(() => {
  made += 1;
  item = `/v1/flags/flags/f-${made}`;
  tickMs = 0;
});

async function call(method: string, path: string, body?: unknown) {
  const response = await gateway.call(key, method, path, body);
  const { data, error } = await bodyOf(response);
  expect(error).toBeUndefined();
  return data;
}
const flag = (rules: object[], more: object = {}) =>
  call('POST', '/v1/flags/flags', {
    key: `f-${made}`,
    flag_type: 'boolean',
    enabled: true,
    targeting_rules: rules,
    ...more,
  });
const previewed = async (body: object) => (await call('POST', `${item}/preview`, body))['difference'];

async function segment(): Promise<string> {
  const { segment_id: id } = await call('POST', '/v1/segments/segments', { key: `s-${made}`, conditions: {} });
  ofEven = [{ segmentId: String(id), segmentKey: `s-${made}`, since: 1 }];
  return String(id);
}

describe('the preview of a change', () => {
  it('of a rule counts the players who come and go, and names segments by their keys', async () => {
    await flag([{ percentage: 0 }]);
    expect(await previewed({ targeting_rules: [{ percentage: 100 }] })).toEqual([
      'Rule 1: 0 % → 100 %, 1,000 more players',
    ]);
    const id = await segment();
    expect(await previewed({ targeting_rules: [{ percentage: 100, segment_id: id }] })).toEqual([
      'Rule 1: 0 % → 100 %, 500 more players',
      `Rule 1, segment id: none → “s-${made}”`,
    ]);
  });

  it('counts those whom an earlier rule leaves', async () => {
    const payers = { conditions: { is_payer: true } };
    await flag([payers, { percentage: 100 }]);
    expect(await previewed({ targeting_rules: [{ conditions: { is_payer: false } }, { percentage: 0 }] })).toEqual([
      'Rule 1, conditions, is_payer: yes → no, 750 more and 250 fewer players',
      'Rule 2: 100 % → 0 %, 750 fewer players',
    ]);
    expect(await previewed({ enabled: false })).toEqual(['Disabled, 1,000 fewer players']);
    expect(await previewed({ name: 'Another' })).toEqual([`Name: “f-${made}” → “Another”`]);
  });

  it('is an estimate, and says so, if not all could be looked at in time', async () => {
    tickMs = 1;
    await flag([{ percentage: 0 }]);
    const [line] = JSON.parse(JSON.stringify(await previewed({ targeting_rules: [{ percentage: 100 }] })));
    expect(line).toBe('Rule 1: 0 % → 100 %, about 1,000 more players (sampled)');
  });

  it('names no number where others decide too: an experiment that runs, a prerequisite, a list', async () => {
    await flag([{ percentage: 0 }]);
    const experiment = `/v1/experiments/experiments/e-${made}`;
    const halves = ['false', 'true'].map((variant) => ({ key: variant, weight: 1 }));
    await call('POST', '/v1/experiments/experiments', { key: `e-${made}`, flag_key: `f-${made}`, variants: halves });
    const wide = { targeting_rules: [{ percentage: 100 }] };
    expect(await previewed(wide)).toEqual(['Rule 1: 0 % → 100 %, 1,000 more players']);
    await call('POST', `${experiment}/start`);
    expect(await previewed(wide)).toEqual(['Rule 1: 0 % → 100 %']);
    await call('POST', `${experiment}/stop`);
    const needs = { prerequisites: [{ flag_key: `f-${made - 1}`, value: true }] };
    expect(await previewed({ ...wide, ...needs })).toEqual([
      'Rule 1: 0 % → 100 %',
      `Prerequisite “f-${made - 1}” added: value yes`,
    ]);
  });

  it('of steps that are planned counts each after those before it', async () => {
    await flag([{ percentage: 0 }]);
    const steps = [50, 100].map((percentage, place) => ({ percentage, after: `${place + 1}h` }));
    const planned = await call('POST', `${item}/schedule/preview`, { rollout: { steps } });
    const differences: { difference: string[] }[] = JSON.parse(JSON.stringify(planned['changes']));
    const counts = differences.map(({ difference }) => Number(/, (\d+) more players$/.exec(difference.join())?.[1]));
    expect(counts.every((count) => count > 400 && count < 600)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(PLAYERS);
  });

  it('of a restoration counts, for segments and campaigns too', async () => {
    const id = await segment();
    const path = `/v1/segments/segments/${id}`;
    await call('PUT', path, { conditions: { is_payer: true }, version: 1 });
    const content = { title: 'T', body: 'B', cta: 'C' };
    const campaign = await call('POST', '/v1/campaigns/campaigns', {
      key: `c-${made}`,
      name: 'C',
      trigger: { event: 'level_failed' },
      content,
      audience: id,
    });
    const campaignPath = `/v1/campaigns/campaigns/${String(campaign['campaign_id'])}`;
    await call('PATCH', campaignPath, { audience: null });
    const restored = async (of: string) => {
      await until('both versions are there', async () => {
        const { versions } = await call('GET', `${of}/versions`);
        return Array.isArray(versions) && versions.length === 2;
      });
      return (await call('POST', `${of}/restore/preview`, { version: 1 }))['difference'];
    };
    expect(await restored(path)).toEqual(['Conditions, is_payer: yes → none, 750 more players']);
    expect(await restored(campaignPath)).toEqual([`Audience: none → “s-${made}”, 500 fewer players`]);
  });
});
