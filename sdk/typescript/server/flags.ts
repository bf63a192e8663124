import { createListeners } from '../src/wire/listeners.ts';
import type { ReportProblem } from '../src/wire/problems.ts';
import { createCompiler } from './local/compiled-definitions.ts';
import { readDefinitions, type DefinitionsDocument } from './local/definitions-document.ts';
import { createDefinitionsSource, type DefinitionsSource } from './local/definitions-source.ts';
import { createEvaluator, type ContextInput, type Evaluator } from './local/evaluator.ts';
import { frozen, withoutValue, type FlagResult } from './local/flag-result.ts';
import type { PlayerInput } from './local/player-input.ts';
import type { Exposure } from './outbox/outbox-items.ts';
import type { Requests } from './outbox/requests.ts';
import type { ServerPlatform } from './server-platform.ts';

/** Which definitions are in use, and how old they may be. */
export interface DefinitionsStatus {
  /** undefined: none are in use. */
  readonly revision: number | undefined;
  readonly source: 'none' | 'bootstrap' | 'service';
  /** Milliseconds since the service last confirmed that they are the current ones; undefined: it never did. */
  readonly staleMs: number | undefined;
  /** Whether the stream of changes is open; while it is not, a poll finds changes. */
  readonly isStreaming: boolean;
}

