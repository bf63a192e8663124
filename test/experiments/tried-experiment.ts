import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { playerIdOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { countedVariant, isSameTrial } from '../../actors/flags/experiment/trials.ts';
import { seenVariant } from '../../actors/flags/exposure/seen-variant.ts';
import { armsOf } from '../../actors/flags/periods.ts';
import { definitionsOf } from '../../actors/testing-players.ts';
import type { MeasuredVariant } from '../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import { seededRandom } from '../../src/analysis/testing-samples.ts';
import { measureFacts } from './measure-facts.ts';
import { type Crash, createExperimentOwner, type PlacedFact } from './owner.ts';
import { countedIn } from './results-of.ts';
import { drawSpend } from './skewed-spend.ts';
import type { TriedCase } from './tried-cases.ts';

const METRIC = 'bought';
const START_MS = Date.UTC(2026, 0, 20);

interface Member {
  id: string;
  deviceId: string;
  quarter: number;
  /** How often it buys: players of earlier waves more often. */
  eagerness: number;
  /** The last answer that reached it. */
  shown: FlagEvaluation | undefined;
}

export interface TriedLife {
  log: readonly PlacedFact[];
  experiment: ExperimentDocument;
  /** Those who count, of the control and the other variants: of each phase, and of the flag's own results. */
  phases: Record<Kind, MeasuredVariant[]>[];
  /** What every phase had at each look: after each wave of the experiment and the visits that follow. */
  looks: Record<Kind, MeasuredVariant[]>[][];
  flag: Record<Kind, MeasuredVariant[]>;
  /** Exposures by events, and those of them with another variant, phase or experiment than was shown. */
  exposures: number;
  misattributed: number;
  crashes: number;
}

export type Kind = 'conversion' | 'revenue';

/**
 * The life of an experiment between variants that are the same. A wave of players meets the flag before it; then it
 * starts, and is edited, paused and stopped, with a wave of newcomers after each step and everybody coming back. One in
 * three is a guest who later signs in as another player on the same device. Owners crash, and others take over with a
 * snapshot or the log. Players of a quarter buy more often than others, and those of early waves than later ones.
 */
export function triedExperiment(
  seed: number,
  { flag: made, experiment: first, edits, forced }: TriedCase,
  each: number,
): TriedLife {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const spend = drawSpend({ payers: 1, deviation: 1 }, seed + 500_000);
  const flag = { ...made, salt: `flag ${seed}` };
  const holdout = { percentage: 10, salt: `holdout ${seed}` };
  let experiment: ExperimentDocument = { ...first, salt: `experiment ${seed}`, state: 'draft' };
  let definitions = definitionsNow();
  const owner = createExperimentOwner(() => definitions);
  const told = { exposures: 0, misattributed: 0, crashes: 0 };
  const members: Member[] = [];
  const looks: TriedLife['looks'] = [];
  let nowMs = START_MS;

  wave(0.5);
  for (const edit of [{ state: 'running' } as const, ...edits, { state: 'stopped' } as const]) {
    nowMs += 1;
    experiment = { ...experiment, ...edit };
    definitions = definitionsNow();
    owner.recover(chance(0.5) ? 'snapshot' : 'log');
    if (edit === edits[0] && forced !== undefined) force(forced);
    for (const one of members) if (chance(0.8)) visit(one);
    looks.push(phasesNow());
    wave(edit.state === 'running' ? 0.4 : 0.1);
    looks.push(phasesNow());
  }
  return {
    log: owner.log,
    experiment,
    phases: looks.at(-1) ?? [],
    looks,
    flag: measured(armsOf(flag).map(({ variantKey }) => variantKey)),
    ...told,
  };

  function definitionsNow() {
    const active = experiment.state === 'running' || experiment.state === 'paused' ? experiment : undefined;
    const compiled = compileFlag(flag, { experiment: active });
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
    const flags = new Map([[flag.key, compiled.flag]]);
    return definitionsOf({ flags, holdout, experimentOf: (key) => (key === flag.key ? active : undefined) });
  }

  function force(value: string): void {
    for (const { id: playerId, quarter } of members) {
      if (quarter === 0) owner.send({ kind: 'OverrideFlag', playerId, flagKey: flag.key, value }, nowMs);
    }
  }

  function wave(eagerness: number): void {
    const newcomers = Array.from({ length: each }, () => arrive(`device ${seed} ${members.length}`, eagerness));
    for (const guest of newcomers) {
      if (!chance(1 / 3)) continue;
      visit(guest);
      visit(arrive(guest.deviceId, guest.eagerness));
    }
  }

  function arrive(deviceId: string, eagerness: number): Member {
    const id = playerIdOf(seed * 100_000 + members.length);
    const quarter = Math.floor(random() * 4);
    const register = { kind: 'RegisterPlayer', playerId: id, externalId: id, deviceId, createOnly: true } as const;
    owner.send({ ...register, byClientKey: true, attributes: JSON.stringify({ quarter }) }, nowMs);
    const member = { id, deviceId, quarter, eagerness, shown: undefined };
    members.push(member);
    if (quarter === 0 && chance(0.5)) pay(id);
    visit(member);
    return member;
  }

  function crash(): Crash | undefined {
    if (!chance(0.02)) return undefined;
    told.crashes += 1;
    return chance(0.5) ? 'before' : 'after';
  }

  /** Asks for the flag, shows it and says so, and may buy. */
  function visit(member: Member): void {
    nowMs += 1;
    const query = {
      playerId: member.id,
      flagKeys: [flag.key],
      context: '{}',
      exposes: chance(0.3),
      by: 'server',
    } as const;
    const reply = owner.evaluate(query, nowMs, crash());
    const isStale = reply === 'lost';
    if (reply !== 'lost') member.shown = reply.evaluations[0];
    if (member.shown !== undefined) {
      const named = isStale || chance(0.3) ? { variant_key: seenVariant(member.shown) } : {};
      track(member, 'seen', { flag_key: flag.key, ...named }, isStale);
    }
    if (chance(member.quarter === 0 ? member.eagerness : member.eagerness / 3)) {
      track(member, METRIC, {});
      pay(member.id);
    }
  }

  function track({ id: playerId, shown }: Member, eventName: string, properties: object, isStale = false): void {
    nowMs += 1;
    const event = { index: 0, playerId, eventId: `e-${nowMs}`, remember: false, eventName, sessionId: null } as const;
    const item = { ...event, properties: JSON.stringify(properties), timestamp: nowMs };
    for (const fact of owner.send({ kind: 'TrackEvents', items: [item] }, nowMs).facts) {
      if (fact.kind !== 'FlagExposed' || shown === undefined) continue;
      told.exposures += 1;
      const isAsServed = countedVariant(fact) === countedVariant(shown) && isSameTrial(fact.trial, shown.trial);
      // A client whose answer was lost names what it shows, which the experiment may serve by now.
      const isSame = isStale ? seenVariant(fact) === seenVariant(shown) : isAsServed;
      if (!isSame) told.misattributed += 1;
    }
  }

  function pay(playerId: string): void {
    nowMs += 1;
    const what = { currency: null, productId: null, transactionId: `t-${nowMs}`, eventId: `p-${nowMs}` } as const;
    owner.send(
      { kind: 'RecordPurchase', playerId, amount: Math.max(1, Math.round(spend() * 100)) * 100, ...what },
      nowMs,
    );
  }

  function phasesNow(): Record<Kind, MeasuredVariant[]>[] {
    return experiment.phases.map(({ phase, variants }) =>
      measured(
        variants.map(({ key }) => key),
        { experiment: experiment.key, phase },
      ),
    );
  }

  function measured(variants: readonly string[], phaseOf?: { experiment: string; phase: number }) {
    const of = (kind: Kind) =>
      countedIn(
        measureFacts(owner.log, {
          game: 'demo',
          environment: 'live',
          flagKey: flag.key,
          phaseOf,
          fromVersion: 1,
          beforeVersion: 1_000,
          variants,
          metric: METRIC,
          aggregate: { kind },
          windowDays: 7,
          sinceMs: START_MS,
          untilMs: nowMs + 1,
          zone: 'UTC',
          earlierSinceMs: START_MS,
        }),
      );
    return { conversion: of('conversion'), revenue: of('revenue') };
  }
}
