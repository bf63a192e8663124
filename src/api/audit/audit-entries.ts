import { Type, type Static } from 'typebox';
import type { AuditQuery, EntryPlace, FoundEntry } from '../../../clickhouse-schema/queries/audit-query.ts';
import { eventNameOf, eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { AUDIT_ENTRY_LIMITS } from '../../../streams/audit/limits.ts';
import { formatTimestamp, parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer, type Answer } from '../route/answer.ts';
import { oneOf, textOrNull, timeIn, timeOut } from '../input/fields.ts';
import { NextCursor, NOT_A_CURSOR } from '../input/paging.ts';
import { digestOf } from '../input/place-cursor.ts';
import { invalid } from '../route/route.ts';

/* The list of audit entries: its filters, its pages and its entries. */

const OUTCOMES = ['begun', 'stored', 'refused', 'unknown'] as const;
const Outcome = oneOf(
  OUTCOMES,
  '`stored`: the change is in effect. `refused`: it was not made. `unknown`: the service did not learn whether it ' +
    'was made. `begun`: the same, because the process ended, or the outcome is about to be written.',
);

const filter = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: API_LIMITS.auditFilterLength, description }));

export const EntriesQuery = Type.Object({
  kind: filter('Only entries about things of this kind, such as `flag`, `webhook`, `key`, `user` or `player`.'),
  key: filter('Only entries about the thing with this key or id; of an event schema, the name of its events.'),
  action: filter('Only entries with this action, such as `created`, `changed` or `deleted`.'),
  actor: filter('Only entries of this user (e-mail address or id), API key (id) or account of the command line.'),
  player_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only entries about this player.' })),
  outcome: Type.Optional(Outcome),
  from: Type.Optional(timeIn('Only entries at or after this time.')),
  to: Type.Optional(timeIn('Only entries before this time.')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.auditPageItems,
      description: `Maximum number of entries per page, 1 to ${API_LIMITS.auditPageItems}. Default: 50.`,
    }),
  ),
  cursor: filter('`next_cursor` of the previous page. Leave it out for the first page.'),
});

const contents = (description: string) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    description:
      `${description} Secrets are hidden. Above ${AUDIT_ENTRY_LIMITS.auditDocumentBytes} bytes it has only the fields that ` +
      'changed, and of large ones `$left_out_bytes`. Null if there was none.',
  });

const Entry = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry.' }),
    at: timeOut('When the change was made.'),
    environment: textOrNull('`live` or `test`; null if the thing belongs to both.'),
    actor: Type.Object(
      {
        kind: oneOf(
          ['user', 'key', 'cli', 'service'],
          '`user`: a person in the console. `key`: an API key. `cli`: an operator’s command. `service`: the service ' +
            'itself, such as a guardrail of an experiment.',
        ),
        id: Type.String({ description: 'Id of the user or key; the operator’s account; the part of the service.' }),
        email: textOrNull('E-mail address of the user; null for others.'),
        network: Type.String({
          description: 'IPv4 address, or first half of the IPv6 address, of the request; host of the command.',
        }),
      },
      { description: 'Who made the change, and from where.' },
    ),
    kind: Type.String({ description: 'Kind of the thing, such as `flag`, `webhook`, `key`, `user` or `player`.' }),
    key: Type.String({ description: 'Key or id of the thing; of an event schema, the name of its events.' }),
    action: Type.String({ description: 'What happened to it.' }),
    player_id: textOrNull('The player that the change is about; null if there is none.'),
    before: contents('The thing before the change.'),
    after: contents('The thing after the change, or what the request said.'),
    reason: textOrNull('The reason that came with the change (`X-Change-Reason`); null: none.'),
    outcome: Outcome,
  },
  { description: 'A change.' },
);

