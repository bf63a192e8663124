import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { zoneOf } from '../../../streams/config/games.ts';
import { effectiveRevision } from '../../../core/vocabulary/labels.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import { isTargeting } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Stop } from '../../../streams/log/log.ts';
import { isScheduledIn } from '../../campaigns/define/campaign-set.ts';
import type { NeededProperties } from '../../properties/needed-properties.ts';
import { DEFAULT_THRESHOLDS } from '../../player/thresholds.ts';
import type { DefinitionLookup } from '../../decision/targeting.ts';
import type { Environment, Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { Definitions, GameSettings, ScheduleWindow } from '../../decision/definitions.ts';
import { attempt, createDocumentCompiler } from './compile-documents.ts';
import { type Compiled, compileGame } from './compile-game.ts';
import { createComputingNeeds } from './computing-definitions.ts';

/**
 * The definitions (segments, flags, campaigns) of the config store, compiled for all owners of a process: on first use,
 * and after a change only those that changed. A definition that does not compile (another version accepted it) is
 * disabled alone, with one ERROR line: a flag or campaign acts as if absent, a segment keeps its players.
 */
export interface LiveDefinitions extends Definitions {
  /** Grows with every read: a decision during which it stayed is the same with all other definitions. */
  readonly reads: number;
  /**
   * Grows with every change of a segment that concerns players, or of a game's thresholds: a sweep then evaluates all
   * players.
   */
  readonly segmentsVersion: number;
  /** Whether any game has a segment or its own thresholds, which may have changed while no process ran. */
  readonly wantsSweep: boolean;
  /** Grows with every change of a definition that may need other computed properties. */
  readonly computedVersion: number;
  /** The computed properties that the definitions of a game and environment need. */
  computed(game: string, environment: Environment): NeededProperties;
  /** The games and environments whose definitions need some. */
  computedScopes(): Iterable<Scope>;
  /** Calls `listener` when `segmentsVersion` has grown. */
  onSegments(listener: () => void): Stop;
  /** Segments whose condition exceeded its budget since the last call; bounded. */
  takeOverBudget(): readonly string[];
  /** Whether any game has an enabled campaign whose scheduled time is in the window. */
  isScheduledIn(window: ScheduleWindow): boolean;
  stop(): void;
}

export function createLiveDefinitions(
  config: Pick<ConfigStore, 'revision' | 'list' | 'onChange'>,
  logger: Logger,
  metrics?: Pick<OwnerMetrics, 'conditionsOverBudget'>,
): LiveDefinitions {
  const games = new Map<string, { [E in Environment]?: Compiled }>();
  const listeners = new Set<() => void>();
  const gameSettings = new Map<string, GameSettings>();
  /** Games with their own thresholds. */
  const ownThresholds = new Set(
    config.list('game').flatMap(({ game, document }) => (document.lifecycle === undefined ? [] : [game])),
  );
  let reads = 0;
  let segmentsVersion = 0;
  let computedVersion = 0;
  /** Read many times a second; computed again after a change of a campaign. */
  let scheduled: CampaignDocument[] | undefined;

  const brokenProperty = (scope: Scope, key: string, err: unknown): void =>
    logger.error({ ...scope, property: key, err }, 'a computed property is disabled');
  const needs = createComputingNeeds(config, brokenProperty);
  const compile = createDocumentCompiler(lookupOf, (game) => settings(game).zone, logger, metrics);

  const stopListening = config.onChange(({ address, entry, before }) => {
    if (address.kind === 'game') {
      onGame(address.game);
      // Experiments read the holdout.
      games.delete(address.game);
    }
    if (!isTargeting(address.kind)) return;
    if (address.kind === 'campaign') scheduled = undefined;
    games.delete(address.game);
    computedVersion += 1;
    needs.changed(address);
    const isForPeople =
      entry !== undefined && before !== undefined && effectiveRevision(entry) === effectiveRevision(before);
    if ((address.kind === 'segment' || address.kind === 'property') && !isForPeople) segmentsChanged();
  });

  function onGame(game: string): void {
    gameSettings.delete(game);
    const had = ownThresholds.delete(game);
    const has = hasThresholds(game);
    if (has) ownThresholds.add(game);
    if (had || has) segmentsChanged();
  }

  function segmentsChanged(): void {
    segmentsVersion += 1;
    for (const listener of listeners) listener();
  }

  function hasThresholds(game: string): boolean {
    return config.list('game', game).some(({ document }) => document.lifecycle !== undefined);
  }

  function compiled(game: string, environment: Environment): Compiled {
    reads += 1;
    const held = games.get(game)?.[environment];
    if (held !== undefined) return held;
    const made = compileGame({ config, compile, brokenProperty }, game, environment);
    games.set(game, { ...games.get(game), [environment]: made });
    return made;
  }

  function settings(game: string): GameSettings {
    reads += 1;
    const held = gameSettings.get(game);
    if (held !== undefined) return held;
    const document = config.list('game', game)[0]?.document;
    const made = { lifecycle: { ...DEFAULT_THRESHOLDS, ...document?.lifecycle }, zone: zoneOf(document) };
    gameSettings.set(game, made);
    return made;
  }

  /** Conditions outlive changes of what they name, so they look it up whenever they read it. */
  function lookupOf({ game, environment }: Pick<ConfigEntry<'segment'>, 'game' | 'environment'>): DefinitionLookup {
    const targeting = () => (environment === '_' ? undefined : compiled(game, environment).targeting);
    return {
      computed: (key) => targeting()?.computed?.get(key),
      hasSegment: (id) => targeting()?.segment(id) !== undefined,
    };
  }

  return {
    get revision() {
      return config.revision;
    },
    get reads() {
      return reads;
    },
    of: (game, environment) => compiled(game, environment).targeting,
    segments: (game, environment) => compiled(game, environment).segments,
    campaigns: (game, environment) => compiled(game, environment).campaigns,
    settings,
    get computedVersion() {
      return computedVersion;
    },
    computed: (game, environment) => needs.of(game, environment),
    computedScopes: () => needs.scopes(),
    get segmentsVersion() {
      return segmentsVersion;
    },
    get wantsSweep() {
      return ownThresholds.size > 0 || config.list('segment').length > 0;
    },
    takeOverBudget: compile.takeOverBudget,
    isScheduledIn(window) {
      scheduled ??= config.list('campaign').flatMap(({ document }) => (isTimed(document) ? [document] : []));
      return scheduled.some((document) => isScheduledIn(document, window));
    },
    onSegments(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      stopListening();
      listeners.clear();
    },
  };
}

/** Must not throw for a document of another version, which does not compile later. */
function isTimed({ enabled, trigger }: CampaignDocument): boolean {
  return (
    enabled &&
    attempt(
      () => trigger.kind,
      () => {},
    ) === 'schedule'
  );
}
