import { Type } from 'typebox';
import { metered } from '../../../../actors/conditions/steps.ts';
import { periodOf } from '../../../../actors/flags/periods.ts';
import type { KnownExposure } from '../../../../clickhouse-schema/queries/lookups/player-exposures.ts';
import type { FlagReason, Trial } from '../../../../core/vocabulary/facts/flag-reason.ts';
import type { ServedFlag } from '../../../../core/vocabulary/state/player.ts';
import type { ExportedPlayer, FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import type { Flag, Served, Targeting } from '../../../../actors/decision/targeting.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import { FLAG_LIMITS } from '../../../../actors/flags/limits.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { answer, type Answer } from '../../route/answer.ts';
import { PlayerId } from '../../input/fields.ts';
import { trialJson } from '../../flags/evaluate/served-fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, readBy } from '../../route/route.ts';
import { PLAYER_FLAGS_EXAMPLE, PlayerFlags } from './player-flags-resource.ts';
import { readPlayerState } from './player-state.ts';

/*
 * The route that tells of every flag what it would serve a player now, what it served last, and which variants the
 * player saw. The first is calculated for the answer and recorded nowhere; the others are records.
 */

export const getPlayerFlags = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/flags',
  tag: 'Players',
  summary: 'List what flags serve a player, and what the player saw',
  description:
    '`now` is what each flag would serve without an evaluation context at this moment. `served` is the last result ' +
    'that the player received, and `exposures` are the variants that the player saw. The call records nothing, neither ' +
    'a result nor an exposure. In the test environment results and exposures are not recorded. Deleted flags are ' +
    'listed if the player saw them.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: PlayerId }) },
  reply: {
    description: 'The flags, in order of their keys.',
    schema: PlayerFlags,
    example: PLAYER_FLAGS_EXAMPLE,
  },
  action: {
    kind: 'service',
    async call({ params }, context) {
      const found = await readPlayerState(params.id, context);
      return found.kind === 'failure' ? found : flagsOf(found.player, context);
    },
  },
});

async function flagsOf(player: ExportedPlayer, { key, services }: RequestContext): Promise<Answer> {
  const { game, environment } = key;
  const targeting = services.targeting(game, environment);
  const nowMs = services.clock.wallMs();
  // In a meter, as in the owner: without one, expensive conditions of many flags would hold this thread for seconds.
  const evaluated = metered(() => evaluateAll(player, targeting, nowMs));
  if ('code' in evaluated) return evaluated;
  const recorded = [...player.exposures, ...player.servedFlags].map(({ flagKey }) => flagKey);
  const keys = [...new Set([...evaluated.keys(), ...recorded])].toSorted((one, other) => (one < other ? -1 : 1));
  const exposedKeys = [...new Set(player.exposures.map(({ flagKey }) => flagKey))];
  const exposures = await services.analytics.lookups.exposures({
    game,
    environment,
    playerId: player.id,
    flagKeys: exposedKeys,
  });
  const known = exposures.kind === 'unavailable' ? [] : exposures.value;
  const byFlag = Map.groupBy(known, ({ flagKey }) => flagKey);
  const flags = keys.map((flagKey) =>
    flagText(flagKey, player, evaluated.get(flagKey), byFlag.get(flagKey) ?? [], targeting),
  );
  const complete = String(exposures.kind === 'answered');
  return answer(
    `{"player_id":"${player.id}","evaluated_at":"${formatTimestamp(nowMs)}","flags":[${flags.join(',')}],` +
      `"exposures_complete":${complete}}`,
  );
}

interface EvaluatedFlag {
  flag: Flag;
  evaluation: FlagEvaluation;
}

