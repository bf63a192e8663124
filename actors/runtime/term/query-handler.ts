import type { Clock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { CONFIG_LIMITS } from '../../../streams/config/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { decodeQueries } from '../../../core/codec/codec.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { queriesSubject } from '../../../streams/subjects.ts';
import type { Log, Stop } from '../../../streams/log/log.ts';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import { isKnownQuery } from '../../../core/vocabulary/formats.ts';
import { stepsSpent } from '../../conditions/steps.ts';
import { answer, queriedEntity } from '../../decide.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import type { Entities } from './entities.ts';
import type { Exposures } from './exposures.ts';
import type { LocalGateway } from '../../../core/vocabulary/commands/local-gateway.ts';
import { notKnownHere, type OutgoingReply, type ReplySender } from './send-replies.ts';
import type { Definitions } from '../../decision/definitions.ts';
import { createSegmentPreviews } from './preview-segment.ts';
import { StoreFaultError } from '../store/checked-store.ts';
import type { PartitionStore } from '../store/store.ts';

/**
 * Answers queries from the owner's state, in the tick in which they arrive if invariants allow it.
 *
 * Invariants
 * 1. A query about an entity with an append in flight waits for the outcome.
 * 2. An evaluation that serves a variant which the state does not hold is answered after the commit that stores it.
 * 3. Without a lease valid in this tick a query waits for the acknowledgement of an append that is sent after the query
 *    arrived: it proves that no other owner had taken over by then. An append sent earlier proves nothing, however late
 *    its acknowledgement comes. `wantsProof` asks for an empty append if there is nothing else to append.
 */
export interface QueryHandler {
  open(): void;
  /** An append with these changed entities is being sent. */
  hold(changed: ReadonlyMap<string, EntityState>): void;
  /** The append is over: `proved` if it was acknowledged. */
  release(outcome: 'proved' | 'unproved'): void;
  readonly wantsProof: boolean;
  close(): void;
}

export interface QueryHandlerOptions {
  partition: number;
  epoch: number;
  log: Log;
  clock: Clock;
  config: Pick<ConfigStore, 'revision' | 'seen'>;
  entities: Entities;
  store: PartitionStore;
  definitions: Definitions;
  exposures: Pick<Exposures, 'note'>;
  leaseHeld: () => boolean;
  sendReplies: ReplySender;
  /** The gateway of this process, if it has one. */
  local?: LocalGateway | undefined;
  onProofWanted: () => void;
  /** The local store is faulty: the term must end. */
  onStoreFault: (error: StoreFaultError) => void;
  logger: Logger;
}

const NOTHING_HELD: ReadonlyMap<string, EntityState> = new Map();

export function createQueryHandler(options: QueryHandlerOptions): QueryHandler {
  const { partition, epoch, log, clock, config, leaseHeld, sendReplies, logger } = options;
  const answerTo = createAnswering(options);
  let held = NOTHING_HELD;
  let waiting: Query[] = [];
  /** Queries that arrived before the append in flight was sent: its acknowledgement is their proof. */
  let proving: Query[] = [];
  let wantsProof = false;
  /** Queries left over when a turn's steps were used up. */
  let postponed: Query[] = [];
  let closed = false;
  let stops: Stop[] = [];

  function receive(data: Uint8Array): void {
    let queries: Query[];
    try {
      queries = decodeQueries(data).filter(isReadable);
    } catch (error) {
      logger.error({ err: error, partition }, 'a query message cannot be decoded');
      return;
    }
    accept(queries);
  }

  /** Answers a query that only a newer version can read. Without an envelope no reply is possible. */
  function isReadable(query: Query | null): query is Query {
    if (isKnownQuery(query?.body?.kind)) return true;
    logger.warn({ partition, kind: query?.body?.kind }, 'a newer version sent a query that this one does not know');
    const { requestId, replyTo } = query ?? {};
    if (typeof requestId === 'string' && typeof replyTo === 'string')
      sendReplies([{ requestId, replyTo, epoch, partition, reply: notKnownHere() }]);
    return false;
  }

  function accept(queries: readonly Query[]): void {
    const unseen = queries.filter((query) => query.configRevision > config.revision);
    take(unseen.length === 0 ? queries : queries.filter((query) => query.configRevision <= config.revision));
    if (unseen.length > 0) void takeOnceSeen(unseen);
  }

  async function takeOnceSeen(queries: Query[]): Promise<void> {
    const wanted = Math.max(...queries.map((query) => query.configRevision));
    const seen = await config.seen(wanted, CONFIG_LIMITS.configWaitMs);
    if (seen && !closed) take(queries);
  }

  function take(queries: readonly Query[]): void {
    const trusted = leaseHeld();
    const replies: OutgoingReply[] = [];
    const began = stepsSpent();
    for (const query of queries) {
      if (stepsSpent() - began > OWNER_LIMITS.turnSteps) postpone(query);
      else if (trusted && !held.has(queriedEntity(query))) reply(query, replies);
      // Beyond the bound a query is dropped: the gateway repeats it until its deadline.
      else if (waiting.length + proving.length < OWNER_LIMITS.waitingQueries) waiting.push(query);
    }
    if (replies.length > 0) sendReplies(replies);
    if (!trusted && waiting.length > 0) {
      wantsProof = true;
      options.onProofWanted();
    }
  }

  /** Answers expensive queries in several turns of the event loop, so that other work runs between them. */
  function postpone(query: Query): void {
    if (postponed.length >= OWNER_LIMITS.waitingQueries) return;
    postponed.push(query);
    if (postponed.length > 1) return;
    clock.timer(0, () => {
      const queries = postponed;
      postponed = [];
      if (!closed) take(queries);
    });
  }

  function reply(query: Query, replies: OutgoingReply[]): void {
    if (query.deadlineAt < clock.wallMs()) return;
    const found = answerTo(query);
    if (found !== undefined) replies.push(found);
  }

  return {
    open() {
      stops = [log.subscribe(queriesSubject(partition), receive)];
      if (options.local !== undefined) stops.push(options.local.serve(partition, accept));
    },
    hold(changed) {
      held = changed;
      proving = waiting;
      waiting = [];
      wantsProof = false;
    },
    release(outcome) {
      held = NOTHING_HELD;
      const [before, since] = [proving, waiting];
      proving = [];
      waiting = [];
      const replies: OutgoingReply[] = [];
      const began = stepsSpent();
      for (const query of outcome === 'proved' ? before : []) {
        if (stepsSpent() - began > OWNER_LIMITS.turnSteps) postpone(query);
        else reply(query, replies);
      }
      if (replies.length > 0) sendReplies(replies);
      take(outcome === 'proved' ? since : [...before, ...since]);
    },
    get wantsProof() {
      return wantsProof;
    },
    close() {
      closed = true;
      for (const stop of stops) stop();
    },
  };
}

/**
 * If a query throws, it alone gets a failure; the others of its message are answered. If the store is faulty, the query
 * gets no answer: the gateway sends it again, to the next owner.
 * @returns a function that answers a query: `undefined` when the answer waits for a commit or for the next owner
 */
function createAnswering(options: QueryHandlerOptions): (query: Query) => OutgoingReply | undefined {
  const { partition, epoch, clock, entities, definitions, exposures, logger } = options;
  const previews = createSegmentPreviews(options);
  return (query) => {
    const { requestId, replyTo, body } = query;
    const address = { requestId, replyTo, epoch, partition };
    try {
      if (body.kind === 'PreviewSegment') return { ...address, reply: previews.preview(query, body) };
      const state = entities.get(queriedEntity(query));
      const found = answer(state, query, { definitions, clock });
      if (found.kind !== 'flags' || state?.kind !== 'player') return { ...address, reply: found };
      const outgoing = { ...address, reply: found };
      const targeting = definitions.of(query.game, query.environment);
      return exposures.note({ query, answer: outgoing, player: state, targeting }) ? undefined : outgoing;
    } catch (error) {
      if (error instanceof StoreFaultError) {
        options.onStoreFault(error);
        return undefined;
      }
      logger.error({ err: error, partition, kind: body.kind }, 'a query could not be answered');
      return { ...address, reply: failure('INTERNAL_ERROR') };
    }
  };
}
