import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { DAY_MS, dayOf } from '../../../core/kernel/days.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { compileEventProperty } from '../../properties/concerned-properties.ts';
import { readProperty } from '../../computed/property-text.ts';
import { PROPERTIES_LEDGER } from '../../../core/vocabulary/documents/computed.ts';
import type { LedgerState } from '../../../core/vocabulary/state/state.ts';
import type { Entities } from '../term/entities.ts';
import type { EventHistory, PastEvents } from '../../../core/vocabulary/event-history.ts';
import { createFillQueue, type FillQueue, type FillQueueOptions } from './fill-queue.ts';
import { createPlayerPast, type FillProperty, type PlayerPast } from './fill-player.ts';

/**
 * Counts the events from before a computed property began, as the owner of one partition: reads them from ClickHouse in
 * the background and emits what they add to each player.
 *
 * Invariants
 * 1. An event counts once: those of records before the property's `from` here, the others live. ClickHouse is read only
 *    once it holds all records before `from`.
 * 2. A player is filled once: its state says so. So after a failure or a take-over the fill begins
 *    anew.
 * 3. Only events of the player's present life count: those of records since its registration after an erasure.
 * 4. A property is marked as filled with or after the record of its last player.
 */
export interface PropertyFill extends Pick<FillQueue, 'take' | 'stored'> {
  start(): void;
  /** There may be properties to fill. */
  wake(): void;
  stop(): void;
}

export interface PropertyFillOptions extends FillQueueOptions {
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
}

export function createPropertyFill(options: PropertyFillOptions): PropertyFill {
  const { clock, logger, partition, partitions, factsCreated, entities, history } = options;
  const queue = createFillQueue(options);
  const changed = createSignal();
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
        await queue.untilBelow(OWNER_LIMITS.fillWaiting);
      }
      add(player);
    }
    if (stopped) return;
    queue.add({ kind: 'filled', ledgerId: id, properties });
    await queue.untilStored();
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
    queue.add({ kind: 'player', playerId: player.playerId, bornSeq: player.bornSeq, facts });
  }

  async function untilConfirmed(source: EventHistory, sequence: number): Promise<void> {
    for (;;) {
      const held = await source.confirmedTo();
      const isHeld = held !== undefined && held.createdMs === Date.parse(factsCreated) && held.sequence >= sequence;
      if (isHeld || stopped) return;
      await sleep(clock, OWNER_LIMITS.fillHeldMs);
    }
  }

  return {
    start() {
      if (history !== undefined) void run(history);
    },
    wake: changed.notify,
    take: (...request) => queue.take(...request),
    stored: () => queue.stored(),
    stop() {
      stopped = true;
      changed.notify();
      queue.stop();
    },
  };
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
