import type { ConfigStore } from '../../../streams/config/config-store.ts';
import { holdoutIn } from '../../../streams/config/games.ts';
import type { Environment, Scope } from '../../../core/vocabulary/documents/scope.ts';
import { createCampaignSet } from '../../campaigns/define/campaign-set.ts';
import { propertyIdOf } from '../../computed/property-spec.ts';
import { countedEventsOf } from '../../conditions/counted-events.ts';
import type { CampaignSet, SegmentSet } from '../../decision/definitions.ts';
import type { Flag, NamedProperty, Targeting } from '../../decision/targeting.ts';
import { activeExperiments } from '../../flags/experiment/active-experiments.ts';
import { createSegmentSet } from '../../segments/segment-set.ts';
import type { createDocumentCompiler } from './compile-documents.ts';
import { conditionsIn, namedPropertiesIn, segmentConditions } from './computing-definitions.ts';

/** The definitions of one game and environment, compiled. */
export interface Compiled {
  targeting: Targeting;
  segments: SegmentSet;
  campaigns: CampaignSet;
}

export interface CompileOptions {
  config: Pick<ConfigStore, 'list'>;
  compile: ReturnType<typeof createDocumentCompiler>;
  /** A computed property's definition cannot be read. */
  brokenProperty: (scope: Scope, key: string, error: unknown) => void;
}

export function compileGame(
  { config, compile, brokenProperty }: CompileOptions,
  game: string,
  environment: Environment,
): Compiled {
  const all = config.list('segment', game, environment);
  const computed = new Map(
    namedPropertiesIn(config, { game, environment }, brokenProperty).map(({ key, spec }): [string, NamedProperty] => [
      key,
      { id: propertyIdOf(spec, key), spec },
    ]),
  );
  const segments = createSegmentSet(
    all
      .filter(({ document }) => document.enabled !== false)
      .map((entry) => ({ segment: compile.segment(entry), conditions: segmentConditions(entry.document) })),
    (key) => computed.get(key)?.spec.event,
    new Set(all.flatMap(({ document: { id, list } }) => (list === undefined ? [] : [id]))),
  );
  const experiments = activeExperiments(config.list('experiment', game, environment).map(({ document }) => document));
  const flags = new Map<string, Flag>();
  // In order of keys, so that replies and stored variants do not depend on the process.
  const inOrder = config.list('flag', game, environment).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const entry of inOrder) {
    if (entry.document.archivedAt === null) flags.set(entry.key, compile.flag(entry, experiments.get(entry.key)));
  }
  const holdout = holdoutIn(config.list('game', game)[0]?.document);
  const campaigns = config
    .list('campaign', game, environment)
    .filter(({ document }) => document.enabled)
    .map(compile.campaign)
    .filter((campaign) => campaign !== undefined);
  let countedEvents: ReadonlySet<string> | undefined;
  return {
    segments,
    campaigns: createCampaignSet(campaigns),
    targeting: {
      segments: segments.all,
      segment: (id) => segments.get(id),
      flags,
      experimentOf: (flagKey) => experiments.get(flagKey),
      ...(holdout === undefined ? {} : { holdout }),
      computed,
      // Only players with very many counted names need it.
      get countedEvents() {
        countedEvents ??= countedEventsOf(conditionsIn(config, game, environment));
        return countedEvents;
      },
    },
  };
}