export const EntriesPage = {
  statuses: [200] as const,
  description: 'A page of entries.',
  schema: Type.Object(
    { entries: Type.Array(Entry, { description: 'Entries of this page.' }), next_cursor: NextCursor },
    { description: 'A page of audit entries.' },
  ),
  example: {
    entries: [
      {
        id: '019bc0de-1234-7abc-8def-0123456789ab',
        at: '2026-01-15T10:30:00.000Z',
        environment: 'live',
        actor: {
          kind: 'user',
          id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b',
          email: 'ann@example.com',
          network: '203.0.113.7',
        },
        kind: 'flag',
        key: 'new_shop',
        action: 'enabled',
        player_id: null,
        before: { key: 'new_shop', enabled: false, version: 3 },
        after: { key: 'new_shop', enabled: true, version: 4 },
        reason: 'The shop is ready.',
        outcome: 'stored',
      },
    ],
    next_cursor: null,
  },
};

/** What a request asks for. `filters` bind a cursor to its list. */
export interface EntriesQuestion {
  query: AuditQuery;
  filters: readonly unknown[];
  limit: number;
}

export function entriesQuestion(
  { game, environment }: Pick<AuditQuery, 'game' | 'environment'>,
  query: Static<typeof EntriesQuery>,
): { kind: 'question'; question: EntriesQuestion } | Failure {
  const { kind, key, action, actor, outcome, cursor, limit = API_LIMITS.pageItemsDefault } = query;
  const playerId = query.player_id?.toLowerCase();
  const sinceMs = query.from === undefined ? undefined : parseTimestamp(query.from);
  const untilMs = query.to === undefined ? undefined : parseTimestamp(query.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be after `from`' }]);
  }
  const filters = ['audit', game, environment, kind, key, action, actor, playerId, outcome, sinceMs, untilMs];
  const behind = cursor === undefined ? undefined : decodeCursor(cursor, filters);
  if (cursor !== undefined && behind === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
  return {
    kind: 'question',
    question: {
      // One extra row shows whether there is another page.
      query: {
        game,
        environment,
        kind,
        key,
        schemaKey: key === undefined ? undefined : eventSchemaKey(key),
        action,
        playerId,
        outcome,
        sinceMs,
        untilMs,
        behind,
        actor: actor?.includes('@') === true ? actor.toLowerCase() : actor,
        limit: limit + 1,
      },
      filters,
      limit,
    },
  };
}

export function entriesAnswer(found: readonly FoundEntry[], { filters, limit }: EntriesQuestion): Answer {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = last === undefined || found.length <= limit ? null : encodeCursor(last, filters);
  // The contents are JSON texts already.
  const entries = shown.map((entry) => {
    const head = JSON.stringify(entryHead(entry)).slice(0, -1);
    return `${head},"before":${orNull(entry.before)},"after":${orNull(entry.after)}}`;
  });
  return answer(`{"entries":[${entries.join(',')}],"next_cursor":${JSON.stringify(next)}}`);
}

function entryHead(entry: FoundEntry) {
  const { actorKind, actorId, actor, network } = entry;
  return {
    id: entry.id,
    at: formatTimestamp(entry.at),
    environment: entry.environment === '_' ? null : entry.environment,
    actor: { kind: actorKind, id: actorId, email: actor === '' ? null : actor, network },
    kind: entry.kind,
    key: entry.kind === 'event_schema' ? eventNameOf(entry.key) : entry.key,
    action: entry.action,
    player_id: entry.playerId === '' ? null : entry.playerId,
    reason: entry.reason === '' ? null : entry.reason,
    outcome: entry.outcome,
  };
}

const orNull = (json: string): string => (json === '' ? 'null' : json);

function encodeCursor({ at, id }: EntryPlace, filters: readonly unknown[]): string {
  return Buffer.from(`${at} ${id} ${digestOf(filters)}`).toString('base64url');
}

function decodeCursor(cursor: string, filters: readonly unknown[]): EntryPlace | undefined {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const place = { at: Number(at), id };
  const valid = Number.isSafeInteger(place.at) && place.at >= 0 && id.length === 36;
  return valid && encodeCursor(place, filters) === cursor ? place : undefined;
}
