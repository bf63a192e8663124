import { CONDITION_LIMITS } from '../../../../actors/conditions/limits.ts';
import { isolated, metered } from '../../../../actors/conditions/steps.ts';
import type { Flag, Served, Subject, Targeting } from '../../../../actors/decision/targeting.ts';
import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import { isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import type { Json, JsonObject } from '../../../../core/kernel/text/json.ts';
import type { CompiledDefinitions } from './compiled-definitions.ts';
import { resultOf, withoutValue, type FlagResult } from './flag-result.ts';
import { LocalPlayer } from './local-player.ts';
import type { PlayerInput } from './player-input.ts';
import { isUuid } from '../../../../core/kernel/uuid.ts';

/*
 * Evaluates flags for players in this process, by the code that the service runs.
 *
 * Invariants
 * 1. A result with a reason of the service is the one that the service gives for the same state of the player.
 * 2. A flag whose evaluation reads what the caller did not give has the reason `needs_state` and no value.
 * 3. Nothing throws, whatever the player and the context are.
 */
export interface Evaluator {
  readonly revision: number;
  evaluate(key: string, player: PlayerInput, context: ContextInput, nowMs: number): FlagResult;
  /** @param keys all flags without them */
  evaluateAll(
    keys: Iterable<string> | undefined,
    player: PlayerInput,
    context: ContextInput,
    nowMs: number,
  ): Map<string, FlagResult>;
  /** The player's id by the service; undefined if the input has none that could be one. */
  playerIdOf(player: PlayerInput): string | undefined;
  /** Version of the flag in these definitions. */
  versionOf(key: string): number | undefined;
}

/** Fields that rules read as `context.<field>`. */
export type ContextInput = Readonly<Record<string, unknown>> | undefined;

/** Ids that are remembered by external id; a hash costs as much as several evaluations. */
const REMEMBERED_IDS = 10_000;

export function createEvaluator(definitions: CompiledDefinitions): Evaluator {
  const { revision, players, holdout, flags, segments, segmentIds } = definitions;
  const tracking = new Map([...flags].map(([key, flag]) => [key, tracked(flag)]));
  // Memberships are decided by `Subject.isMember`.
  const heldOut = holdout === undefined ? {} : { holdout };
  const targeting: Targeting = { segments: [], segment: () => undefined, flags: tracking, ...heldOut };
  const ids = new Map<string, string>();

  function playerIdOf({ id, external_id: externalId }: PlayerInput): string | undefined {
    if (typeof id === 'string') return isUuid(id) ? id.toLowerCase() : undefined;
    if (typeof externalId !== 'string' || externalId === '' || isBrokenId(externalId) || players === undefined)
      return undefined;
    const held = ids.get(externalId);
    if (held !== undefined) return held;
    if (ids.size >= REMEMBERED_IDS) ids.clear();
    const made = uuidv5(players.namespace, players.prefix + externalId);
    ids.set(externalId, made);
    return made;
  }

  function subjectOf(input: PlayerInput, given: ContextInput, nowMs: number): LocalSubject | undefined {
    try {
      const id = playerIdOf(input);
      if (id === undefined) return undefined;
      const context = given === undefined ? undefined : contextOf(given);
      return new LocalSubject(new LocalPlayer(id, input, nowMs), context, membershipIn(input));
    } catch {
      // Accessors of the caller's objects, or a context that is no JSON.
      return undefined;
    }
  }

  function membershipIn({ segments: given }: PlayerInput): Membership {
    if (given === undefined) return byCondition;
    const named = new Set(given.map((name) => segmentIds.get(name) ?? name));
    return (_, segmentId) => named.has(segmentId);
  }

  /** A segment that is not in the definitions is disabled or gone: it has no players. */
  function byCondition({ local }: LocalSubject, segmentId: string): boolean {
    const condition = segments.get(segmentId);
    if (condition === undefined) return false;
    if (condition === 'unknown') {
      local.lacks('segments');
      return false;
    }
    const known = local.memberships.get(segmentId);
    if (known !== undefined) {
      local.missing |= known.missing;
      return known.isMember;
    }
    const outer = local.missing;
    local.missing = 0;
    // Two edits at once may make a circle of segments for a short time: a part of it is asked again while it is open.
    local.lacks('segments');
    local.memberships.set(segmentId, { isMember: false, missing: local.missing });
    local.missing = 0;
    // A segment never reads the context. It has a budget of its own, also inside the condition of a rule.
    const subject = new LocalSubject(local, undefined, byCondition);
    const isMember = isolated(CONDITION_LIMITS.playerSteps, () => condition.matches(subject));
    local.memberships.set(segmentId, { isMember, missing: local.missing });
    local.missing |= outer;
    return isMember;
  }

  function finish(flag: Flag, evaluation: FlagEvaluation, { local }: LocalSubject, missing: number): FlagResult {
    const { version } = flag.document;
    if (local.isFaulty) return withoutValue(flag.key, 'invalid_input', { version });
    return missing === 0 ? resultOf(evaluation, version) : withoutValue(flag.key, 'needs_state', { version, missing });
  }

  return {
    revision,
    playerIdOf,
    versionOf: (key) => flags.get(key)?.document.version,
    evaluate(key, input, context, nowMs) {
      const flag = flags.get(key);
      if (flag === undefined) return withoutValue(key, 'flag_not_found');
      const subject = subjectOf(input, context, nowMs);
      if (subject === undefined) return withoutValue(key, 'invalid_input');
      const evaluation = metered(() => flag.evaluate(subject, targeting));
      return finish(flag, evaluation, subject, subject.local.missing);
    },
    evaluateAll(keys, input, context, nowMs) {
      const results = new Map<string, FlagResult>();
      const subject = subjectOf(input, context, nowMs);
      const served: Served = new Map();
      metered(() => {
        for (const key of keys ?? tracking.keys()) {
          const flag = tracking.get(key);
          if (flag === undefined) results.set(key, withoutValue(key, 'flag_not_found'));
          else if (subject === undefined) results.set(key, withoutValue(key, 'invalid_input'));
          else {
            const { local } = subject;
            local.missing = 0;
            const evaluation = flag.evaluate(subject, targeting, served);
            // It only grows within one evaluation.
            results.set(key, finish(flag, evaluation, subject, local.missing));
          }
        }
      });
      return results;
    },
  };
}

type Membership = (subject: LocalSubject, segmentId: string) => boolean;

/** The subject of an evaluation, which decides memberships when a rule asks. */
class LocalSubject implements Subject {
  readonly local: LocalPlayer;
  readonly player: Subject['player'];
  readonly nowMs: number;
  readonly context?: JsonObject;
  readonly #membership: Membership;

  constructor(local: LocalPlayer, context: JsonObject | undefined, membership: Membership) {
    this.local = local;
    this.player = local.asState();
    this.nowMs = local.nowMs;
    if (context !== undefined) this.context = context;
    this.#membership = membership;
  }

  isMember(segmentId: string): boolean {
    return this.#membership(this, segmentId);
  }

  computedValue(key: string): Json {
    return this.local.computedValue(key);
  }
}

/**
 * The flag, noting what its evaluation lacks by itself when several flags are evaluated for one player: a result that
 * is shared with a flag that needs it lacks the same there.
 */
function tracked(flag: Flag): Flag {
  const { key, document } = flag;
  return {
    key,
    document,
    evaluate(subject, targeting, served) {
      if (!(subject instanceof LocalSubject)) return flag.evaluate(subject, targeting, served);
      const { local } = subject;
      const outer = local.missing;
      local.missing = 0;
      const evaluation = flag.evaluate(subject, targeting, served);
      for (const { flagKey } of document.prerequisites) {
        local.missing |= local.missingOf.get(flagKey) ?? 0;
        if (evaluation.prerequisiteKey === flagKey) break;
      }
      if (local.missing !== 0) local.missingOf.set(key, local.missing);
      local.missing |= outer;
      return evaluation;
    },
  };
}

/** The context as JSON, which is what the service would get. A flat one is used as it is. */
function contextOf(given: object): JsonObject {
  const isFlat = isPlain(given) && Object.values(given).every(isJsonScalar);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked on the line above
  if (isFlat) return given as JsonObject;
  const copy: JsonObject = JSON.parse(JSON.stringify(given));
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) throw new TypeError('the context is an object');
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isJsonScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}
