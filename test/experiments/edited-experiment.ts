import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { playerIdOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { armsOf, withPeriods } from '../../actors/flags/periods.ts';
import { definitionsOf } from '../../actors/testing-players.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { seededRandom } from '../../src/analysis/testing-samples.ts';
import { measureFacts } from './measure-facts.ts';
import { createExperimentOwner } from './owner.ts';

const METRIC = 'bought';
const START_MS = Date.UTC(2026, 0, 20);

/**
 * One A/A experiment that is edited: veterans evaluate the flag, it is edited, newcomers come, and all evaluate it.
 * Veterans buy with 75 %, newcomers with 15 %, if their `quarter` is 0, and others with a third of that.
 * @returns the players who count and the buyers among them, of the control and of the other variant
 */
export function editedExperiment(
  seed: number,
  { before, after, each }: { before: FlagDocument; after: FlagDocument; each: number },
): { players: number; buyers: number }[] {
  const random = seededRandom(seed);
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
  const see = (playerId: string) => {
    nowMs += 1;
    owner.evaluate({ playerId, flagKeys: [flag.key], context: '{}', exposes: true, by: 'server' }, nowMs);
  };
  const arrive = (turn: number): { id: string; quarter: number } => {
    const id = playerIdOf(seed * 10_000 + turn);
    const quarter = Math.floor(random() * 4);
    const register = { kind: 'RegisterPlayer', playerId: id, externalId: id, createOnly: true } as const;
    owner.send({ ...register, byClientKey: true, attributes: JSON.stringify({ quarter }) }, nowMs);
    see(id);
    return { id, quarter };
  };
  const buy = ({ id, quarter }: { id: string; quarter: number }, share: number) => {
    if (random() >= (quarter === 0 ? share : share / 3)) return;
    nowMs += 1;
    const event = { index: 0, playerId: id, eventId: `e-${nowMs}`, remember: false, eventName: METRIC } as const;
    const items = [{ ...event, properties: '{}', sessionId: null, timestamp: nowMs }];
    owner.send({ kind: 'TrackEvents', items }, nowMs);
  };
  const veterans = Array.from({ length: each }, (_, turn) => arrive(turn));
  nowMs += 1;
  flag = { ...withPeriods(flag, { ...after, salt, periods: flag.periods }, nowMs), version: flag.version + 1 };
  definitions = compiledNow();
  const newcomers = Array.from({ length: each }, (_, turn) => arrive(each + turn));
  for (const { id } of veterans) see(id);
  for (const one of veterans) buy(one, 0.75);
  for (const one of newcomers) buy(one, 0.15);
  const arms = armsOf(flag).map(({ variantKey }) => variantKey);
  const rows = measureFacts(owner.log, {
    game: 'demo',
    environment: 'live',
    flagKey: flag.key,
    fromVersion: flag.periods.at(-1)?.version ?? 1,
    beforeVersion: 1_000,
    variants: arms,
    metric: METRIC,
    aggregate: { kind: 'conversion' },
    windowDays: 7,
    sinceMs: flag.periods.at(-1)?.since ?? START_MS,
    untilMs: nowMs + 1,
    zone: 'UTC',
    earlierSinceMs: START_MS,
  });
  const counted = rows.filter(({ stratum, excluded }) => stratum > 0 && !excluded);
  return arms.map((arm) => {
    const row = counted.find(({ variant }) => variant === arm);
    return { players: row?.players ?? 0, buyers: row?.conversions ?? 0 };
  });
}

/** The statistic of two shares with their common variance; it is normal if nothing differs. */
export function zOf([one, other]: readonly { players: number; buyers: number }[]): number {
  if (one === undefined || other === undefined) throw new Error('two variants are compared');
  const share = (one.buyers + other.buyers) / (one.players + other.players);
  const variance = share * (1 - share) * (1 / one.players + 1 / other.players);
  return variance === 0 ? 0 : (one.buyers / one.players - other.buyers / other.players) / Math.sqrt(variance);
}
