import type { CommandBody } from '../../../../core/vocabulary/commands/commands.ts';
import type { SegmentDocument, SegmentList } from '../../../../core/vocabulary/documents/documents.ts';
import { withEffective } from '../../../../core/vocabulary/labels.ts';
import { loadBegan, newLoadId } from '../../../../core/vocabulary/documents/player-lists.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import type { ConfigEntry, ConfigStore } from '../../../../streams/config/config-store.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { createCommandPace } from '../../../../core/kernel/flow/command-pace.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { API_LIMITS } from '../../limits.ts';
import { LIST_LIMITS } from '../../../../actors/segments/limits.ts';
import { LIST_LOAD_LIMITS } from './limits.ts';
import { SEGMENT_API_LIMITS } from '../limits.ts';
import { changed } from '../../definitions/definition-writes.ts';
import { createTurns } from '../../route/turns.ts';
import { noSegment } from '../no-segment.ts';
import type { ChangedList, ListLoader, ListRequest, ListTally, LoadedList, NameBatch } from './list-port.ts';
import { createListSender, type ListSender } from './list-sender.ts';
import { createPlayerIdSet } from './player-id-set.ts';

export interface ListLoaderOptions {
  backend: {
    send(origin: ListOrigin, playerId: string, body: CommandBody): Promise<Reply>;
    partitionOf(playerId: string): number;
  };
  config: Pick<ConfigStore, 'get' | 'ended' | 'put' | 'seen' | 'revision'>;
  clock: Clock;
  ids: Pick<Ids, 'bytes'>;
  limits?: Adjustable<typeof SEGMENT_API_LIMITS, 'listPlayers'>;
}

interface ListOrigin {
  game: string;
  environment: 'live' | 'test';
  receivedAt: number;
  by: 'server';
}

/** A load that has not ended. */
interface Load {
  tally: ListTally;
  ended: Promise<void>;
  isGone(): boolean;
}

type StaticSegment = SegmentDocument & { list: SegmentList };

/**
 * Loads lists of static segments, and changes single players of them.
 *
 * A load has an id. The loader sends its players to the owners of their partitions, which store the id with each player
 * and do not use it yet. Once all owners have answered, one compare-and-set writes the load's id into the segment's
 * document. From then on the list is current, and the sweep moves the players as after any edit.
 *
 * Invariants
 * 1. A list that was not read to its end, or that an owner did not take, never takes effect.
 * 2. Of two loads that begin with the same current list, one takes effect.
 * 3. A load that is based on a version begins with it. Its mark is written with the list, and proves that it was made.
 * 4. A load whose caller disconnected ends when another load of the same segment begins. Such a caller sends its list
 *    again.
 */
