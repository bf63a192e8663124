import { guarded } from '../src/wire/listeners.ts';
import type { Problem } from '../src/wire/problems.ts';
import { createFlags, type EvaluateOptions, type ServerFlags } from './flags.ts';
import type { PlayerInput } from './local/player-input.ts';
import type {
  CallArguments,
  CallName,
  CallOptions,
  FullAnswer,
  OperationAnswer,
  OperationInput,
  OperationName,
  StreamName,
} from './operation-types.ts';
import { createOutbox, type DroppedItem, type UnsentReport } from './outbox/outbox.ts';
import type { PurchaseOptions, TrackOptions } from './outbox/outbox-items.ts';
import { listBody, type PlayerList } from './player-list.ts';
import { createRequests } from './outbox/requests.ts';
import { readMessages, type StreamMessage } from './outbox/server-sent-events.ts';
import { requireServerTexts, SERVER_DEFAULTS, type ServerOptions } from './server-options.ts';
import { linkedAborter, nodeServerPlatform } from './server-platform.ts';

/* The entry for game servers: `@player-analytics/sdk/server`. */

export type { Problem } from '../src/wire/problems.ts';
export type { Operations } from '../src/generated/operations.ts';
export type { DefinitionsStatus, EvaluateOptions, ServerFlags } from './flags.ts';
export type { DefinitionsDocument } from './local/definitions-document.ts';
export type { FlagResult, FlagResultReason } from './local/flag-result.ts';
export type { PlayerField, PlayerInput } from './local/player-input.ts';
export type {
  CallName,
  CallOptions,
  FullAnswer,
  OperationAnswer,
  OperationInput,
  OperationName,
  StreamName,
} from './operation-types.ts';
export type { DroppedItem, UnsentReport } from './outbox/outbox.ts';
export type { Exposure, Purchase, PurchaseOptions, TrackedEvent, TrackOptions } from './outbox/outbox-items.ts';
export type { ListFile, PlayerList } from './player-list.ts';
export type { StreamMessage } from './outbox/server-sent-events.ts';
export type { ServerOptions } from './server-options.ts';
export type { ServerPlatform } from './server-platform.ts';
export { ServiceError, type FieldFault, type ServiceErrorCode } from './service-error.ts';
export { verifyWebhook, WebhookError } from './webhook.ts';
export type { WebhookFault, WebhookHeaders, WebhookOptions } from './webhook.ts';
export type { WebhookData } from '../../../core/vocabulary/documents/webhook-kinds.ts';
export type { WebhookEvent } from './webhook-event.ts';

/** The widened type of a fallback: `'old'` stands for any text. */
type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;

/** The client of a game server. Only `call`, `request` and `stream` reject. */
export interface Server {
  /** Resolves when the definitions of flags are there, or the first attempt to get them failed. Never rejects. */
  readonly ready: Promise<void>;
  /** Calls any endpoint of the service. Rejects with a `ServiceError`, or with the reason of the given signal. */
  call<K extends CallName>(operation: K, ...input: CallArguments<K>): Promise<OperationAnswer<K>>;
  /** The same with status and headers. */
  request<K extends CallName>(operation: K, ...input: CallArguments<K>): Promise<FullAnswer<K>>;
  /** Opens a stream of events. It ends when the connection does; open it again with the last id. */
  stream<K extends StreamName>(operation: K, ...input: CallArguments<K>): AsyncIterable<StreamMessage>;
  /**
   * Replaces the list of a static segment: by ids, by a function that returns them, or by a file. The list is sent
   * while it is read, so its length takes no memory. The new list has replaced the old one when
   * this resolves. If it rejects, with a `ServiceError` or the error of the source, the old one stays, unless
   * `mayHaveTakenEffect` says otherwise.
   * Ids, which can be read once only, are sent once; arrays, functions and files are sent again after a failure.
   */
  replaceMembers(segmentId: string, players: PlayerList, options?: ReplaceOptions): Promise<ReplacedList>;
  /** Queues an event of a player. False: it is invalid or the queue is full (see `onDropped`). */
  track(playerId: string, name: string, properties?: object, options?: TrackOptions): boolean;
  /** Queues a purchase of a player. It counts at the time when it is sent. */
  purchase(playerId: string, amount: number, options?: PurchaseOptions): boolean;
  /**
   * The value of a flag for a player, or the fallback where nothing of its type is served. Reports the exposure, as the
   * player is about to see it; `exposes: false` does not.
   */
  flag<T>(key: string, fallback: T, player: PlayerInput, options?: FlagOptions): Widened<T>;
  readonly flags: ServerFlags;
  /** The id of a player by its external_id, once the definitions are there; no request is made. */
  playerId(externalId: string): string | undefined;
  /** Items that wait to be sent. */
  readonly queued: number;
  /** Sends what is queued now. Resolves when it was sent, or could not be. */
  flush(): Promise<void>;
  /**
   * Sends what is queued and stops.
   * @param timeoutMs how long to try; 10,000 by default
   * @returns what the service has not acknowledged by then
   */
  shutdown(timeoutMs?: number): Promise<UnsentReport>;
}

