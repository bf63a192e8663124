import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { DAY_MS, dayOf } from '../../../core/kernel/days.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { compileEventProperty } from '../../properties/concerned-properties.ts';
import { readProperty } from '../../computed/property-text.ts';
import { metered, stepsSpent } from '../../conditions/steps.ts';
import { triggerCampaigns } from '../../campaigns/trigger-campaigns.ts';
import type { Definitions } from '../../decision/definitions.ts';
import type { CommitDraft } from '../term/draft.ts';
import type { Draft } from '../../decision/decision.ts';
import { updateSegments } from '../../segments/update-segments.ts';
import {
  PROPERTIES_LEDGER,
  propertiesLedgerOf,
  type PropertyFilled,
} from '../../../core/vocabulary/documents/computed.ts';
import type { EntityState, LedgerState } from '../../../core/vocabulary/state/state.ts';
import type { Entities } from '../term/entities.ts';
import type { EventHistory, PastEvents } from '../../../core/vocabulary/event-history.ts';
import { createPlayerPast, type FillProperty, type PlayerPast } from './fill-player.ts';

/**
 * Counts the events from before a computed property began, as the owner of one partition: reads them from ClickHouse in
 * the background and emits what they add to each player.
 *
 * Invariants
 * 1. An event counts once: those of records before the property's `from` here, the others live. ClickHouse is read only
 *    once it holds all records before `from`.
 * 2. A player is filled once, whatever is repeated: its state knows. So after a failure or a take-over the fill begins
 *    anew.
 * 3. Only events of the player's present life count: those of records since its registration after an erasure.
 * 4. A property is marked as filled with or after the record of its last player.
 */
export interface PropertyFill {
  start(): void;
  /** There may be properties to fill. */
  wake(): void;
  /** Emits what has been read, until the draft has `mostChars`. Call it for every commit. */
  take(draft: CommitDraft, definitions: Definitions, nowMs: number, mostChars: number): void;
  /** The record with what was taken is stored. Without this call it is taken again. */
  stored(): void;
  stop(): void;
}

export interface PropertyFillOptions {
  clock: Clock;
  logger: Logger;
  partition: number;
  /** Partitions of the deployment. */
  partitions: number;
  /** Creation of FACTS. */
  factsCreated: string;
  entities: Pick<Entities, 'get' | 'peek' | 'ledgersOf'>;
  /** Absent: the past is not counted. */
  history?: EventHistory | undefined;
  /** Whether work in bulk rests; `onWork` follows its end. Default: never. */
  rests?: () => boolean;
  /** Called when there is something to take. */
  onWork: () => void;
  /** Called when a property's past is counted. */
  onFilled: () => void;
  limits?: Adjustable<typeof OWNER_LIMITS, 'fillPlayers'> | undefined;
}

/** The past of a player, or the end of a fill, that waits for a record. */
type Waiting = WaitingPlayer | WaitingEnd;

interface WaitingPlayer extends Pick<PlayerPast, 'playerId' | 'bornSeq'> {
  kind: 'player';
  facts: readonly PropertyFilled[];
}

interface WaitingEnd {
  kind: 'filled';
  ledgerId: string;
  properties: readonly FillProperty[];
}

