import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aFlag, aRule, aSplitFlag, compiled, targetingOf } from '../../../actors/flags/evaluate/testing-flag.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type Sample } from '../../../src/analysis/comparison.ts';
import { experimentResults } from '../../../src/analysis/experiment-results.ts';
import { clusteredSampleOf, sampleOf, seededRandom } from '../../../src/analysis/testing-samples.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';
import { insertRows } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';

/* Results of draws that players share, over HTTP and by the real engine, from exposures of evaluated flags. */

const NOW = Date.now();
const HOUR_MS = 3_600_000;
const PERIODS = [{ period: 1, version: 1, since: NOW - 48 * HOUR_MS }];
const PERIOD = { periods: PERIODS, createdAt: NOW - 48 * HOUR_MS, updatedAt: NOW - 48 * HOUR_MS };
const GUILD = { bucketBy: 'attribute:guild' } as const;
const OWN = {
  weights: [
    { key: 'a', weight: 2 },
    { key: 'b', weight: 1 },
  ],
};

/** Guild members get one variant, payers by weights of their own; players without a guild get one each. */
const SHOP = aSplitFlag(
  { a: 1, b: 1 },
  {
    ...PERIOD,
    key: 'shop',
    salt: 'shop',
    rules: [
      aRule({ ...GUILD, conditions: { is_payer: true }, serve: OWN }),
      aRule({ ...GUILD, conditions: { 'attributes.guild': { $gte: 0 } } }),
      aRule({}),
    ],
  },
);
const XP = aFlag({ ...PERIOD, key: 'xp', salt: 'xp', ...GUILD, rules: [aRule({ percentage: 40 })] });
/** It drew as `XP` when its exposures were stored, and now draws by player. */
const WAS = aFlag({ ...PERIOD, key: 'was', salt: 'xp', rules: [aRule({ percentage: 40 })] });
/** Payers by guild, others each by itself: of both 30 % get `true`. */
const MIXED = aFlag({
  ...PERIOD,
  key: 'mixed',
  salt: 'mixed',
  rules: [
    aRule({ percentage: 30, ...GUILD, conditions: { is_payer: true } }),
    aRule({ percentage: 30, conditions: { is_payer: false } }),
  ],
});
const FEW = aSplitFlag(
  { a: 1, b: 1 },
  { ...PERIOD, key: 'few', salt: 'few', bucketBy: 'attribute:realm', rules: [aRule()] },
);