const REPLACE_MEMBERS = 'PUT /v1/segments/segments/{id}/members';
export type ReplacedList = OperationAnswer<typeof REPLACE_MEMBERS>;

export interface ReplaceOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** What ids without the name of a column are; `external_id` by default. */
  readonly ids?: 'external_id' | 'player_id';
}

/** While a list is sent: without progress. Sockets hold up to 8 MB, which a busy service loads in minutes. */
const LIST_TIMEOUT_MS = 300_000;
/** Together half a minute of waits: a restart of the service takes less. */
const LIST_RETRIES = 5;

export interface FlagOptions extends EvaluateOptions {
  /** Whether to report the exposure; `true` by default. */
  readonly exposes?: boolean;
}

const SHUTDOWN_MS = 10_000;

/** Starts the client. Returns at once. Throws a `TypeError` without `baseUrl` or `key`, and for a client key. */
export function createServer(options: ServerOptions): Server {
  requireServerTexts(options);
  const platform = { ...nodeServerPlatform(), ...options.platform };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = { ...SERVER_DEFAULTS, ...options, ...given, platform };
  const onProblem = (problem: Problem) =>
    guarded(
      () => options.onProblem?.(problem),
      () => {},
    );
  const onDropped = (dropped: DroppedItem) => options.onDropped?.(dropped);
  const requests = createRequests(settings);
  const outbox = createOutbox({ ...settings, requests, onDropped, onProblem });
  const flags = createFlags({
    ...settings,
    requests,
    bootstrap: options.bootstrap,
    isFollowing: options.flags ?? true,
    expose: (exposure) => outbox.expose(exposure),
    onProblem,
  });
  let stopped: Promise<UnsentReport> | undefined;

  async function* stream<K extends StreamName>(
    operation: K,
    input: OperationInput<K> & CallOptions,
  ): AsyncGenerator<StreamMessage, void, undefined> {
    const aborter = linkedAborter(input.signal);
    try {
      yield* readMessages(await requests.open(operation, { ...input, signal: aborter.signal }));
    } finally {
      aborter.release();
      // A reader that leaves its loop closes the connection.
      aborter.abort();
    }
  }

  async function stop(timeoutMs: number): Promise<UnsentReport> {
    flags.stop();
    const aborter = new AbortController();
    const cancel = platform.setTimer(() => aborter.abort(), timeoutMs, true);
    try {
      return await outbox.stop(aborter.signal);
    } finally {
      cancel();
    }
  }

  return {
    ready: flags.ready,
    call: async (operation, ...input) => (await requests.send(operation, inputOf<typeof operation>(input))).data,
    request: (operation, ...input) => requests.send(operation, inputOf<typeof operation>(input)),
    stream: (operation, ...input) => stream(operation, inputOf<typeof operation>(input)),
    async replaceMembers(segmentId, players, { ids, ...callOptions } = {}) {
      const input = { timeoutMs: LIST_TIMEOUT_MS, retries: LIST_RETRIES, ...callOptions };
      const query = ids === undefined ? {} : { ids };
      const path = { id: segmentId };
      return (await requests.upload(REPLACE_MEMBERS, listBody(players), { ...input, path, query })).data;
    },
    track: (playerId, name, properties, trackOptions = {}) => outbox.track(playerId, name, properties, trackOptions),
    purchase: (playerId, amount, purchaseOptions = {}) => outbox.purchase(playerId, amount, purchaseOptions),
    flag<T>(key: string, fallback: T, player: PlayerInput, { exposes = true, ...evaluation }: FlagOptions = {}) {
      const result = flags.evaluate(key, player, evaluation);
      if (exposes) flags.expose(player, result);
      const { value } = result;
      const isUsable = value !== undefined && value !== null && typeof value === typeof fallback;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the fallback's type
      return (isUsable ? value : fallback) as Widened<T>;
    },
    flags,
    playerId: (externalId) => flags.playerId({ external_id: externalId }),
    get queued() {
      return outbox.size;
    },
    flush: () => outbox.flush(),
    shutdown: (timeoutMs = SHUTDOWN_MS) => (stopped ??= stop(timeoutMs)),
  };
}

/** The argument of a call; it may be left out where nothing is required. */
function inputOf<K extends OperationName>([input]: readonly unknown[]): OperationInput<K> & CallOptions {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `CallArguments` has the type
  return (input ?? {}) as OperationInput<K> & CallOptions;
}