export function createPropertyFill(options: PropertyFillOptions): PropertyFill {
  const {
    clock,
    logger,
    partition,
    partitions,
    factsCreated,
    entities,
    history,
    onWork,
    onFilled,
    limits = OWNER_LIMITS,
  } = options;
  const changed = createSignal();
  const drained = createSignal();
  let waiting: Waiting[] = [];
  let taken: Waiting[] = [];
  let stopped = false;
  const isRunning = (): boolean => !stopped;

  async function run(source: EventHistory): Promise<void> {
    while (isRunning()) {
      const outcome = await fillAll(source);
      if (outcome === 'nothing') await changed.wait();
      else if (outcome === 'failed') await sleep(clock, OWNER_LIMITS.fillRetryMs);
    }
  }

  /** A game whose rows cannot be read keeps no other game waiting. */
  async function fillAll(source: EventHistory): Promise<'nothing' | 'filled' | 'failed'> {
    let outcome: 'nothing' | 'filled' | 'failed' = 'nothing';
    for (const id of entities.ledgersOf(PROPERTIES_LEDGER)) {
      if (stopped) break;
      try {
        const ledger = entities.get(id);
        if (ledger?.kind !== 'ledger') continue;
        const properties = unfilledIn(ledger);
        if (properties.length === 0) continue;
        await fill(source, ledger, properties);
        if (outcome === 'nothing') outcome = 'filled';
      } catch (error) {
        logger.warn(
          { err: error, partition, ledger: id },
          'the past of computed properties cannot be read; a retry follows',
        );
        outcome = 'failed';
      }
    }
    return outcome;
  }

  async function fill(source: EventHistory, ledger: LedgerState, properties: readonly FillProperty[]): Promise<void> {
    const { id, game, environment } = ledger;
    const beforeSequence = Math.max(...properties.map(({ from }) => from));
    await untilConfirmed(source, beforeSequence - 1);
    const events: PastEvents = {
      game,
      environment,
      partition,
      partitions,
      eventNames: [...new Set(properties.map(({ event }) => event))],
      sinceMs: windowStart(properties, clock.wallMs()),
      beforeSequence,
    };
    // So many that ClickHouse sorts few rows of the partition at a time.
    const parts = Math.ceil(Math.max(1, (await source.count(events)) / partitions / EVENT_QUERY_LIMITS.fillSortRows));
    for (let part = 0; part < parts; part++) {
      let player: PlayerPast | undefined;
      let last = '';
      for await (const rows of source.load(events, part, parts)) {
        let begunMs = clock.monotonicMs();
        for (const row of rows) {
          if (row.playerId !== last) {
            add(player);
            last = row.playerId;
            player = pastOf(last, properties);
          }
          player?.add(row);
          if (clock.monotonicMs() - begunMs < OWNER_LIMITS.fillSliceMs) continue;
          await rest(clock.monotonicMs() - begunMs);
          if (stopped) return;
          begunMs = clock.monotonicMs();
        }
        await rest(clock.monotonicMs() - begunMs);
        if (stopped) return;
        while (waiting.length >= OWNER_LIMITS.fillWaiting && isRunning()) await drained.wait();
      }
      add(player);
    }
    if (stopped) return;
    waiting.push({ kind: 'filled', ledgerId: id, properties });
    onWork();
    while ((waiting.length > 0 || taken.length > 0) && isRunning()) await drained.wait();
  }

  /** Live commands keep their turns. The source gives the partitions of a process rows in turns. */
  function rest(workedMs: number): Promise<void> {
    return sleep(clock, Math.max(1, workedMs * (1 / OWNER_LIMITS.fillShare - 1)));
  }

  /** `undefined`: not a player of this partition. */
  function pastOf(playerId: string, properties: readonly FillProperty[]): PlayerPast | undefined {
    if (partitionOf(playerId, partitions) !== partition) return undefined;
    const state = entities.peek(playerId);
    return state?.kind === 'player' ? createPlayerPast(state, properties) : undefined;
  }

  function add(player: PlayerPast | undefined): void {
    const facts = player?.facts(clock.wallMs()) ?? [];
    if (player === undefined || facts.length === 0) return;
    waiting.push({ kind: 'player', playerId: player.playerId, bornSeq: player.bornSeq, facts });
    onWork();
  }

  async function untilConfirmed(source: EventHistory, sequence: number): Promise<void> {
    for (;;) {
      const held = await source.confirmedTo();
      const isHeld = held !== undefined && held.createdMs === Date.parse(factsCreated) && held.sequence >= sequence;
      if (isHeld || stopped) return;
      await sleep(clock, OWNER_LIMITS.fillHeldMs);
    }
  }

  function emit(draft: Draft, next: Waiting, definitions: Definitions, nowMs: number): void {
    if (next.kind === 'filled') emitFilled(draft, next, nowMs);
    else emitPlayer(draft, next, definitions, nowMs);
  }

  function emitPlayer(draft: Draft, next: WaitingPlayer, definitions: Definitions, nowMs: number): void {
    const { playerId, bornSeq, facts } = next;
    const state = draft.get(playerId);
    // A life that began meanwhile has no past.
    if (state?.kind !== 'player' || (state.bornSeq ?? 0) !== bornSeq) return;
    const { game, environment } = state;
    const isActive = activeIn(draft.get(propertiesLedgerOf(game, environment)));
    for (const fact of facts) if (isActive(fact)) draft.emit(fact);
    const after = draft.get(playerId);
    if (after?.kind !== 'player') return;
    const atMs = Math.max(nowMs, after.lastSeenAt);
    metered(() => {
      const since = draft.facts.length;
      const set = definitions.segments(game, environment);
      for (const fact of updateSegments(after, set, 'all', atMs, draft.limits)) draft.emit(fact);
      const context = { game, environment, at: atMs };
      triggerCampaigns(draft, since, definitions.campaigns(game, environment), context);
    });
  }

  function emitFilled(draft: Draft, { ledgerId, properties }: WaitingEnd, at: number): void {
    const ledger = draft.get(ledgerId);
    if (ledger?.kind !== 'ledger') return;
    const { game, environment, properties: active } = ledger;
    // Until `from` is known, the ledger's sequence must not change. The fill then begins anew.
    if (active === undefined || active.list.some(({ from }) => from === 0)) return;
    const filled = properties.filter(activeIn(ledger)).map(({ id }) => id);
    const base = { kind: 'PropertiesChanged', entityId: ledgerId, game, environment, at } as const;
    if (filled.length > 0) draft.emit({ ...base, revision: 0, began: [], ended: [], from: 0, filled });
  }

  return {
    start() {
      if (history !== undefined) void run(history);
    },
    wake: changed.notify,
    take(draft, definitions, nowMs, mostChars) {
      // What an earlier draft took was not stored.
      waiting = [...taken, ...waiting];
      taken = [];
      if (waiting.length > 0 && options.rests?.() === true) return;
      const before = draft.facts.length;
      const began = stepsSpent();
      for (const next of waiting.slice(0, limits.fillPlayers)) {
        if (draft.chars >= mostChars || stepsSpent() - began > MOST_STEPS) break;
        draft.inBulk(() => emit(draft, next, definitions, nowMs));
        taken.push(next);
      }
      if (taken.length === 0) return;
      waiting = waiting.slice(taken.length);
      if (draft.facts.length > before) return;
      // Nothing to store: the players are gone.
      taken = [];
      drained.notify();
      if (waiting.length > 0) onWork();
    },
    stored() {
      if (taken.length === 0) return;
      if (taken.some(({ kind }) => kind === 'filled')) onFilled();
      taken = [];
      drained.notify();
    },
    stop() {
      stopped = true;
      changed.notify();
      drained.notify();
    },
  };
}

/** Steps of the segments of filled players in one record, and those of one player more. */
const MOST_STEPS = OWNER_LIMITS.turnSteps / 4;

/** Whether a property of that generation is still counted. */
function activeIn(ledger: EntityState | undefined): (property: { id: string; generation: number }) => boolean {
  const list = ledger?.kind === 'ledger' ? (ledger.properties?.list ?? []) : [];
  return ({ id, generation }) => list.some((active) => active.id === id && active.generation === generation);
}

function unfilledIn({ properties }: LedgerState): FillProperty[] {
  return (properties?.list ?? []).flatMap(({ id, spec: text, generation, from, filled }) => {
    const spec = from === 0 || filled ? undefined : readProperty(text);
    const valueIn = spec && compileEventProperty(spec);
    if (spec === undefined || valueIn === undefined) return [];
    const { event, aggregate, days } = spec;
    return [{ id, generation, event, aggregate, days, from, valueIn }];
  });
}

/** The earliest time that any of the properties counts. */
function windowStart(properties: readonly FillProperty[], nowMs: number): number {
  if (properties.some(({ days }) => days === 0)) return 0;
  return (dayOf(nowMs) - Math.max(...properties.map(({ days }) => days))) * DAY_MS;
}
