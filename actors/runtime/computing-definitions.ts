import type { Json, JsonObject } from '../../src/kernel/json.ts';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { NamedSpec } from '../computed/needed-properties.ts';
import { specOf } from '../computed/property-document.ts';
import type { CampaignDocument, DocumentKind, SegmentDocument } from '../vocabulary/documents.ts';
import type { Environment, Scope } from '../vocabulary/scope.ts';

/* The definitions of a config store from which computed properties follow. */

type Config = Pick<ConfigStore, 'list'>;

/**
 * The conditions of all definitions; of disabled ones too, so that enabling them again loses no count. A document of
 * another version may have another shape: it is left out.
 */
export function conditionsIn(config: Config, game: string, environment: Environment): Json[] {
  const flags = config.list('flag', game, environment).filter(({ document }) => document.archivedAt === null);
  return [
    ...config.list('segment', game, environment).map(({ document }) => segmentConditions(document)),
    ...flags.flatMap(({ document }) => attempt(() => document.rules.map(({ conditions = null }) => conditions)) ?? []),
    ...config
      .list('campaign', game, environment)
      .flatMap(({ document }) => attempt(() => conditionsOfTrigger(document)) ?? []),
  ];
}

/** The conditions that a segment reads: none if it has a list. */
export function segmentConditions({ conditions, list }: SegmentDocument): JsonObject {
  return list === undefined ? conditions : {};
}

function conditionsOfTrigger({ trigger }: CampaignDocument): Json {
  return trigger.kind === 'event' ? (trigger.conditions ?? null) : null;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The named properties. A document of another version may have another shape: it is left out. */
export function namedPropertiesIn(
  config: Config,
  game: string,
  environment: Environment,
  onBroken: (key: string, error: unknown) => void,
): NamedSpec[] {
  const found: NamedSpec[] = [];
  for (const { key, document } of config.list('property', game, environment)) {
    try {
      found.push({ key, spec: specOf(document) });
    } catch (error) {
      onBroken(key, error);
    }
  }
  return found;
}

const KINDS = ['segment', 'flag', 'campaign', 'property'] as const satisfies readonly DocumentKind[];

/** The games and environments that have definitions. */
export function computingScopes(config: Config): Iterable<Scope> {
  const found = new Map<string, Scope>();
  for (const kind of KINDS) {
    for (const { game, environment } of config.list(kind)) {
      if (environment !== '_') found.set(`${environment}:${game}`, { game, environment });
    }
  }
  return found.values();
}