export interface EvaluateOptions {
  /** Fields that rules read as `context.<field>`. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Flags that are evaluated in this process. No method throws or rejects. */
export interface ServerFlags {
  /** Evaluates one flag. Reports no exposure. */
  evaluate(key: string, player: PlayerInput, options?: EvaluateOptions): FlagResult;
  /** Evaluates several flags, or all, for one player: cheaper than one by one. Reports no exposure. */
  evaluateAll(player: PlayerInput, options?: EvaluateOptions & { keys?: Iterable<string> }): Map<string, FlagResult>;
  /** The same, asking the service once for the flags that need more of the player's state than was given. */
  resolve(
    player: PlayerInput,
    options?: EvaluateOptions & { keys?: Iterable<string>; signal?: AbortSignal },
  ): Promise<Map<string, FlagResult>>;
  /** Reports that the player saw this result. False: there is nothing to report, or it was reported before. */
  expose(player: PlayerInput, result: FlagResult): boolean;
  /** Called after each change of the definitions. @returns removes the listener */
  onChange(listener: (status: DefinitionsStatus) => void): () => void;
  readonly status: DefinitionsStatus;
  /** The definitions in use; write them to a file to start from it the next time (`bootstrap`). */
  readonly definitions: DefinitionsDocument | undefined;
  /** Gets the definitions now. Resolves when that succeeded or failed. */
  refresh(): Promise<void>;
}

export interface FlagsOptions {
  requests: Requests;
  platform: ServerPlatform;
  bootstrap: unknown;
  /** `false`: only the bootstrap is used. */
  isFollowing: boolean;
  pollIntervalMs: number;
  silenceMs: number;
  expose: (exposure: Exposure) => boolean;
  onProblem: ReportProblem;
}

export interface FlagsPart extends ServerFlags {
  readonly ready: Promise<void>;
  playerId(player: PlayerInput): string | undefined;
  stop(): void;
}

/** Exposures that were reported lately and are not reported again; the service deduplicates all others. */
const REMEMBERED_EXPOSURES = 100_000;
/** Flags of one evaluation request. */
const MOST_REMOTE = 2_000;
/** Faults of definitions that are remembered, so that each is reported once per revision. */
const MOST_FAULTS = 1_000;

export function createFlags(options: FlagsOptions): FlagsPart {
  const { requests, platform, onProblem } = options;
  const listeners = createListeners<[DefinitionsStatus]>(onProblem);
  const faults = new Set<string>();
  const compiler = createCompiler((message) => {
    if (faults.has(message) || faults.size >= MOST_FAULTS) return;
    faults.add(message);
    onProblem({ kind: 'definitions', message });
  });
  let exposed = new Set<string>();
  let evaluator: Evaluator | undefined;
  let definitions: DefinitionsDocument | undefined;
  let from: DefinitionsStatus['source'] = 'none';
  let source: DefinitionsSource | undefined;

  function take(document: unknown, origin: 'bootstrap' | 'service'): number | undefined {
    const read = readDefinitions(document);
    if (typeof read === 'string') {
      onProblem({ kind: 'definitions', message: read });
      return undefined;
    }
    const isChanged = evaluator?.revision !== read.revision || from !== origin;
    faults.clear();
    evaluator = createEvaluator(compiler.compile(read));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `readDefinitions` has checked it
    definitions = frozen(document) as DefinitionsDocument;
    from = origin;
    if (isChanged) listeners.emit(status());
    return read.revision;
  }

  if (options.bootstrap !== undefined) take(options.bootstrap, 'bootstrap');
  if (options.isFollowing) {
    source = createDefinitionsSource({ ...options, onDefinitions: (document) => take(document, 'service') });
  }

  function status(): DefinitionsStatus {
    const confirmedAtMs = source?.confirmedAtMs;
    return {
      revision: evaluator?.revision,
      source: from,
      staleMs: confirmedAtMs === undefined ? undefined : platform.steadyMs() - confirmedAtMs,
      isStreaming: source?.isStreaming ?? false,
    };
  }

  function evaluateAll(
    player: PlayerInput,
    { keys, context }: { keys?: Iterable<string> | undefined; context?: ContextInput },
  ): Map<string, FlagResult> {
    if (evaluator !== undefined) return evaluator.evaluateAll(keys, player, context, platform.wallMs());
    return new Map([...(keys ?? [])].map((key) => [key, withoutValue(key, 'not_ready')]));
  }

  /** Asks the service. Results that it does not give stay as they are. */
  async function complete(
    results: Map<string, FlagResult>,
    playerId: string,
    keys: readonly string[] | undefined,
    context: ContextInput,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const request = {
      body: { player_id: playerId, ...(keys && { flag_keys: keys }), ...(context && { context }) },
      ...(signal && { signal }),
    };
    const { data } = await requests.send('POST /v1/flags/flags/evaluate', request);
    for (const [key, remote] of Object.entries(data.evaluations)) {
      const { value, variant_key: variant, reason, period, segment_id, prerequisite_key, experiment } = Object(remote);
      const version = evaluator?.versionOf(key);
      results.set(key, {
        key,
        value,
        variant: typeof variant === 'string' ? variant : null,
        reason,
        period,
        ...(segment_id === undefined ? {} : { segmentId: segment_id }),
        ...(prerequisite_key === undefined ? {} : { prerequisiteKey: prerequisite_key }),
        ...(experiment && {
          experiment: { key: experiment.key, phase: experiment.phase, variant: experiment.variant_key },
        }),
        ...(version === undefined ? {} : { version }),
      });
    }
    for (const key of data.unknown_flags) results.set(key, withoutValue(key, 'flag_not_found'));
  }

  return {
    ready: source?.ready ?? Promise.resolve(),
    playerId: (player) => evaluator?.playerIdOf(player) ?? player.id,
    evaluate(key, player, { context } = {}) {
      return evaluator?.evaluate(key, player, context, platform.wallMs()) ?? withoutValue(key, 'not_ready');
    },
    evaluateAll: (player, evaluateOptions = {}) => evaluateAll(player, evaluateOptions),
    async resolve(player, { keys, context, signal } = {}) {
      const asked = keys === undefined ? undefined : [...new Set(keys)];
      const results = evaluateAll(player, { keys: asked, context });
      const open = [...results.values()].filter(({ reason }) => reason === 'needs_state' || reason === 'not_ready');
      const needsAll = evaluator === undefined && asked === undefined;
      const playerId = evaluator?.playerIdOf(player) ?? player.id;
      if ((open.length === 0 && !needsAll) || playerId === undefined) return results;
      try {
        for (let at = 0; at < Math.max(open.length, 1); at += MOST_REMOTE) {
          const part = open.slice(at, at + MOST_REMOTE).map(({ key }) => key);
          await complete(results, playerId, needsAll ? undefined : part, context, signal);
        }
      } catch (error) {
        onProblem({ kind: 'service', message: `Flags could not be evaluated by the service: ${String(error)}` });
      }
      return results;
    },
    expose(player, { key, value, variant, reason, segmentId, version, experiment }) {
      if (!isShown(reason) || version === undefined) return false;
      const playerId = evaluator?.playerIdOf(player);
      if (playerId === undefined) return false;
      const shown = variant ?? (typeof value === 'boolean' ? String(value) : null);
      const trial = experiment === undefined ? '' : JSON.stringify(experiment);
      const id = `${playerId} ${version} ${shown} ${key} ${trial}`;
      if (exposed.has(id)) return false;
      const segment = segmentId === undefined ? {} : { segment_id: segmentId };
      const what = { flag_key: key, flag_version: version, variant_key: shown, reason };
      const tried = experiment && { key: experiment.key, phase: experiment.phase, variant_key: experiment.variant };
      if (!options.expose({ player_id: playerId, ...what, ...segment, ...(tried && { experiment: tried }) }))
        return false;
      if (exposed.size >= REMEMBERED_EXPOSURES) exposed = new Set();
      exposed.add(id);
      return true;
    },
    onChange: (listener) => listeners.add(listener),
    get status() {
      return status();
    },
    get definitions() {
      return definitions;
    },
    refresh: () => source?.refresh() ?? Promise.resolve(),
    stop: () => source?.stop(),
  };
}

/** Overridden players and disabled flags are no exposures. */
function isShown(reason: FlagResult['reason']): reason is Exposure['reason'] {
  return reason === 'default' || reason === 'segment_match' || reason === 'percentage_rollout';
}