/** Evaluates all flags as the owner would, from the same state. */
function evaluateAll(
  exported: ExportedPlayer,
  targeting: Targeting,
  nowMs: number,
): Map<string, EvaluatedFlag> | Failure {
  // Idempotency-Keys, which the export shortens, decide nothing.
  const subject = { player: { ...exported, keys: [] }, nowMs };
  const served: Served = new Map();
  const evaluated = new Map<string, EvaluatedFlag>();
  let chars = 0;
  for (const flag of targeting.flags.values()) {
    const evaluation = flag.evaluate(subject, targeting, served);
    chars += evaluation.value.length;
    if (chars > FLAG_LIMITS.evaluatedChars) return tooLarge();
    evaluated.set(flag.key, { flag, evaluation });
  }
  return evaluated;
}

function tooLarge(): Failure {
  return failure(
    'SERVICE_UNAVAILABLE',
    `The values of all flags exceed ${FLAG_LIMITS.evaluatedChars} characters; evaluate fewer flags by their keys.`,
  );
}

/** A flag as JSON text. Values are JSON texts already. */
function flagText(
  flagKey: string,
  player: ExportedPlayer,
  evaluated: EvaluatedFlag | undefined,
  exposures: readonly KnownExposure[],
  targeting: Targeting,
): string {
  const served = player.servedFlags.find((one) => one.flagKey === flagKey);
  const override = player.overrides.find((one) => one.flagKey === flagKey);
  const document = evaluated?.flag.document;
  const about = JSON.stringify({
    flag_key: flagKey,
    name: document?.name ?? null,
    flag_type: document?.flagType ?? null,
    enabled: document?.enabled ?? false,
    version: document?.version ?? null,
  });
  const period = document === undefined ? undefined : periodOf(document);
  return (
    `${about.slice(0, -1)},"now":${evaluated === undefined ? 'null' : resultText(evaluated.evaluation, targeting)},` +
    `"override":${override === undefined ? 'null' : `{"value":${override.value}}`},` +
    `"served":${served === undefined ? 'null' : servedText(served, period, targeting)},` +
    `"exposures":[${exposures.map((exposure) => exposureText(exposure, period, targeting)).join(',')}]}`
  );
}

interface Result {
  value: JsonText | null;
  variantKey: string | null;
  reason: FlagReason;
  segmentId?: string;
  prerequisiteKey?: string;
  trial?: Trial;
}

function resultText(result: Result, targeting: Targeting): string {
  const { value, variantKey, reason, segmentId, prerequisiteKey, trial } = result;
  const rest = {
    variant_key: variantKey,
    reason,
    ...(segmentId === undefined
      ? {}
      : { segment_id: segmentId, segment_key: targeting.segment(segmentId)?.key ?? null }),
    ...(prerequisiteKey === undefined ? {} : { prerequisite_key: prerequisiteKey }),
    ...(trial === undefined ? {} : { experiment: trialJson(trial) }),
  };
  return `{"value":${value ?? 'null'},${JSON.stringify(rest).slice(1)}`;
}

function servedText(served: ServedFlag, period: number | undefined, targeting: Targeting): string {
  const active = targeting.experimentOf?.(served.flagKey)?.key;
  const { flagVersion, mixed, trial } = served;
  const isCurrent = trial === undefined ? served.period === period : trial.experiment === active;
  const rest = { flag_version: flagVersion, current_period: isCurrent, mixed };
  return `${resultText(served, targeting).slice(0, -1)},${JSON.stringify(rest).slice(1)}`;
}

function exposureText(exposure: KnownExposure, period: number | undefined, targeting: Targeting): string {
  const active = targeting.experimentOf?.(exposure.flagKey)?.key;
  const rest = {
    variant_key: exposure.variantKey,
    reason: exposure.reason,
    attribution: exposure.attribution,
    flag_version: exposure.flagVersion,
    current_period: exposure.experiment === '' ? exposure.period === period : exposure.experiment === active,
    ...(exposure.experiment === '' ? {} : { experiment_key: exposure.experiment, phase: exposure.period }),
    first_seen_at: formatTimestamp(exposure.at),
  };
  return `{"value":${exposure.value === '' ? 'null' : exposure.value},${JSON.stringify(rest).slice(1)}`;
}
