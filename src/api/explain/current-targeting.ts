import { specOf } from '../../../actors/properties/property-document.ts';
import { propertyIdOf } from '../../../actors/computed/property-spec.ts';
import { compileFlag } from '../../../actors/flags/evaluate/compile-flag.ts';
import type { ComputedLookup, Flag, Subject, Targeting } from '../../../actors/decision/targeting.ts';
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

/** Finds computed properties in the definitions that this process holds. */
export function computedLookup({ key: { game, environment }, services: { config } }: RequestContext): ComputedLookup {
  return (key) => {
    const document = config.get({ game, environment, kind: 'property', key })?.document;
    if (document === undefined) return undefined;
    const spec = specOf(document);
    return { id: propertyIdOf(spec, key), spec };
  };
}

/** By document: an edit creates a new document, so each is compiled once. */
const compiledFlags = new WeakMap<FlagDocument, Flag>();

/** All flags of the game and environment, compiled in turns with other requests. */
export async function currentTargeting(context: RequestContext): Promise<Targeting> {
  const { game, environment } = context.key;
  const { config, clock } = context.services;
  const lookup = computedLookup(context);
  const turns = createTurns(clock);
  const flags = new Map<string, Flag>();
  for (const { key, document } of config.list('flag', game, environment)) {
    if (document.archivedAt !== null) continue;
    await turns.pause();
    const flag = compiledFlags.get(document) ?? compileCurrent(document, lookup);
    if (flag !== undefined) flags.set(key, flag);
  }
  return { segments: [], segment: () => undefined, flags };
}

/** undefined: another version accepted a definition that does not compile. */
function compileCurrent(document: FlagDocument, lookup: ComputedLookup): Flag | undefined {
  const compiled = compileFlag(document, { computed: lookup });
  if (compiled.kind === 'invalid') return undefined;
  compiledFlags.set(document, compiled.flag);
  return compiled.flag;
}
