import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { playerIdOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { armsOf, withPeriods } from '../../actors/flags/periods.ts';
import { definitionsOf } from '../../actors/testing-players.ts';
import type { MeasuredVariant } from '../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { seededRandom } from '../../src/analysis/testing-samples.ts';
import { measureFacts } from './measure-facts.ts';
import { createExperimentOwner } from './owner.ts';
import { countedIn } from './results-of.ts';
import { drawSpend } from './skewed-spend.ts';

const METRIC = 'bought';
const START_MS = Date.UTC(2026, 0, 20);

interface Member {
  id: string;
  quarter: number;
  /** Members of one company behave alike. */
  company: string;
}

const HOUSEHOLDS = [1, 2, 3, 4, 5].flatMap((size, place) => Array<number>(size).fill(place));

/** What players share: pairs, households of 1 to 5, and guilds of 20. */
const groupsOf = (turn: number) => ({
  pair: Math.floor(turn / 2),
  household: 5 * Math.floor(turn / HOUSEHOLDS.length) + (HOUSEHOLDS[turn % HOUSEHOLDS.length] ?? 0),
  guild: Math.floor(turn / 20),
});

/**
 * One A/A experiment that is edited: veterans evaluate the flag, it is edited, newcomers come, and all evaluate it.
 * Veterans buy with 75 %, newcomers with 15 %, if their `quarter` is 0, and others with a third of that. Every second
 * player of quarter 0 is a payer before it sees the flag, and all of them change their `place` later. Amounts are
 * log-normal. If the flag draws by pair, household or guild, its players are of one quarter and buy together.
 * @returns those who count, of the control and of the other variant, by conversion and by revenue
 */
export function editedExperiment(
  seed: number,
  { before, after, each }: { before: FlagDocument; after: FlagDocument; each: number },
): { conversion: MeasuredVariant[]; revenue: MeasuredVariant[] } {
  const random = seededRandom(seed);
  const spend = drawSpend({ payers: 1, deviation: 1 }, seed + 500_000);
  const salt = `salt ${seed}`;
  let flag: FlagDocument = { ...before, salt };
  const compiledNow = () => {
    const made = compileFlag(flag);
    if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
    return definitionsOf({ flags: new Map([[flag.key, made.flag]]) });
  };
  let definitions = compiledNow();
  const owner = createExperimentOwner(() => definitions);
  let nowMs = START_MS;
  const key = before.bucketBy ?? before.rules[0]?.bucketBy ?? '';
  /** What chance says once for a company. */
  const said = new Map<string, number>();
  const randomFor = (company: string, what: string) => {
    const id = `${company} ${what}`;
    const found = said.get(id) ?? random();
    said.set(id, found);
    return found;
  };
  const see = ({ id: playerId }: Pick<Member, 'id'>) => {
    nowMs += 1;
    owner.evaluate({ playerId, flagKeys: [flag.key], context: '{}', exposes: true, by: 'server' }, nowMs);
  };
  const pay = (playerId: string) => {
    nowMs += 1;
    const what = { currency: null, productId: null, transactionId: `t-${nowMs}`, eventId: `p-${nowMs}` } as const;
    const amount = Math.max(1, Math.round(spend() * 100)) * 100;
    owner.send({ kind: 'RecordPurchase', playerId, amount, ...what }, nowMs);
  };
  const arrive = (turn: number): Member => {
    const id = playerIdOf(seed * 10_000 + turn);
    const groups = groupsOf(turn);
    const company = String(Object.entries(groups).find(([group]) => key === `attribute:${group}`)?.[1] ?? id);
    const quarter = Math.floor(randomFor(company, 'quarter') * 4);
    const register = { kind: 'RegisterPlayer', playerId: id, externalId: id, createOnly: true } as const;
    const attributes = { quarter, place: turn, ...groups };
    owner.send({ ...register, byClientKey: true, attributes: JSON.stringify(attributes) }, nowMs);
    if (quarter === 0 && random() < 0.5) pay(id);
    see({ id });
    return { id, quarter, company };
  };
  const buy = ({ id: playerId, quarter, company }: Member, share: number, when: number) => {
    if (randomFor(company, `buys ${when}`) >= (quarter === 0 ? share : share / 3)) return;
    nowMs += 1;
    const event = { index: 0, playerId, eventId: `e-${nowMs}`, remember: false, eventName: METRIC } as const;
    const items = [{ ...event, properties: '{}', sessionId: null, timestamp: nowMs }];
    owner.send({ kind: 'TrackEvents', items }, nowMs);
    pay(playerId);
  };
  const move = (playerId: string) => {
    nowMs += 1;
    owner.send({ kind: 'PatchPlayer', playerId, attributes: JSON.stringify({ place: `new ${playerId}` }) }, nowMs);
  };
  const veterans = Array.from({ length: each }, (_, turn) => arrive(turn));
  nowMs += 1;
  flag = { ...withPeriods(flag, { ...after, salt, periods: flag.periods }, nowMs), version: flag.version + 1 };
  definitions = compiledNow();
  const newcomers = Array.from({ length: each }, (_, turn) => arrive(each + turn));
  for (const one of veterans) see(one);
  for (const one of veterans) buy(one, 0.75, 1);
  for (const one of newcomers) buy(one, 0.15, 1);
  // Most of them are of quarter 0, who buy more.
  for (const { id, quarter } of [...veterans, ...newcomers]) if (quarter === 0) move(id);
  // Those whom a purchase made a payer may take part from now on.
  for (const one of [...veterans, ...newcomers]) see(one);
  for (const one of veterans) buy(one, 0.75, 2);
  for (const one of newcomers) buy(one, 0.15, 2);
  const measured = (kind: 'conversion' | 'revenue') =>
    countedIn(
      measureFacts(owner.log, {
        game: 'demo',
        environment: 'live',
        flagKey: flag.key,
        fromVersion: flag.periods.at(-1)?.version ?? 1,
        beforeVersion: 1_000,
        variants: armsOf(flag).map(({ variantKey }) => variantKey),
        metric: METRIC,
        aggregate: { kind },
        windowDays: 7,
        sinceMs: flag.periods.at(-1)?.since ?? START_MS,
        untilMs: nowMs + 1,
        zone: 'UTC',
        earlierSinceMs: START_MS,
      }),
    );
  return { conversion: measured('conversion'), revenue: measured('revenue') };
}
