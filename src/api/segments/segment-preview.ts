import { Type } from 'typebox';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';
import { answer } from '../route/answer.ts';
import { computedFaults, uncountedWarnings } from '../definitions/computed-quota.ts';
import { type NameWarning, Warnings } from '../definitions/name-warnings.ts';
import { conditionsOf } from '../definitions/definition-fields.ts';
import { ExternalId, PlayerId } from '../input/fields.ts';
import { defineRoute, invalid, readBy } from '../route/route.ts';
import { conditionFaults, exceptionFaults } from './segment-faults.ts';
import { withSegmentIds } from './segment-lookup.ts';
import { exceptions } from './segment-resource.ts';
import type { Preview } from './segment-previews.ts';

/** The route that counts the players who would be in a segment. */
export const previewSegment = defineRoute({
  method: 'POST',
  path: '/v1/segments/segments/preview',
  tag: 'Segments',
  summary: 'Count the players who match a condition',
  description:
    'Evaluates live state, at most a second old, and changes nothing. It answers within two seconds: with the exact ' +
    'number if all players were evaluated by then, else with an estimate from a random sample and its margin. At most ' +
    `${SEGMENT_API_LIMITS.previewsOfGame} previews of a game run at once.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('analyst'),
  readsOnly: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        conditions: conditionsOf('The condition of the segment.'),
        includes: Type.Optional(exceptions('Ids of players who match in any case.')),
        excludes: Type.Optional(exceptions('Ids of players who do not match in any case.')),
      },
      { additionalProperties: false, description: 'A segment that need not exist.' },
    ),
  },
  example: { conditions: { is_payer: true } },
  reply: {
    description: 'The number of matching players.',
    schema: Type.Object(
      {
        players: Type.Integer({ description: 'Number of matching players; an estimate unless `exact`.' }),
        exact: Type.Boolean({ description: 'Whether all players were evaluated.' }),
        margin: Type.Integer({
          description: 'The exact number is at most this far from `players`, with a probability of 95 %; 0 if `exact`.',
        }),
        players_evaluated: Type.Integer({ description: 'Number of evaluated players.' }),
        players_total: Type.Integer({ description: 'Number of players of this game and environment.' }),
        players_over_budget: Type.Integer({
          description: 'Number of evaluated players for whom the condition exceeded its step budget.',
        }),
        examples: Type.Array(
          Type.Object({ player_id: PlayerId, external_id: ExternalId }, { description: 'A matching player.' }),
          { description: `Some of the matching players, at most ${SEGMENT_API_LIMITS.previewExamples}.` },
        ),
        evaluation_time_ms: Type.Integer({ description: 'Time that the preview took, in milliseconds.' }),
        warnings: Warnings,
      },
      { description: 'A preview.' },
    ),
    example: {
      players: 1_200,
      exact: true,
      margin: 0,
      players_evaluated: 20_000,
      players_total: 20_000,
      players_over_budget: 0,
      examples: [{ player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', external_id: 'player_12345' }],
      evaluation_time_ms: 640,
    },
  },
  action: {
    kind: 'service',
    async call({ body }, context) {
      const { key, services } = context;
      const { includes = [], excludes = [] } = body;
      const conditions: JsonObject = withSegmentIds(body.conditions, context);
      const computing = { kind: 'segment', key: '', conditions: [conditions] } as const;
      const faults = [
        ...exceptionFaults(includes, excludes),
        ...conditionFaults(conditions, context),
        ...computedFaults(computing, '/conditions', context),
      ];
      if (faults.length > 0) return invalid(faults);
      const { game, environment } = key;
      const [found, warnings] = await Promise.all([
        services.segmentPreviews.preview({
          game,
          environment,
          conditions: JSON.stringify(conditions),
          includes: includes.map((id) => id.toLowerCase()),
          excludes: excludes.map((id) => id.toLowerCase()),
        }),
        services.nameWarnings.of({ game, environment }, [{ conditions, path: '/conditions' }]),
      ]);
      const all = [...uncountedWarnings(conditions, '/conditions', context), ...warnings];
      return found.kind === 'failure' ? found : answer(previewJson(found, all));
    },
  },
});

function previewJson(found: Preview, warnings: readonly NameWarning[]): string {
  return JSON.stringify({
    players: found.players,
    exact: found.complete,
    margin: found.margin,
    players_evaluated: found.evaluated,
    players_total: found.total,
    players_over_budget: found.overBudget,
    examples: found.examples.map(({ playerId, externalId }) => ({ player_id: playerId, external_id: externalId })),
    evaluation_time_ms: found.tookMs,
    ...(warnings.length === 0 ? {} : { warnings }),
  });
}
