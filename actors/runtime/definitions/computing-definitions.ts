import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { propertiesOf, type NamedSpec, type NeededProperties } from '../../properties/needed-properties.ts';
import { specOf } from '../../properties/property-document.ts';
import { campaignConditions } from '../../campaigns/define/campaign-conditions.ts';
import type { DocumentAddress, SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { hasEnded } from '../../../core/vocabulary/documents/experiments.ts';
import type { Environment, Scope } from '../../../core/vocabulary/documents/scope.ts';

/* The definitions of a config store from which computed properties follow. */

type Config = Pick<ConfigStore, 'list'>;

/** The definitions of one game and environment. */
interface Definitions {
  segments: readonly ConfigEntry<'segment'>[];
  flags: readonly ConfigEntry<'flag'>[];
  experiments: readonly ConfigEntry<'experiment'>[];
  campaigns: readonly ConfigEntry<'campaign'>[];
  properties: readonly ConfigEntry<'property'>[];
}

function definitionsOf(config: Config, game?: string, environment?: Environment): Definitions {
  return {
    segments: config.list('segment', game, environment),
    flags: config.list('flag', game, environment),
    experiments: config.list('experiment', game, environment),
    campaigns: config.list('campaign', game, environment),
    properties: config.list('property', game, environment),
  };
}

/**
 * The conditions of all definitions; of disabled ones too, so that enabling them again loses no count. A document of
 * another version may have another shape: it is left out.
 */
export function conditionsIn(config: Config, game: string, environment: Environment): Json[] {
  return conditionsOf(definitionsOf(config, game, environment));
}

function conditionsOf({ segments, flags, experiments, campaigns }: Definitions): Json[] {
  const active = flags.filter(({ document }) => document.archivedAt === null);
  return [
    ...segments.map(({ document }) => segmentConditions(document)),
    ...active.flatMap(({ document }) => attempt(() => document.rules.map(({ conditions = null }) => conditions)) ?? []),
    ...experiments.flatMap(
      ({ document }) => attempt(() => (hasEnded(document) ? [] : [document.audience.conditions ?? null])) ?? [],
    ),
    ...campaigns.flatMap(({ document }) => attempt(() => campaignConditions(document)) ?? []),
  ];
}

/** The conditions that a segment reads: none if it has a list. */
export function segmentConditions({ conditions, list }: SegmentDocument): JsonObject {
  return list === undefined ? conditions : {};
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Called for a document of another version, which may have another shape: it is left out. */
export type OnBroken = (scope: Scope, key: string, error: unknown) => void;

/** The named properties. */
export function namedPropertiesIn(config: Config, scope: Scope, onBroken: OnBroken): NamedSpec[] {
  return namedOf(config.list('property', scope.game, scope.environment), scope, onBroken);
}

function namedOf(entries: readonly ConfigEntry<'property'>[], scope: Scope, onBroken: OnBroken): NamedSpec[] {
  const found: NamedSpec[] = [];
  for (const { key, document } of entries) {
    try {
      found.push({ key, spec: specOf(document) });
    } catch (error) {
      onBroken(scope, key, error);
    }
  }
  return found;
}

/** The computed properties that definitions need, by game and environment. */
export interface ComputingNeeds {
  /** A definition changed: its game and environment are read again. */
  changed(address: Pick<DocumentAddress, 'game' | 'environment'>): void;
  of(game: string, environment: Environment): NeededProperties;
  /** The games and environments that need some. */
  scopes(): Iterable<Scope>;
}

/**
 * Every owner of the process asks after each change of any definition. The definitions of all games are read once, in
 * one pass, and later those of the changed game: with a thousand games of 20 segments, reading each game by itself
 * took an owner a quarter of a second.
 */
export function createComputingNeeds(config: Config, onBroken: OnBroken): ComputingNeeds {
  let needs: Map<string, { scope: Scope; needed: NeededProperties }> | undefined;
  const outdated = new Map<string, Scope>();

  function read(held: NonNullable<typeof needs>, scope: Scope, definitions: Definitions): void {
    const needed = propertiesOf(namedOf(definitions.properties, scope, onBroken), conditionsOf(definitions));
    if (needed.size === 0) held.delete(keyOf(scope));
    else held.set(keyOf(scope), { scope, needed });
  }

  function current(): NonNullable<typeof needs> {
    if (needs === undefined) {
      needs = new Map();
      for (const { scope, definitions } of byScope(definitionsOf(config))) read(needs, scope, definitions);
    }
    for (const scope of outdated.values()) {
      read(needs, scope, definitionsOf(config, scope.game, scope.environment));
    }
    outdated.clear();
    return needs;
  }

  return {
    changed({ game, environment }) {
      if (needs === undefined || environment === '_') return;
      outdated.set(keyOf({ game, environment }), { game, environment });
      if (outdated.size <= MOST_OUTDATED) return;
      needs = undefined;
      outdated.clear();
    },
    of: (game, environment) => current().get(keyOf({ game, environment }))?.needed ?? NO_PROPERTIES,
    scopes: () => [...current().values()].map(({ scope }) => scope),
  };
}

const NO_PROPERTIES: NeededProperties = new Map();
/** Games read by themselves; beyond it, one pass over all is cheaper. */
const MOST_OUTDATED = 16;

const keyOf = ({ game, environment }: Pick<DocumentAddress, 'game' | 'environment'>): string =>
  `${environment}:${game}`;

function byScope({ segments, flags, experiments, campaigns, properties }: Definitions) {
  const groups = {
    segments: Map.groupBy(segments, keyOf),
    flags: Map.groupBy(flags, keyOf),
    experiments: Map.groupBy(experiments, keyOf),
    campaigns: Map.groupBy(campaigns, keyOf),
    properties: Map.groupBy(properties, keyOf),
  };
  const found = new Map<string, { scope: Scope; definitions: Definitions }>();
  for (const { game, environment } of [...segments, ...flags, ...experiments, ...campaigns, ...properties]) {
    const key = keyOf({ game, environment });
    if (environment === '_' || found.has(key)) continue;
    const definitions = {
      segments: groups.segments.get(key) ?? [],
      flags: groups.flags.get(key) ?? [],
      experiments: groups.experiments.get(key) ?? [],
      campaigns: groups.campaigns.get(key) ?? [],
      properties: groups.properties.get(key) ?? [],
    };
    found.set(key, { scope: { game, environment }, definitions });
  }
  return found.values();
}
