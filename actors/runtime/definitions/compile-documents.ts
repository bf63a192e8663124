import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import type { DocumentKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { Documents } from '../../../core/vocabulary/documents/documents.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { compileCampaign } from '../../campaigns/define/compile-campaign.ts';
import { guardedCampaign } from '../../campaigns/define/guarded-campaign.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import type { Campaign, Condition, DefinitionLookup, Flag, Segment } from '../../decision/targeting.ts';
import { compileFlag } from '../../flags/evaluate/compile-flag.ts';
import { disabledFlag, guardedFlag } from '../../flags/evaluate/disabled-flag.ts';
import { guardedCondition, unchanging } from '../../segments/guarded-condition.ts';
import { listCondition, withExceptions } from '../../segments/list-condition.ts';

type Place = Pick<ConfigEntry, 'game' | 'environment'>;

/**
 * Compiles each document once. One that does not compile is disabled alone, with an ERROR line: a flag acts as
 * disabled, a campaign as absent, and a segment keeps its players.
 */
export interface DocumentCompiler {
  segment: (entry: ConfigEntry<'segment'>) => Segment;
  /** @param experiment the one that runs or is paused on the flag */
  flag: (entry: ConfigEntry<'flag'>, experiment: ExperimentDocument | undefined) => Flag;
  campaign: (entry: ConfigEntry<'campaign'>) => Campaign | undefined;
  /** Segments whose condition exceeded its budget since the last call; bounded. */
  takeOverBudget: () => readonly string[];
}

/**
 * @param lookupOf finds the definitions that conditions name, at every evaluation
 * @param zoneOf finds the game's time zone, likewise
 */
export function createDocumentCompiler(
  lookupOf: (place: Place) => DefinitionLookup,
  zoneOf: (game: string) => string,
  logger: Logger,
  metrics: Pick<OwnerMetrics, 'conditionsOverBudget'> | undefined,
): DocumentCompiler {
  let segmentsOver: string[] = [];

  function overBudget(definition: 'segment' | 'flag' | 'campaign'): void {
    metrics?.conditionsOverBudget.inc({ definition });
  }

  function segment(entry: ConfigEntry<'segment'>): Segment {
    const { document, game, environment } = entry;
    const { id, key, conditions, list } = document;
    const broken = (reason: object): void =>
      logger.error({ game, environment, segment: id, ...reason }, 'a segment is disabled: it keeps the players it has');
    const onOverBudget = (): void => {
      overBudget('segment');
      if (segmentsOver.length < STATE_LIMITS.segmentsPerEnvironment) segmentsOver.push(id);
    };
    const asIs = unchanging(id);
    const made = attempt((): Condition | undefined => {
      if (list !== undefined) return withExceptions(listCondition(id, list.load), document);
      const compiled = compileCondition(conditions, { lookup: lookupOf(entry), onOverBudget });
      if (compiled.kind === 'compiled')
        return guardedCondition(withExceptions(compiled.condition, document), asIs, broken);
      broken({ faults: compiled.faults });
      return undefined;
    }, broken);
    return { id, key, condition: made ?? asIs, ...(list === undefined ? {} : { load: list.load }) };
  }

  function flag(entry: ConfigEntry<'flag'>, experiment: ExperimentDocument | undefined): Flag {
    const { key, document, game, environment } = entry;
    const { version } = document;
    const broken = (reason: object, why: string): void =>
      logger.error({ game, environment, flag: key, version, ...reason }, `a flag is disabled: ${why}`);
    const doesNotCompile = (reason: object): void => broken(reason, 'it does not compile');
    const made = attempt(
      () => compileFlag(document, { onOverBudget: () => overBudget('flag'), lookup: lookupOf(entry), experiment }),
      doesNotCompile,
    );
    if (made?.kind === 'invalid') doesNotCompile({ faults: made.faults });
    return made?.kind === 'compiled'
      ? guardedFlag(made.flag, (error) => broken({ err: error }, 'its evaluation throws for some players'))
      : disabledFlag(key, document);
  }

  function campaign(entry: ConfigEntry<'campaign'>): Campaign | undefined {
    const { document, game, environment } = entry;
    const { id, version } = document;
    const broken = (reason: object): void =>
      logger.error({ game, environment, campaign: id, version, ...reason }, 'a campaign is disabled');
    const made = attempt(
      () =>
        compileCampaign(
          document,
          () => overBudget('campaign'),
          lookupOf(entry),
          () => zoneOf(game),
        ),
      broken,
    );
    if (made?.kind === 'invalid') broken({ faults: made.faults });
    return made?.kind === 'compiled' ? guardedCampaign(made.campaign, (error) => broken({ err: error })) : undefined;
  }

  return {
    segment: byDocument(segment),
    flag: byDocument(flag),
    campaign: byDocument(campaign),
    takeOverBudget() {
      if (segmentsOver.length === 0) return NONE;
      const taken = segmentsOver;
      segmentsOver = [];
      return taken;
    },
  };
}

const NONE: readonly string[] = [];

/** An edit creates a new document, so each is compiled once, and again with another document of `more`. */
function byDocument<K extends DocumentKind, T, M extends object>(
  make: (entry: ConfigEntry<K>, more: M | undefined) => T,
): (entry: ConfigEntry<K>, more?: M) => T {
  const held = new WeakMap<Documents[K], { made: T; more: M | undefined }>();
  return (entry, more) => {
    const known = held.get(entry.document);
    if (known !== undefined && known.more === more) return known.made;
    const made = make(entry, more);
    held.set(entry.document, { made, more });
    return made;
  };
}

/** A document of another version may have another shape: if this throws, the definition is disabled too. */
export function attempt<T>(make: () => T, broken: (reason: object) => void): T | undefined {
  try {
    return make();
  } catch (error) {
    broken({ err: error });
    return undefined;
  }
}
