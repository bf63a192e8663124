import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { compileFlag } from '../../actors/flags/evaluate/compile-flag.ts';
import { withPeriods } from '../../actors/flags/periods.ts';
import { aFlag, aRule, aSplitFlag, playerIdOf, variantsOf } from '../../actors/flags/evaluate/testing-flag.ts';
import { seenVariant } from '../../actors/flags/exposure/seen-variant.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import { definitionsOf } from '../../actors/testing-players.ts';
import { seededRandom } from '../../src/analysis/testing-samples.ts';
import type { FlagDocument, FlagRule } from '../../core/vocabulary/documents/documents.ts';
import { type Crash, createExperimentOwner, type PlacedFact } from './owner.ts';
import { drawSpend } from './skewed-spend.ts';
import type { Definitions } from '../../actors/decision/definitions.ts';

export const FLAG_KEY = 'shop';
/** The event that is measured. It happens alike in all variants. */
export const METRIC = 'bought';
export const START_MS = Date.UTC(2026, 0, 20);
const ROUND_MS = 3_600_000;
const ROUNDS = 5;

/** One A/A experiment: what was stored, and what its exposures say of what clients showed. */
export interface SimulatedExperiment {
  flag: FlagDocument;
  log: readonly PlacedFact[];
  endMs: number;
  /** Exposures by events that were new, and those of them with another variant than the client showed. */
  exposures: number;
  misattributed: number;
  crashes: number;
  offline: number;
}

/** What a client shows. */
interface Client {
  id: string;
  /** The round of its first visit: newcomers arrive between edits, and buy less often than veterans. */
  arrivesIn: number;
  /** How often it buys: players differ, variants do not. */
  eagerness: number;
  platform: string;
  level: number;
  /** The last answer that reached it; `undefined`: none yet, and it shows nothing. */
  shown: string | null | undefined;
  /** Whether it plays with that although it asked again in vain, or not at all: then it names the variant. */
  isStale: boolean;
  sessionId: string | undefined;
}

