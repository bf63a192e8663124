import { Type, type Static } from 'typebox';
import { reportedExposure } from '../../../../actors/flags/exposure/expose-reported.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import { ERRORS, failure, isTemporary, type Failure } from '../../../../core/kernel/errors.ts';
import { FLAG_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { type Answer, jsonAnswer } from '../../route/answer.ts';
import { nullable, oneOf, PlayerId } from '../../input/fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, forGames, invalid } from '../../route/route.ts';
import { findFlag } from '../flag-edits.ts';
import { TRIAL } from '../evaluate/served-fields.ts';

/* The route with which servers report the exposures of evaluations in their own process: one command per exposure. */

const Exposure = Type.Object(
  {
    player_id: PlayerId,
    flag_key: Type.String({ maxLength: TEXT_LIMITS.definitionKeyLength, description: "The flag's key." }),
    flag_version: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Version of the flag in the definitions that were evaluated.',
    }),
    variant_key: nullable(
      Type.String({
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description:
          'Key of the variant that the player saw; `"true"` or `"false"` for a boolean flag; null for the default of ' +
          'another flag.',
      }),
    ),
    reason: oneOf(
      ['default', 'segment_match', 'percentage_rollout'],
      'Why the flag served it. Overridden players and disabled flags are no exposures.',
    ),
    segment_id: Type.Optional(
      Type.String({
        maxLength: TEXT_LIMITS.callerIdLength,
        description: 'Id of the matching segment, if the reason is `segment_match`.',
      }),
    ),
    experiment: Type.Optional(TRIAL),
  },
  { description: 'One exposure.' },
);

type ExposureBody = Static<typeof Exposure>;
type Status = 'accepted' | 'rejected' | 'unavailable';

interface Result {
  index: number;
  status: Status;
  error?: { code: Failure['code']; message: string; details?: Record<string, unknown> };
}

export const exposeFlags = defineRoute({
  method: 'POST',
  path: '/v1/flags/exposures',
  tag: 'Feature flags',
  summary: 'Report exposures of local evaluations',
  description:
    'Tells which variants players saw that a server evaluated in its own process. A player counts once per flag, ' +
    'period and variant, so that repeats and retries change nothing; the time of the exposure is the time of receipt. ' +
    'Players with an override and the test environment are not recorded. The response is 200 if at least one was ' +
    'accepted, else the error of the first one.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...forGames('evaluate'),
  repeatsById: true,
  errors: ['PLAYER_NOT_FOUND', 'FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object({
      exposures: Type.Array(Exposure, {
        minItems: 1,
        maxItems: FLAG_API_LIMITS.reportedExposures,
        description: `The exposures, 1 to ${FLAG_API_LIMITS.reportedExposures}.`,
      }),
    }),
  },
  reply: {
    description: 'At least one exposure is durable, or was recorded earlier.',
    schema: Type.Object(
      {
        accepted: Type.Integer({ description: 'Number of exposures that are recorded or need not be.' }),
        rejected: Type.Integer({ description: 'Number of exposures rejected permanently.' }),
        unavailable: Type.Integer({ description: 'Number of exposures that failed temporarily.' }),
        results: Type.Array(
          Type.Object(
            {
              index: Type.Integer({ description: 'Index of the exposure in the request, from 0.' }),
              status: oneOf(
                ['accepted', 'rejected', 'unavailable'],
                'Result for the exposure. Retry exposures that are `unavailable`.',
              ),
              error: Type.Optional(
                Type.Object(
                  {
                    code: Type.String({ description: 'Error code.' }),
                    message: Type.String({ description: 'Explanation for people.' }),
                    details: Type.Optional(
                      Type.Object({}, { description: 'Details of the error; `fields` lists the faults.' }),
                    ),
                  },
                  { description: 'Why the exposure was not accepted.' },
                ),
              ),
            },
            { description: 'Result for one exposure.' },
          ),
          { description: 'One result per exposure, in the order of the request.' },
        ),
      },
      { description: 'Result of the report.' },
    ),
    example: { accepted: 1, rejected: 0, unavailable: 0, results: [{ index: 0, status: 'accepted' }] },
  },
  example: {
    exposures: [
      {
        player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
        flag_key: 'new_shop',
        flag_version: 3,
        variant_key: 'b',
        reason: 'percentage_rollout',
      },
    ],
  },
  action: {
    kind: 'several',
    async handle({ body }, context) {
      const results = body.exposures.map((exposure, index) =>
        expose(exposure, `/exposures/${index}`, context).then((reply) => resultOf(reply, index)),
      );
      return conclude(await Promise.all(results));
    },
  },
});

async function expose(
  {
    player_id,
    flag_key,
    flag_version: flagVersion,
    variant_key: variant,
    reason,
    segment_id,
    experiment,
  }: ExposureBody,
  path: string,
  context: RequestContext,
): Promise<Reply> {
  const flag = findFlag(flag_key, context);
  if (flag === undefined) return failure('FLAG_NOT_FOUND');
  const trial = experiment && {
    experiment: experiment.key,
    phase: experiment.phase,
    variant: experiment.variant_key,
  };
  const reported = reportedExposure(flag, { flagVersion, variant, reason, segmentId: segment_id, trial });
  if (reported.kind === 'invalid') {
    return invalid([{ ...reported.fault, path: path + reported.fault.path }]);
  }
  const playerId = player_id.toLowerCase();
  const { origin, services } = context;
  return services.backend.send(origin, playerId, { kind: 'ExposeFlag', playerId, ...reported.exposure });
}

function resultOf(reply: Reply, index: number): Result {
  if (reply.kind === 'noted') return { index, status: 'accepted' };
  if (reply.kind !== 'failure') throw new Error(`an exposure was answered with ${reply.kind}`);
  const { code, message = ERRORS[code].message, details } = reply;
  const error = { code, message, ...(details === undefined ? {} : { details }) };
  return { index, status: isTemporary(code) ? 'unavailable' : 'rejected', error };
}

function conclude(results: Result[]): Answer {
  const counts: Record<Status, number> = { accepted: 0, rejected: 0, unavailable: 0 };
  for (const { status } of results) counts[status] += 1;
  const first = results.find(({ error }) => error !== undefined)?.error;
  if (counts.accepted === 0 && first !== undefined) {
    return failure(first.code, first.message, { ...first.details, results });
  }
  return jsonAnswer({ ...counts, results });
}
