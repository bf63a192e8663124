import { Type } from 'typebox';
import { periodOf } from '../../../actors/flags/periods.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import { foreseenDifferences } from '../definitions/history/differences.ts';
import { Difference } from '../definitions/history/version-resource.ts';
import { integerOrNull } from '../input/fields.ts';
import { staleFor } from '../input/if-match.ts';
import { jsonAnswer } from '../route/answer.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { EditEffect, FlagPatch } from './flag-resource.ts';
import { findFlag, flagChangedBy } from './flag-edits.ts';
import { missingFlag } from './flags.ts';
import { FLAG_API_LIMITS } from './limits.ts';

/** The route that says what an edit of a flag would do to its experiment. */
export const previewFlag = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/{key}/preview',
  tag: 'Feature flags',
  summary: 'Say what an edit of a flag would change',
  description:
    'Takes the body of a `PATCH` of the flag and changes nothing. It refuses what `PATCH` would refuse. Ask before ' +
    'you edit a running experiment: an edit that `reassigns` begins a new period, and loses the players so far.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  errors: ['FLAG_NOT_FOUND', 'PRECONDITION_FAILED'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), body: FlagPatch },
  example: { variants: [{ key: 'b', value: 'layout_b', weight: 100 }] },
  reply: {
    description: 'What the edit would do.',
    schema: Type.Object(
      {
        key: Type.String({ description: 'Key of the flag.' }),
        version: Type.Integer({ description: 'Version of the flag that would be edited.' }),
        difference: Difference,
        edit_effect: EditEffect,
        period: Type.Integer({ description: 'Number of the current period after the edit.' }),
        left_out_players: integerOrNull(
          'Players who took part so far and would be left out of the results of the new period, in every variant; 0 ' +
            'unless the edit `reassigns`. null: see `reason`.',
        ),
        reason: Type.Union(
          [
            Type.Literal('unavailable', { description: 'ClickHouse does not answer; ask again later.' }),
            Type.Null({ description: 'The number is known.' }),
          ],
          { description: 'Why `left_out_players` is null; null if it is known.' },
        ),
      },
      { description: 'The effect of an edit.' },
    ),
    example: {
      key: 'new_shop',
      version: 3,
      difference: ['Variant “b”, weight: 50 → 100'],
      edit_effect: 'reassigns',
      period: 2,
      left_out_players: 1_200,
      reason: null,
    },
  },
  action: {
    kind: 'service',
    async call({ params, body }, context) {
      const held = findFlag(params.key, context);
      if (held === undefined) return missingFlag();
      const stale = staleFor({ version: body.version }, held.version);
      if (stale !== undefined) return stale;
      const next = flagChangedBy(held, body, held, context);
      if ('kind' in next) return next;
      const [players, [difference = []]] = await Promise.all([
        next.editEffect === 'reassigns' ? takenPart(held, context) : 0,
        foreseenDifferences('flag', [{ before: held, after: next }], context),
      ]);
      return jsonAnswer({
        key: held.key,
        version: held.version,
        difference,
        edit_effect: next.editEffect ?? 'none',
        period: periodOf(next),
        left_out_players: players ?? null,
        reason: players === undefined ? 'unavailable' : null,
      });
    },
  },
});

/** Players for whom the flag drew so far; undefined: ClickHouse does not answer. */
async function takenPart(
  { key: flagKey }: FlagDocument,
  { key, services }: RequestContext,
): Promise<number | undefined> {
  const { game, environment } = key;
  const sinceMs = services.clock.wallMs() - FLAG_API_LIMITS.resultsSpanDays * DAY_MS;
  const found = await services.analytics.drawnPlayers({ game, environment, flagKey, sinceMs });
  return found.kind === 'answered' ? found.value : undefined;
}
