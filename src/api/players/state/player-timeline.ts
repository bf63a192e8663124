import { Type } from 'typebox';
import type { TimelineEntry } from '../../../../clickhouse-schema/queries/lookups/player-timeline.ts';
import { TIMELINE_KINDS, type TimelineKind } from '../../../../clickhouse-schema/queries/lookups/timeline-parts.ts';
import { API_LIMITS } from '../../limits.ts';
import { PLAYER_API_LIMITS } from '../limits.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { answer } from '../../route/answer.ts';
import { anyJson } from '../../definitions/definition-fields.ts';
import { oneOf, PlayerId, timeOut } from '../../input/fields.ts';
import { NextCursor, NOT_A_CURSOR } from '../../input/paging.ts';
import { decodePlace, encodePlace } from '../../input/place-cursor.ts';
import { defineRoute, invalid } from '../../route/route.ts';

/* The route that lists what happened to a player, from ClickHouse. */

const Kind = oneOf(
  TIMELINE_KINDS,
  '`event`, `quarantined` (an event that violates its schema), `session` (a closed one), `purchase`, `segment` ' +
    '(entered or exited), `stage` (of the lifecycle), `exposure` (to a variant of a flag) or `campaign`.',
);

const optionalText = (description: string) => Type.Optional(Type.String({ description }));

const Entry = Type.Object(
  {
    kind: Kind,
    received_at: timeOut('When the service received or decided it.'),
    name: Type.String({
      description:
        'Of the event, the product, the segment, the flag or the campaign (keys); the new stage; the platform of a ' +
        'session. May be empty.',
    }),
    what: Type.String({
      description:
        'Source of an event (`caller`, `service`, `import`); end of a session; `recorded`, `reversed` or `refunded` (purchases); ' +
        '`entered` or `exited`; `changed`; attribution of an exposure; step of a campaign (`triggered`, `suppressed`, ' +
        '`offered`, `shown`, `clicked`, `dismissed`).',
    }),
    id: optionalText('Id of the event, session, transaction, segment or campaign; variant of an exposure.'),
    why: optionalText(
      'First schema fault of an event; reason of an exposure or suppression; the stage before; who recorded a purchase; ' +
        'app version of a session; button of a click.',
    ),
    value: Type.Optional(
      anyJson('Properties of an event, value of an exposure, currency of a purchase, cause of a campaign.'),
    ),
    number: Type.Optional(
      Type.Number({
        description:
          'Seconds of a session, amount of a purchase (negative when taken back), version of a flag, schema or campaign.',
      }),
    ),
    paid: Type.Optional(
      Type.Object(
        {
          amount: Type.Number({ description: 'Negative when taken back.' }),
          currency: Type.String({ description: 'ISO 4217 code.' }),
        },
        { description: 'What the player paid or got back in another currency, which `number` was converted from.' },
      ),
    ),
    faults: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({ description: 'JSON Pointer into the properties.' }),
            message: Type.String({ description: 'The rule that the value breaks.' }),
          },
          { description: 'A fault.' },
        ),
        { description: 'The first faults of a quarantined event.' },
      ),
    ),
  },
  { description: 'Something that happened to the player.' },
);

export const getPlayerTimeline = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/timeline',
  tag: 'Players',
  summary: 'List what happened to a player',
  description:
    'Events, sessions, purchases, segments, stages, exposures and campaigns in one list, by `received_at`, newest ' +
    'first, about a second behind. A page may be shorter than `limit`, because its size is bounded; continue until ' +
    '`next_cursor` is null. A cursor is valid only with the same `kind`.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'viewer',
  scope: 'read',
  audit: {
    kind: 'player',
    action: 'timeline_read',
    player: 'id',
    reads: true,
  },
  approval: 'none',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({ id: PlayerId }),
    query: Type.Object({
      kind: Type.Optional(
        Type.Array(Kind, {
          maxItems: TIMELINE_KINDS.length,
          description: 'Only entries of these kinds. Repeat the parameter for several. Default: all.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: PLAYER_API_LIMITS.timelineEntriesLeast,
          maximum: PLAYER_API_LIMITS.timelineEntries,
          description: `Maximum number of entries per page. Default: ${PLAYER_API_LIMITS.timelineEntriesDefault}.`,
        }),
      ),
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: API_LIMITS.cursorLength,
          description: '`next_cursor` of the previous page. Leave it out for the first page.',
        }),
      ),
    }),
  },
  reply: {
    description: 'A page of the timeline.',
    schema: Type.Object(
      { entries: Type.Array(Entry, { description: 'Entries of this page.' }), next_cursor: NextCursor },
      { description: 'A page of the timeline.' },
    ),
    example: {
      entries: [
        {
          kind: 'exposure',
          received_at: '2026-01-15T10:30:00.512Z',
          name: 'new_shop',
          what: 'served',
          id: 'b',
          why: 'percentage_rollout',
          value: 'layout_b',
          number: 3,
        },
      ],
      next_cursor: null,
    },
  },
  action: {
    kind: 'analytics',
    about: { of: ({ params }) => params.id, put: (input, id) => ({ ...input, params: { ...input.params, id } }) },
    toQuestion({ params, query }, { key }) {
      const playerId = params.id.toLowerCase();
      const kinds = TIMELINE_KINDS.filter((kind) => query.kind === undefined || query.kind.includes(kind));
      const filters = ['timeline', key.game, key.environment, playerId, kinds];
      const behind = query.cursor === undefined ? undefined : decodePlace(query.cursor, filters);
      if (query.cursor !== undefined && behind === undefined) {
        return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
      }
      const { game, environment } = key;
      const limit = query.limit ?? PLAYER_API_LIMITS.timelineEntriesDefault;
      return { kind: 'question', question: { game, environment, playerId, kinds, behind, limit, filters } };
    },
    read: (analytics, question) => analytics.lookups.timeline(question),
    toAnswer({ entries, next }, { filters }) {
      const cursor = JSON.stringify(next === undefined ? null : encodePlace(next, filters));
      return answer(`{"entries":[${entries.map(entryText).join(',')}],"next_cursor":${cursor}}`);
    },
  },
});

/** Kinds whose value is JSON text of a caller, and kinds with a number. */
const JSON_VALUES: ReadonlySet<TimelineKind> = new Set(['event', 'quarantined', 'exposure']);
const NUMBERED: ReadonlySet<TimelineKind> = new Set(['quarantined', 'session', 'purchase', 'exposure', 'campaign']);

function entryText({ kind, place, name, what, id, why, value, number, paid }: TimelineEntry): string {
  const head = JSON.stringify({
    kind,
    received_at: formatTimestamp(place.receivedMs),
    name,
    what,
    ...(id === '' ? {} : { id }),
    ...(why === '' || kind === 'quarantined' ? {} : { why }),
    ...(NUMBERED.has(kind) ? { number } : {}),
    ...(paid === 0 ? {} : { paid: { amount: paid, currency: value } }),
  });
  const faults = kind === 'quarantined' ? `,"faults":${why === '' ? '[]' : why}` : '';
  const text = JSON_VALUES.has(kind) ? value : JSON.stringify(value);
  return `${head.slice(0, -1)}${value === '' ? '' : `,"value":${text}`}${faults}}`;
}
