import { Type } from 'typebox';
import type { OverriddenPlayer } from '../../../clickhouse-schema/queries/player-pages.ts';
import { isFailure } from '../../../core/kernel/errors.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import type { FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
import { anyJson } from '../definitions/definition-fields.ts';
import { ExternalId, PlayerId, textOrNull, timeOut } from '../input/fields.ts';
import { NextCursor, PageQuery } from '../input/paging.ts';
import { placeOf, shownOf } from '../input/player-pages.ts';
import { answer } from '../route/answer.ts';
import { defineRoute } from '../route/route.ts';
import { variantOf } from './flag-overrides.ts';
import { missingFlag } from './flags.ts';

/* The route that lists the overrides of a flag, from ClickHouse. */

const Override = Type.Object(
  {
    player_id: PlayerId,
    external_id: ExternalId,
    value: anyJson('Value that the flag serves to the player.'),
    variant_key: textOrNull('Key of the variant with this value; null if there is none.'),
    set_at: timeOut('When this value was set.'),
  },
  { description: 'An override.' },
);

export const listOverrides = defineRoute({
  method: 'GET',
  path: '/v1/flags/flags/{key}/overrides',
  tag: 'Feature flags',
  summary: 'List the overrides of a flag',
  description:
    'Ordered by player id. About a second behind the live state that flag evaluation uses. The overrides of a ' +
    'disabled or archived flag are kept, and listed too.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'viewer',
  scope: 'read',
  audit: { kind: 'flag', action: 'overrides_listed', key: 'key', reads: true },
  approval: 'none',
  errors: ['FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), query: PageQuery },
  reply: {
    description: 'A page of overrides.',
    schema: Type.Object(
      { overrides: Type.Array(Override, { description: 'Overrides of this page.' }), next_cursor: NextCursor },
      { description: 'A page of overrides of a flag.' },
    ),
    example: {
      overrides: [
        {
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          external_id: 'player_12345',
          value: 'layout_b',
          variant_key: 'b',
          set_at: '2026-01-15T10:30:00.000Z',
        },
      ],
      next_cursor: null,
    },
  },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, { key: { game, environment }, services }) {
      const flag = services.config.get({ game, environment, kind: 'flag', key: params.key })?.document;
      if (flag === undefined) return missingFlag();
      const place = placeOf(query);
      if (isFailure(place)) return place;
      const { key: flagKey, variants } = flag;
      return { kind: 'question', question: { page: { game, environment, flagKey, ...place }, variants } };
    },
    read: (analytics, { page }) => analytics.flagOverrides(page),
    toAnswer(found, { page, variants }) {
      const { shown, nextCursor } = shownOf(found, page.limit);
      const overrides = shown.map((one) => overrideText(one, variants));
      return answer(`{"overrides":[${overrides.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`);
    },
  },
});

/** The value is JSON text already. */
function overrideText({ playerId, externalId, value, setAt }: OverriddenPlayer, variants: readonly FlagVariant[]) {
  const player = `"player_id":"${playerId}","external_id":${JSON.stringify(externalId)}`;
  const variantKey = JSON.stringify(variantOf(value, variants)?.key ?? null);
  return `{${player},"value":${value},"variant_key":${variantKey},"set_at":"${formatTimestamp(setAt)}"}`;
}
