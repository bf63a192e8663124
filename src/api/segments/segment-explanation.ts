import { Type } from 'typebox';
import { compileCondition } from '../../../actors/conditions/compile-condition.ts';
import { metered } from '../../../actors/conditions/steps.ts';
import { formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { jsonAnswer } from '../route/answer.ts';
import { conditionsOf } from '../definitions/definition-fields.ts';
import { computedFaults } from '../definitions/computed-quota.ts';
import { ExplainedTests, testsJson } from '../explain/explained-tests.ts';
import { definitionLookup, stateOf, subjectOf } from '../explain/current-targeting.ts';
import { PlayerId, timeOrNull } from '../input/fields.ts';
import { defineRoute, invalid, readBy } from '../route/route.ts';
import { conditionFaults } from './segment-faults.ts';
import { withSegmentIds } from './segment-lookup.ts';

/** The route that tests one player against a condition. */
export const explainSegment = defineRoute({
  method: 'POST',
  path: '/v1/segments/segments/explain',
  tag: 'Segments',
  summary: 'Test one player against a condition',
  description:
    'Evaluates live state and changes nothing. The answer says which parts of the condition hold, with the values ' +
    'that they read. With `segment_id` it also says whether the player is in that segment now.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        player_id: PlayerId,
        conditions: conditionsOf('The condition, which need not be that of a segment.'),
        segment_id: Type.Optional(Type.String({ description: 'Id of a segment whose membership is of interest.' })),
      },
      { additionalProperties: false, description: 'A player and a condition.' },
    ),
  },
  example: { player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', conditions: { is_payer: true } },
  reply: {
    description: 'The result.',
    schema: Type.Object(
      {
        matches: Type.Boolean({ description: 'Whether the player meets the condition. Exceptions do not count.' }),
        member_since: timeOrNull(
          'When the player entered the segment `segment_id`, ISO 8601, UTC, milliseconds; null if it is not in it.',
        ),
        tests: ExplainedTests,
      },
      { description: 'A tested player.' },
    ),
    example: {
      matches: true,
      member_since: null,
      tests: [{ path: '/is_payer', name: 'is_payer', holds: true, value: true }],
    },
  },
  action: {
    kind: 'service',
    async call({ body }, context) {
      const conditions: JsonObject = withSegmentIds(body.conditions, context);
      const computing = { kind: 'segment', key: '', conditions: [conditions] } as const;
      const faults = [...conditionFaults(conditions, context), ...computedFaults(computing, '/conditions', context)];
      if (faults.length > 0) return invalid(faults);
      const compiled = compileCondition(conditions, { lookup: definitionLookup(context) });
      if (compiled.kind === 'invalid') return invalid(compiled.faults);
      const found = await stateOf(body.player_id.toLowerCase(), context);
      if (found.kind === 'failure') return found;
      const subject = subjectOf(found.player, context.services.clock.wallMs(), undefined);
      const { holds, tests } = metered(() => compiled.explain(subject));
      const membership = found.player.segments.find(({ segmentId }) => segmentId === body.segment_id);
      return jsonAnswer({
        matches: holds,
        member_since: formatTimestampOrNull(membership?.since),
        tests: testsJson(tests),
      });
    },
  },
});