const random = seededRandom(31);
/** Guilds of 2 to 8. */
const SIZES = [2, 3, 4, 5, 6, 7, 8].flatMap((size, place) => Array<number>(size).fill(place));
const PLAYERS = Array.from({ length: 600 }, (_, n) => {
  const guild = n < 500 ? 7 * Math.floor(n / SIZES.length) + (SIZES[n % SIZES.length] ?? 0) : null;
  const isPayer = guild !== null && guild % 3 > 0;
  const amount = random() < 0.3 ? Math.ceil(40 * random()) : 0;
  return {
    id: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`,
    guild,
    isPayer,
    realm: n % 8,
    amount,
    hadBought: n % 4 === 0 || amount > 20,
  };
});
type Player = (typeof PLAYERS)[number];

const drawn = (flag: FlagDocument, { id, guild, isPayer, realm }: Player) => {
  const attributes = JSON.stringify({ realm, ...(guild === null ? {} : { guild }) });
  return compiled(flag).evaluate({ player: aPlayer({ id, attributes, isPayer }), nowMs: NOW }, targetingOf([]));
};

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(world.clickhouse, table, rows);

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ gateway } = world);
  key = await gateway.key();
  for (const flag of [SHOP, XP, WAS, MIXED, FEW]) {
    await gateway.config.put({ game: 'demo', environment: 'live', kind: 'flag', key: flag.key }, flag);
    await insert(
      'flag_exposures',
      PLAYERS.map((player, n) => {
        const { variantKey, value, reason, stratum = 0, cluster = 0 } = drawn(flag === WAS ? XP : flag, player);
        const what = { flag_key: flag.key, flag_version: 1, period: 1, variant_key: variantKey, value, reason };
        const at = { player_id: player.id, received_at: NOW - 24 * HOUR_MS, facts_sequence: n + 1 };
        return { ...what, ...at, stratum, cluster, attribution: 'served' };
      }),
    );
  }
  await insert(
    'events',
    PLAYERS.flatMap(({ id, amount, hadBought }, n) => {
      const what = { event_name: 'bought', properties: JSON.stringify({ amount }), player_id: id };
      const first = JSON.stringify({ amount: 1 });
      const at = (ms: number) => ({ timestamp: ms, received_at: ms, facts_sequence: 10_000 + n });
      const before = hadBought ? [{ ...what, properties: first, event_id: `b${n}`, ...at(NOW - 30 * HOUR_MS) }] : [];
      return amount === 0 ? before : [{ ...what, event_id: `e${n}`, ...at(NOW - HOUR_MS) }, ...before];
    }),
  );
});
afterAll(() => world.close());

async function results(flag: string, query: string): Promise<Record<string, unknown>> {
  const response = await gateway.call(key, 'GET', `/v1/flags/flags/${flag}/results?metric=bought${query}`);
  expect(response.status).toBe(200);
  return (await bodyOf(response)).data;
}

/** The players of a stratum by their variant, as they were drawn. */
function groups(flag: FlagDocument, variants: readonly string[], isIn: (stratum: number) => boolean) {
  return variants.map((variant) => {
    const own = PLAYERS.filter((player) => {
      const { variantKey, value, stratum } = drawn(flag, player);
      return stratum !== undefined && isIn(stratum) && (variantKey ?? value) === variant;
    });
    return [...Map.groupBy(own, (player) => drawn(flag, player).cluster ?? player.id).values()];
  });
}

const close = (value: unknown): unknown => (typeof value === 'number' ? expect.closeTo(value, 9) : value);

/** What an own reading of the players says, as the answer of the API. */
function expected(
  found: readonly (readonly (readonly Player[])[])[],
  weights: readonly number[],
  of: (player: Player) => number,
) {
  const samples = found.map((clusters, place) => {
    const sample: Sample = clusteredSampleOf(clusters.map((players) => players.map(of)));
    const arrived = clusters.reduce((sum, { length }) => sum + length, 0);
    const arrivedSquares = clusters.reduce((sum, { length }) => sum + length ** 2, 0);
    return { ...sample, variantKey: `${place}`, weight: weights[place] ?? null, arrived, arrivedSquares, sum: 0 };
  });
  const { variants, sampleRatio } = experimentResults(samples);
  return {
    variants: variants.map(({ players, clusters, conversions, mean, lift, interval }) => ({
      players,
      clusters,
      conversions,
      mean: close(mean),
      lift: close(lift),
      ci_low: close(interval?.low ?? null),
      ci_high: close(interval?.high ?? null),
      p_value: close(interval?.pValue ?? null),
      too_small: interval?.tooSmall ?? null,
    })),
    sequential: { variants: variants.map(({ sequential }) => ({ p_value: close(sequential?.pValue ?? null) })) },
    sample_ratio: { p_value: close(sampleRatio.pValue), mismatch: sampleRatio.mismatch },
  };
}

const bought = ({ amount }: Player) => (amount > 0 ? 1 : 0);
const spent = ({ amount }: Player) => amount;

describe('results of a draw that players share', () => {
  const stratumOf = (isIts: (player: Player) => boolean) =>
    drawn(SHOP, PLAYERS.find(isIts) ?? expect.fail('there is one')).stratum ?? 0;
  const payers = stratumOf(({ isPayer }) => isPayer);
  const others = stratumOf(({ guild, isPayer }) => guild !== null && !isPayer);

  it('are those of guilds, by conversion and by sum, of the split that is asked for', async () => {
    const found = groups(SHOP, ['a', 'b'], (stratum) => stratum === payers);
    const players = found.flat(2).length;
    expect(found.flat().length).toBeLessThan(players);
    const answer = await results('shop', `&split=${payers}`);
    expect(answer).toMatchObject({ split: payers, ...expected(found, [2, 1], bought) });
    expect(answer['splits']).toContainEqual({
      split: payers,
      players,
      weights: [
        { variant_key: 'a', weight: 2 },
        { variant_key: 'b', weight: 1 },
      ],
    });
    expect(await results('shop', `&split=${payers}&aggregate=sum&property=amount`)).toMatchObject(
      expected(found, [2, 1], spent),
    );
    const own = groups(SHOP, ['a', 'b'], (stratum) => stratum === others);
    expect(await results('shop', `&split=${others}`)).toMatchObject({
      split: others,
      ...expected(own, [1, 1], bought),
    });
  });

  it('are those of players where each is drawn alone, by the flag’s weights', async () => {
    const found = groups(SHOP, ['a', 'b'], (stratum) => stratum === 10_000);
    expect(found.flat(2).length).toBe(100);
    const answer = await results('shop', '');
    expect(answer).toMatchObject({ split: 10_000, variants: [{ clusters: null }, { clusters: null }] });
    expect(answer).toMatchObject(expected(found, [1, 1], bought));
    const [control] = found.map((clusters) => sampleOf(clusters.flat().map(bought)));
    expect(answer).toMatchObject({ variants: [{ mean: close(control?.mean) }, {}] });
  });

  it('of a boolean flag compare guilds, also beside players with the same percentage', async () => {
    const shared = groups(XP, ['false', 'true'], () => true);
    expect(await results('xp', '')).toMatchObject({ percentage: 40, ...expected(shared, [60, 40], bought) });
    const both = groups(MIXED, ['false', 'true'], () => true);
    expect(both.flat().some(({ length }) => length > 1)).toBe(true);
    expect(await results('mixed', '')).toMatchObject({
      percentages: [{ percentage: 30, players: both.flat(2).length }],
      ...expected(both, [70, 30], bought),
    });
  });

  it('compare guilds of a flag that drew by guild and now draws by player, as its exposures say', async () => {
    const shared = groups(XP, ['false', 'true'], () => true);
    expect(await results('was', '')).toMatchObject({ percentage: 40, ...expected(shared, [60, 40], bought) });
  });

  it('are null of few groups, with the reason, and so is their sample ratio', async () => {
    const answer = await results('few', '');
    const none = { ci_low: null, ci_high: null, p_value: null, too_small: 'clusters' };
    expect(answer).toMatchObject({ variants: [{ clusters: expect.any(Number) }, none] });
    expect(answer).toMatchObject({ sequential: { variants: [{}, none] }, sample_ratio: { p_value: null } });
  });

  it('adjust by what was before the exposure, by guild', async () => {
    const found = groups(SHOP, ['a', 'b'], (stratum) => stratum === payers);
    const isBefore = ({ hadBought }: Player) => (hadBought ? 1 : 0);
    const mean = (players: readonly Player[], of: (player: Player) => number) =>
      players.reduce((sum, player) => sum + of(player), 0) / players.length;
    const parts = found.flatMap((clusters) => {
      const own = clusters.flat();
      const [y, x] = [mean(own, spent), mean(own, isBefore)];
      return own.map((player) => [(spent(player) - y) * (isBefore(player) - x), (isBefore(player) - x) ** 2] as const);
    });
    const [xy, xx] = [0, 1].map((place) => parts.reduce((sum, part) => sum + (part[place] ?? 0), 0));
    const theta = (xy ?? 0) / (xx ?? 1);
    const common = mean(found.flat(2), isBefore);
    const { variants } = expected(found, [2, 1], (player) => spent(player) - theta * (isBefore(player) - common));
    expect(theta).not.toBe(0);
    const answer = await results('shop', `&split=${payers}&aggregate=sum&property=amount&cuped=true`);
    expect(answer).toMatchObject({
      variants: variants.map(({ mean: own, p_value, clusters }) => ({ mean: own, p_value, clusters })),
    });
  });

  it('divide sums and have quantiles by guild', async () => {
    const found = groups(SHOP, ['a', 'b'], (stratum) => stratum === payers);
    const of = async (query: string) => (await results('shop', `&split=${payers}${query}`))['variants'];
    const buyers = found.map((clusters) => clusters.flat().filter(({ amount }) => amount > 0));
    const means = buyers.map((own) => own.reduce((sum, { amount }) => sum + amount, 0) / own.length);
    expect(await of('&aggregate=ratio&per_metric=bought&property=amount')).toMatchObject([
      { mean: close(means[0]), clusters: found[0]?.length },
      { mean: close(means[1]), clusters: found[1]?.length, p_value: expect.any(Number) },
    ]);
    const ranks = found.map((clusters) => {
      const sorted = clusters
        .flat()
        .map(spent)
        .toSorted((one, other) => one - other);
      return sorted[Math.ceil(sorted.length * 0.8) - 1] ?? 0;
    });
    expect(await of('&aggregate=quantile&property=amount&quantile=0.8')).toMatchObject([
      { mean: ranks[0], clusters: found[0]?.length },
      { mean: ranks[1], clusters: found[1]?.length, p_value: expect.any(Number) },
    ]);
  });
});
