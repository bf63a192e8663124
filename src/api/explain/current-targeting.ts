import { specOf } from '../../../actors/properties/property-document.ts';
import { propertyIdOf } from '../../../actors/computed/property-spec.ts';
import { compileFlag } from '../../../actors/flags/evaluate/compile-flag.ts';
import type { DefinitionLookup, Flag, Subject, Targeting } from '../../../actors/decision/targeting.ts';
import { activeExperiments } from '../../../actors/flags/experiment/active-experiments.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { RequestContext } from '../route/request-context.ts';
import { createTurns } from '../route/turns.ts';

/*
 * Explanations evaluate in the gateway what an owner would: the state of the player comes from the owner, and the
 * definitions are the current ones of this process. Owners only read one player for them, and nothing is recorded.
 */

/** The state of a player. Ids of older events and replies to Idempotency-Keys are missing: no condition reads them. */
export async function stateOf(
  playerId: string,
  { services, origin }: RequestContext,
): Promise<{ kind: 'state'; player: PlayerState } | Failure> {
  const reply = await services.backend.query(origin, playerId, { kind: 'ExportPlayer', playerId });
  if (reply.kind === 'failure') return reply;
  if (reply.kind !== 'exported') throw new Error(`an export was answered with ${reply.kind}`);
  return { kind: 'state', player: { ...reply.player, keys: [] } };
}

export function subjectOf(player: PlayerState, nowMs: number, context: JsonObject | undefined): Subject {
  return { player, nowMs, ...(context === undefined ? {} : { context }) };
}

/** Finds what conditions name in the definitions that this process holds. */
export function definitionLookup(context: Pick<RequestContext, 'key' | 'services'>): DefinitionLookup {
  const { game, environment } = context.key;
  const { config } = context.services;
  return {
    computed(key) {
      const document = config.get({ game, environment, kind: 'property', key })?.document;
      if (document === undefined) return undefined;
      const spec = specOf(document);
      return { id: propertyIdOf(spec, key), spec };
    },
    hasSegment(id) {
      const document = config.get({ game, environment, kind: 'segment', key: id })?.document;
      return document !== undefined && document.enabled !== false;
    },
  };
}

/** By document: an edit creates a new document, so each is compiled once, and again with another experiment. */
const compiledFlags = new WeakMap<FlagDocument, { flag: Flag; experiment: ExperimentDocument | undefined }>();

/** All flags of the game and environment, compiled in turns with other requests. */
export async function currentTargeting(context: RequestContext): Promise<Targeting> {
  const { game, environment } = context.key;
  const { config, clock } = context.services;
  const lookup = definitionLookup(context);
  const turns = createTurns(clock);
  const experiments = activeExperiments(config.list('experiment', game, environment).map(({ document }) => document));
  const holdout = config.get(gameAddress(game))?.document.holdout;
  const flags = new Map<string, Flag>();
  for (const { key, document } of config.list('flag', game, environment)) {
    if (document.archivedAt !== null) continue;
    await turns.pause();
    const flag = compileCurrent(document, experiments.get(key), lookup);
    if (flag !== undefined) flags.set(key, flag);
  }
  return {
    segments: [],
    segment: () => undefined,
    flags,
    experimentOf: (key) => experiments.get(key),
    ...(holdout ? { holdout } : {}),
  };
}

/** undefined: another version accepted a definition that does not compile. */
function compileCurrent(
  document: FlagDocument,
  experiment: ExperimentDocument | undefined,
  lookup: DefinitionLookup,
): Flag | undefined {
  const known = compiledFlags.get(document);
  if (known !== undefined && known.experiment === experiment) return known.flag;
  const compiled = compileFlag(document, { lookup, experiment });
  if (compiled.kind === 'invalid') return undefined;
  const { flag } = compiled;
  compiledFlags.set(document, { flag, experiment });
  return flag;
}
