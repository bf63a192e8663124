import {
  type EvaluationContext,
  GeneralError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  TargetingKeyMissingError,
} from '@openfeature/web-sdk';
import type { FlagState } from '../flags/answers.ts';
import { isExposure, type Resolved, resolve, type WantedType } from './resolution.ts';

/*
 * An OpenFeature provider for browsers on top of the game client.
 *
 * Owns the client that its factory made: it is shut down when the player changes and when the provider is closed. A
 * client that was passed in stays the game's.
 */

/** The part of the game client that the provider uses. `createGame` gives one. */
export interface PlayerGame {
  readonly ready: Promise<void>;
  readonly isFresh: boolean;
  readonly flags: Readonly<Record<string, FlagState>>;
  track(name: string, properties?: object): boolean;
  setState(attributes: Readonly<Record<string, unknown>>): boolean;
  /** Tracks an exposure once, however often it is called. */
  expose(key: string): boolean;
  flush(): Promise<void>;
  onFlagChange(listener: (key: string) => void): () => void;
  onFresh(listener: (isFresh: boolean) => void): () => void;
  shutdown(): Promise<unknown>;
}

export interface WebProviderOptions {
  /** Makes the client of a player, the context's `targetingKey`; or a client, whose player stays the same. */
  game: PlayerGame | ((player: string) => PlayerGame);
  /** Whether an evaluation is an exposure, once per variant and period; true by default. If not, call `game.expose`. */
  exposes?: boolean;
  /** Fields of the context that are set as attributes of the player; none by default. */
  attributes?: readonly string[];
}

export interface WebProvider extends Provider {
  /** The client of the present player; undefined before the provider was set. */
  readonly game: PlayerGame | undefined;
}

export function createWebProvider({ game: given, exposes = true, attributes = [] }: WebProviderOptions): WebProvider {
  const events = new OpenFeatureEventEmitter();
  let game: PlayerGame | undefined;
  let stopListening: (() => void) | undefined;
  let isReady = false;
  let changed: string[] | undefined;

  function listen(to: PlayerGame): void {
    stopListening?.();
    const stops = [
      to.onFlagChange((key) => {
        if (!isReady) return;
        // All flags of one answer make one event.
        if (changed === undefined) queueMicrotask(tellChanged);
        (changed ??= []).push(key);
      }),
      to.onFresh((isFresh) => {
        // The first answer may come after the provider failed to start.
        if (isFresh) isReady = true;
        events.emit(isFresh ? ProviderEvents.Ready : ProviderEvents.Stale);
      }),
    ];
    stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  function tellChanged(): void {
    events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged: changed ?? [] });
    changed = undefined;
  }

  async function begin(context: EvaluationContext): Promise<void> {
    isReady = false;
    const next = gameFor(context);
    const before = game;
    if (next !== before) {
      // The previous client still sends what it has queued; the change of the player does not wait for that.
      if (before !== undefined && typeof given === 'function') void before.shutdown();
      game = next;
    }
    setAttributes({}, context);
    await next.ready;
    if (game !== next) return;
    listen(next);
    if (next.isFresh || Object.keys(next.flags).length > 0) isReady = true;
    else throw new GeneralError('The service did not answer, and no flags of an earlier session are known.');
    // After the SDK has reported that the provider is ready.
    if (!next.isFresh) setTimeout(() => game === next && !next.isFresh && events.emit(ProviderEvents.Stale), 0);
  }

  function gameFor({ targetingKey }: EvaluationContext): PlayerGame {
    if (typeof given !== 'function') return given;
    if (typeof targetingKey === 'string' && targetingKey !== '') return given(targetingKey);
    throw new TargetingKeyMissingError("The context's `targetingKey` is the player's external_id; it has none.");
  }

  /** Whether an attribute changed. */
  function setAttributes(old: EvaluationContext, context: EvaluationContext): boolean {
    const changes = attributes.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(context[name]));
    if (changes.length === 0 || game === undefined) return false;
    return game.setState(Object.fromEntries(changes.map((name) => [name, context[name] ?? null])));
  }

  function evaluate(key: string, wanted: WantedType, fallback: unknown): Resolved {
    const resolved = resolve(key, game?.flags[key], wanted, fallback, game?.isFresh === true);
    if (exposes && isExposure(resolved)) game?.expose(key);
    return resolved;
  }

  function details<T>(resolved: Resolved): ResolutionDetails<T>;
  // The value has been compared with the type that is asked for.
  function details(resolved: Resolved): unknown {
    return resolved;
  }

  return {
    metadata: { name: 'player-analytics' },
    runsOn: 'client',
    // Each domain has a context of its own, and the provider one player.
    domainScoped: true,
    hooks: [],
    events,
    get game() {
      return game;
    },
    initialize: (context = {}) => begin(context),
    async onContextChange(old, context) {
      if (game === undefined || (typeof given === 'function' && old.targetingKey !== context.targetingKey)) {
        await begin(context);
      } else if (setAttributes(old, context)) {
        await game.flush();
      }
    },
    async onClose() {
      stopListening?.();
      if (typeof given === 'function') await game?.shutdown();
      game = undefined;
    },
    resolveBooleanEvaluation: (key, fallback) => details<boolean>(evaluate(key, 'boolean', fallback)),
    resolveStringEvaluation: (key, fallback) => details<string>(evaluate(key, 'string', fallback)),
    resolveNumberEvaluation: (key, fallback) => details<number>(evaluate(key, 'number', fallback)),
    resolveObjectEvaluation: <T extends JsonValue>(key: string, fallback: T) =>
      details<T>(evaluate(key, 'object', fallback)),
    track(name, _context, properties = {}) {
      game?.track(name, properties);
    },
  };
}