/** Lives through one experiment: visits online and offline, edits, overrides, changes of device and level, crashes. */
export function simulateExperiment(seed: number, playerCount: number): SimulatedExperiment {
  const random = seededRandom(seed);
  const spend = drawSpend({ payers: 1, deviation: 1 }, seed);
  const chance = (share: number): boolean => random() < share;
  let flag = drawFlag(random, seed);
  let definitions = definitionsFor(flag);
  const owner = createExperimentOwner(() => definitions);
  const told = { exposures: 0, misattributed: 0, crashes: 0, offline: 0 };
  let nowMs = START_MS;
  let stamp = 0;

  const clients = Array.from({ length: playerCount }, (_, turn): Client => {
    const id = playerIdOf(seed * 10_000 + turn);
    const register = {
      kind: 'RegisterPlayer',
      playerId: id,
      externalId: id,
      createOnly: true,
      byClientKey: true,
    } as const;
    const level = chance(0.6) ? 2 : 1;
    owner.send({ ...register, attributes: `{"level":${level}}` }, nowMs);
    const platform = chance(0.6) ? 'ios' : 'android';
    const uninitialized = { shown: undefined, isStale: true, sessionId: undefined };
    const arrivesIn = chance(0.5) ? 0 : Math.floor(random() * ROUNDS);
    const eagerness = arrivesIn > 0 ? 0.08 : chance(0.5) ? 0.2 : 0.45;
    return { id, arrivesIn, eagerness, platform, level, ...uninitialized };
  });

  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) edit();
    for (const client of clients) {
      nowMs += ROUND_MS / playerCount;
      if (round >= client.arrivesIn && chance(0.75)) visit(client);
    }
  }
  return { flag, log: owner.log, endMs: nowMs, ...told };

  function crash(): Crash | undefined {
    if (!chance(0.03)) return undefined;
    told.crashes += 1;
    return chance(0.5) ? 'before' : 'after';
  }

  function edit(): void {
    const dice = random();
    const isSplit = flag.flagType !== 'boolean';
    if (dice < 0.3) change({ description: `words ${stamp++}` });
    else if (dice < 0.36 && isSplit) {
      change({ variants: flag.variants.map((one) => ({ ...one, weight: 1 + Math.floor(random() * 3) })) });
    } else if (dice < 0.4 && isSplit) change({ variants: flag.variants.length > 2 ? TWO : THREE });
    else if (dice < 0.48) change({ rules: flag.rules.map((rule) => ({ ...rule, percentage: ramp(isSplit) })) });
    else if (dice < 0.53) {
      change({ rules: flag.rules.map(({ percentage }) => aRule({ ...audience(random), percentage })) });
    } else if (dice < 0.56) change({ enabled: !flag.enabled });
    else if (!flag.enabled) change({ enabled: true });
  }

  function ramp(isSplit: boolean): number {
    if (isSplit) return chance(0.5) ? 100 : 60;
    return chance(0.5) ? 50 : 75;
  }

  function change(some: Partial<FlagDocument>): void {
    flag = { ...withPeriods(flag, { ...flag, ...some }, nowMs), version: flag.version + 1 };
    definitions = definitionsFor(flag);
  }

  function visit(client: Client): void {
    if (chance(0.1)) {
      client.level += 1;
      owner.send({ kind: 'PatchPlayer', playerId: client.id, attributes: `{"level":${client.level}}` }, nowMs);
    }
    if (chance(0.02)) override(client);
    // Another device has no cache, and asks first.
    if (chance(0.05))
      Object.assign(client, { platform: client.platform === 'ios' ? 'android' : 'ios', shown: undefined });
    if (chance(0.75)) askForFlags(client);
    else {
      client.isStale = true;
      told.offline += 1;
    }
    if (chance(0.6)) see(client);
    if (chance(client.eagerness)) track(client, METRIC, {});
    if (chance(client.eagerness)) pay(client);
  }

  function pay({ id: playerId }: Client): void {
    const what = { currency: null, productId: null, transactionId: `t-${stamp++}`, eventId: `e-${stamp++}` };
    owner.send(
      { kind: 'RecordPurchase', playerId, amount: Math.max(1, Math.round(spend() * 100)) * 100, ...what },
      nowMs,
    );
  }

  function override({ id: playerId }: Client): void {
    const value = flag.flagType === 'boolean' ? 'true' : JSON.stringify(flag.variants[1]?.value ?? null);
    const isSet = owner.player(playerId).overrides.length > 0;
    owner.send({ kind: 'OverrideFlag', playerId, flagKey: FLAG_KEY, value: isSet ? null : value }, nowMs);
  }

  function askForFlags(client: Client): void {
    const { id: playerId, platform } = client;
    const dice = random();
    if (dice < 0.25) return callGame(client);
    const isSingle = dice < 0.45;
    const flagKeys = isSingle || dice < 0.7 ? [FLAG_KEY] : 'all';
    const context = JSON.stringify({ platform });
    const reply = owner.evaluate({ playerId, flagKeys, context, exposes: isSingle, by: 'server' }, nowMs, crash());
    if (reply === 'lost') client.isStale = true;
    else show(client, reply.evaluations[0]);
  }

  /** An init, or a sync of the open session: neither has a context. */
  function callGame(client: Client): void {
    const { id: playerId } = client;
    const open = owner.player(playerId).sessions.find(({ sessionId }) => sessionId === client.sessionId);
    const isSync = open !== undefined && chance(0.6);
    const sessionId = isSync ? open.sessionId : `ses_${stamp++}`;
    const body: CommandBody = isSync
      ? { kind: 'SyncSession', playerId, sessionId, events: [], stateUpdates: null }
      : { kind: 'InitSession', playerId, sessionId, device: null, flagKeys: null, ttlMs: 10 * ROUND_MS };
    const { reply } = owner.send(body, nowMs, crash());
    if (reply === 'lost') {
      // What a lost sync would have delivered comes with no later one: the client opens another session.
      Object.assign(client, { isStale: true, sessionId: undefined });
      return;
    }
    if (reply.kind !== 'sessionOpened' && reply.kind !== 'sessionSynced')
      throw new Error(`answered with ${reply.kind}`);
    if (reply.kind === 'sessionOpened') client.sessionId = sessionId;
    const news = reply.flags.find(({ flagKey }) => flagKey === FLAG_KEY);
    if (news === undefined) client.isStale = true;
    else {
      const value = flag.flagType === 'boolean' ? String(news.enabled) : null;
      Object.assign(client, { shown: news.variant ?? value, isStale: false });
    }
  }

  /** The client shows the flag and says so: by name when what it shows may not be what it was served last. */
  function see(client: Client): void {
    if (client.shown === undefined) return;
    const named = client.isStale || chance(0.3) ? { variant_key: client.shown } : {};
    const isConversion = chance(client.eagerness);
    const facts = track(client, isConversion ? METRIC : 'seen', { flag_key: FLAG_KEY, ...named });
    const exposed = facts.find((fact) => fact.kind === 'FlagExposed');
    if (exposed?.kind !== 'FlagExposed') return;
    told.exposures += 1;
    if (seenVariant(exposed) !== client.shown) told.misattributed += 1;
  }

  function track({ id: playerId }: Client, eventName: string, properties: object): readonly DomainFact[] {
    const item = {
      index: 0,
      playerId,
      eventId: `e-${stamp++}`,
      remember: false,
      eventName,
      properties: JSON.stringify(properties),
      sessionId: null,
      timestamp: nowMs,
    };
    return owner.send({ kind: 'TrackEvents', items: [item] }, nowMs).facts;
  }
}

function show(client: Client, evaluation: FlagEvaluation | undefined): void {
  if (evaluation === undefined) throw new Error('the flag is not there');
  Object.assign(client, { shown: seenVariant(evaluation), isStale: false });
}

function definitionsFor(flag: FlagDocument): Definitions {
  const compiled = compileFlag(flag);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return definitionsOf({ flags: new Map([[flag.key, compiled.flag]]) });
}

/** Experiments of every form: with variants or boolean, for all or for an audience. */
function drawFlag(random: () => number, seed: number): FlagDocument {
  const some = {
    key: FLAG_KEY,
    salt: `salt ${seed}`,
    createdAt: START_MS,
    updatedAt: START_MS,
    periods: [{ period: 1, version: 1, since: START_MS }],
  };
  if (random() < 0.6) return aSplitFlag({ a: 1, b: 1 }, { ...some, rules: [aRule(audience(random))] });
  return aFlag({ ...some, rules: [aRule({ ...audience(random), percentage: 50 })] });
}

const TWO = variantsOf({ a: 1, b: 1 });
const THREE = variantsOf({ a: 1, b: 1, c: 1 });

/** What players are, what requests say of them, what they become, and what the outcome makes of them. */
const AUDIENCES: readonly Pick<FlagRule, 'conditions'>[] = [
  {},
  { conditions: { 'context.platform': 'ios' } },
  { conditions: { 'attributes.level': { $gte: 2 } } },
  { conditions: { is_payer: true } },
];

function audience(random: () => number): Pick<FlagRule, 'conditions'> {
  return AUDIENCES[Math.floor(random() * AUDIENCES.length)] ?? {};
}
