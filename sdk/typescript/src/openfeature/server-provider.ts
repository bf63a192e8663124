import {
  type EvaluationContext,
  GeneralError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
} from '@openfeature/server-sdk';
import { type ErrorCode, isExposure, type Resolved, resolve, type WantedType } from './resolution.ts';

/*
 * An OpenFeature provider for game servers on top of the server's client: flags are evaluated in this process, and the
 * service is asked only for what it alone has of the player.
 */

/** Who a flag is evaluated for, as the server's client takes it. */
export interface ServerPlayer {
  readonly id?: string;
  readonly external_id?: string;
}

/** What the server's client says of a flag. */
export interface ServerResult {
  readonly key: string;
  readonly value: unknown;
  readonly variant: string | null;
  readonly reason: string;
}

interface Options {
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The part of the server's client that the provider uses. `createServer` gives one. */
export interface GameServer {
  readonly ready: Promise<void>;
  readonly flags: {
    readonly status: { readonly revision: number | undefined; readonly staleMs: number | undefined };
    evaluate(key: string, player: ServerPlayer, options?: Options): ServerResult;
    resolve(
      player: ServerPlayer,
      options?: Options & { keys?: Iterable<string> },
    ): Promise<ReadonlyMap<string, ServerResult>>;
    expose(player: ServerPlayer, result: ServerResult): boolean;
    onChange(listener: () => void): () => void;
  };
  playerId(externalId: string): string | undefined;
  track(playerId: string, name: string, properties?: object): boolean;
}

export interface ServerProviderOptions {
  /** The client. It stays yours: the provider does not shut it down. */
  server: GameServer;
  /** What is known of the player; by default its id or external_id, the context's `targetingKey`. */
  player?: (context: EvaluationContext) => ServerPlayer;
  /** Whether an evaluation is reported as an exposure; true by default. */
  exposes?: boolean;
  /** Milliseconds without data from the service after which the provider is stale; two minutes by default. */
  staleAfterMs?: number;
}

/** Four polls of the client. */
const STALE_MS = 120_000;
const CHECK_MS = 10_000;

export function createServerProvider(options: ServerProviderOptions): Provider {
  const { server, player = playerOf, exposes = true, staleAfterMs = STALE_MS } = options;
  const events = new OpenFeatureEventEmitter();
  let stop = () => {};
  let wasFresh = true;

  const isFresh = () => (server.flags.status.staleMs ?? Infinity) <= staleAfterMs;

  function check(): void {
    if (isFresh() === wasFresh) return;
    wasFresh = !wasFresh;
    events.emit(wasFresh ? ProviderEvents.Ready : ProviderEvents.Stale);
  }

  async function initialize(): Promise<void> {
    await server.ready;
    const hasFlags = () => server.flags.status.revision !== undefined;
    let isReady = hasFlags();
    wasFresh = isFresh() || !isReady;
    const stopListening = server.flags.onChange(() => {
      // The first definitions may come after the provider failed to start.
      const isFirst = !isReady;
      isReady = true;
      wasFresh = true;
      events.emit(isFirst ? ProviderEvents.Ready : ProviderEvents.ConfigurationChanged);
    });
    const timer = setInterval(() => isReady && check(), CHECK_MS);
    timer.unref();
    stop = () => {
      stopListening();
      clearInterval(timer);
    };
    if (!isReady) throw new GeneralError('The service did not answer, and there are no definitions to start from.');
  }

  async function evaluate(
    key: string,
    wanted: WantedType,
    fallback: unknown,
    context: EvaluationContext,
  ): Promise<Resolved> {
    const failed = (errorCode: ErrorCode, errorMessage: string) => ({
      ...resolve(key, undefined, wanted, fallback, true),
      errorCode,
      errorMessage,
    });
    const who = player(context);
    if (who.id === undefined && who.external_id === undefined) {
      return failed('TARGETING_KEY_MISSING', "The context's `targetingKey` is the player's external_id or id.");
    }
    const { targetingKey: _, ...fields } = context;
    let result = server.flags.evaluate(key, who, { context: fields });
    if (result.reason === 'needs_state') {
      result = (await server.flags.resolve(who, { context: fields, keys: [key] })).get(key) ?? result;
    }
    const { value, variant, reason } = result;
    const code = ERRORS[reason];
    if (code !== undefined) return failed(code, `\`${key}\`: ${reason}.`);
    const enabled = reason !== 'flag_disabled' && value !== false && value !== null;
    const flag = { enabled, value, reason, ...(variant !== null && { variant }) };
    const resolved = resolve(key, flag, wanted, fallback, isFresh());
    if (exposes && isExposure(resolved)) server.flags.expose(who, result);
    return resolved;
  }

  async function details<T>(resolved: Promise<Resolved>): Promise<ResolutionDetails<T>>;
  // The value has been compared with the type that is asked for.
  async function details(resolved: Promise<Resolved>): Promise<unknown> {
    return resolved;
  }

  return {
    metadata: { name: 'player-analytics' },
    runsOn: 'server',
    hooks: [],
    events,
    initialize,
    onClose: async () => stop(),
    resolveBooleanEvaluation: (key, fallback, context) => details<boolean>(evaluate(key, 'boolean', fallback, context)),
    resolveStringEvaluation: (key, fallback, context) => details<string>(evaluate(key, 'string', fallback, context)),
    resolveNumberEvaluation: (key, fallback, context) => details<number>(evaluate(key, 'number', fallback, context)),
    resolveObjectEvaluation: <T extends JsonValue>(key: string, fallback: T, context: EvaluationContext) =>
      details<T>(evaluate(key, 'object', fallback, context)),
    track(name, context, properties = {}) {
      const { id, external_id: externalId } = player(context);
      const playerId = id ?? (externalId === undefined ? undefined : server.playerId(externalId));
      if (playerId !== undefined) server.track(playerId, name, properties);
    },
  };
}

/** Results of the server's client that have no value. */
const ERRORS: Readonly<Record<string, ErrorCode>> = {
  flag_not_found: 'FLAG_NOT_FOUND',
  not_ready: 'PROVIDER_NOT_READY',
  invalid_input: 'INVALID_CONTEXT',
  needs_state: 'GENERAL',
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function playerOf({ targetingKey = '' }: EvaluationContext): ServerPlayer {
  if (targetingKey === '') return {};
  return UUID.test(targetingKey) ? { id: targetingKey.toLowerCase() } : { external_id: targetingKey };
}