export function createListLoader(options: ListLoaderOptions): ListLoader {
  const { backend, config, clock, ids, limits = SEGMENT_API_LIMITS } = options;
  /** The loads of this process, by the id of their segment. */
  const loading = new Map<string, Load>();
  const pace = createCommandPace({
    clock,
    mostInFlight: LIST_LOAD_LIMITS.listWindow,
    leastInFlight: LIST_LOAD_LIMITS.listLeastWindow,
    mostRestMs: 0,
  });

  const isLate = (load: SegmentList['load']): boolean => clock.wallMs() - loadBegan(load) > LIST_LIMITS.listLoadMs;

  const sendAs =
    ({ address: { game, environment } }: ListRequest) =>
    (body: CommandBody, playerId: string): Promise<Reply> =>
      backend.send({ game, environment, receivedAt: clock.wallMs(), by: 'server' }, playerId, body);

  async function loadInto(
    request: ListRequest,
    { id: segmentId, list: { load: active } }: StaticSegment,
    names: AsyncIterable<NameBatch>,
    tally: ListTally,
  ): Promise<LoadedList | Failure> {
    const load = newLoadId(clock.wallMs(), ids.bytes(4), active);
    const body = { segmentId, load, active, change: 'add' } as const;
    const send = sendAs(request);
    const senders = new Map<number, ListSender>();
    const seen = createPlayerIdSet(Buffer.from(ids.bytes(4)).readUInt32LE());
    const turns = createTurns(clock);
    let received = 0;

    function senderOf(playerId: string): ListSender {
      const partition = backend.partitionOf(playerId);
      let sender = senders.get(partition);
      if (sender === undefined) {
        sender = createListSender({ body, send, tally, clock, pace });
        senders.set(partition, sender);
      }
      return sender;
    }

    /** @returns why the rest is not read */
    async function sendAll(): Promise<Failure | undefined> {
      for await (const batch of names) {
        if (batch.kind === 'failure') return batch;
        // A sender of 16 KB/s would otherwise keep one of the few places of the process for hours.
        if (isLate(load)) return TOO_SLOW;
        for (const name of batch.names) {
          const pause = turns.pause();
          if (pause !== undefined) await pause;
          received += 1;
          const playerId = request.idOf(name);
          if (!seen.add(playerId)) continue;
          if (seen.size > limits.listPlayers) return tooMany(limits.listPlayers);
          const room = senderOf(playerId).add({ playerId, text: name.text });
          if (room !== undefined) await room;
          if (tally.failure !== undefined) return tally.failure;
        }
      }
      return undefined;
    }

    const stopped = await sendAll();
    tally.failure ??= stopped;
    await Promise.all([...senders.values()].map((sender) => sender.flush()));
    if (tally.failure !== undefined) return tally.failure;
    const entry = await putInForce(request, active, { load, players: tally.members });
    if (entry.kind === 'failure') return entry;
    return { kind: 'loaded', entry: entry.entry, received, duplicates: received - seen.size, tally };
  }

  async function putInForce(
    { address, marked = unmarked }: ListRequest,
    active: string,
    { load, players }: Pick<SegmentList, 'load' | 'players'>,
  ): Promise<{ kind: 'written'; entry: ConfigEntry<'segment'> } | Failure> {
    for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
      const held = config.get(address);
      if (held === undefined) return noSegment();
      if (held.document.list?.load !== active) return OVERTAKEN;
      if (isLate(load)) return TOO_SLOW;
      const at = clock.wallMs();
      const { document, revision } = held;
      const list = { load, players, loadedAt: at };
      const next = withEffective(held, { ...document, version: document.version + 1, updatedAt: at, list });
      const write = await config.put(address, marked(next), revision);
      if (write.kind === 'written') return write;
      if (write.kind === 'unavailable' || !(await changed(config, address, revision))) break;
    }
    return failure('SERVICE_UNAVAILABLE');
  }

  return {
    async load(request, names) {
      const { address } = request;
      const other = loading.get(address.key);
      if (other?.isGone() === true) {
        other.tally.failure ??= ABANDONED;
        await other.ended;
      }
      const found = staticSegment(config.get(address)?.document);
      if (found.kind === 'failure') return found;
      const stale = request.staleFor?.(found.segment.version);
      if (stale !== undefined) return stale;
      if (loading.has(address.key)) return BUSY;
      if (loading.size >= LIST_LOAD_LIMITS.listLoads) return TOO_MANY_LOADS;
      const tally: ListTally = { members: 0, unknown: 0, unknownNames: [], failure: undefined };
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      loading.set(address.key, { tally, ended, isGone: () => request.isGone?.() === true });
      try {
        return await loadInto(request, found.segment, names, tally);
      } finally {
        loading.delete(address.key);
        end();
      }
    },
    async change(request, change, players) {
      const found = staticSegment(config.get(request.address)?.document);
      if (found.kind === 'failure') return found;
      const { id: segmentId, list } = found.segment;
      const send = sendAs(request);
      const unique = [...new Map(players.map((player) => [player.playerId, player])).values()];
      const groups = Map.groupBy(unique, ({ playerId }) => backend.partitionOf(playerId));
      const body = { kind: 'ListPlayers', segmentId, load: list.load, active: list.load, change } as const;
      const result: ChangedList = { kind: 'changed', members: 0, changed: 0, unknownNames: [] };
      for (const group of groups.values()) {
        for (let from = 0; from < group.length; from += LIST_LOAD_LIMITS.listCommandPlayers) {
          const some = group.slice(from, from + LIST_LOAD_LIMITS.listCommandPlayers);
          const playerIds = some.map(({ playerId }) => playerId);
          const reply = await send({ ...body, playerIds }, playerIds[0] ?? '');
          if (reply.kind === 'failure') return reply;
          if (reply.kind !== 'listed') throw new Error(`a change of a list was answered with ${reply.kind}`);
          result.members += reply.members;
          result.changed += reply.changed;
          result.unknownNames.push(...reply.unknown.map((place) => some[place]?.text ?? ''));
        }
      }
      return result;
    },
  };
}

const unmarked = (document: SegmentDocument): SegmentDocument => document;

function staticSegment(document: SegmentDocument | undefined): { kind: 'found'; segment: StaticSegment } | Failure {
  if (document === undefined) return noSegment();
  const { list } = document;
  return list === undefined ? NO_LIST : { kind: 'found', segment: { ...document, list } };
}

const NO_LIST = failure(
  'CONFLICT',
  'The segment has conditions. Only a segment of the kind `static` has a list; see also `includes` and `excludes`.',
);
const BUSY = failure('CONFLICT', 'A list is being loaded into the segment; send yours again when it has ended.');
const TOO_MANY_LOADS = failure('SERVICE_UNAVAILABLE', 'Too many lists are being loaded; send yours again later.');
const ABANDONED = failure('CONFLICT', 'The caller disconnected, and another list of the segment was sent.');
const OVERTAKEN = failure('CONFLICT', 'Another upload replaced this list. Upload yours again if it is newer.');
const TOO_SLOW = failure(
  'SERVICE_UNAVAILABLE',
  `The list took more than ${LIST_LIMITS.listLoadMs / 60_000} minutes. The current list is unchanged.`,
);
const tooMany = (most: number): Failure =>
  failure('PAYLOAD_TOO_LARGE', `The list has more than ${most} players, the maximum. The current list is unchanged.`);
