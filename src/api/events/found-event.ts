import { Type, type Static } from 'typebox';
import type { Failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { PlayerId, textOrNull, timeIn, timeOut } from '../input/fields.ts';
import { invalid } from '../route/route.ts';
import type { ApiKey } from '../../access/api-key.ts';

/*
 * Filters and fields that the lists of events in ClickHouse share.
 */

/** The filters of a list of events. */
export const EventFilterFields = {
  event_name: Type.Optional(
    Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description: 'Only events with this name.' }),
  ),
  player_id: Type.Optional(PlayerId),
  from: Type.Optional(timeIn('Only events received at or after this time.')),
  to: Type.Optional(timeIn('Only events received before this time.')),
};

/** The player of a list, whose events may be those of its account. */
export const ABOUT_QUERIED_PLAYER = {
  of: ({ query }: { query: { player_id?: string } }) => query.player_id,
  put: <T extends { query: { player_id?: string } }>(input: T, player_id: string): T => ({
    ...input,
    query: { ...input.query, player_id },
  }),
};

const Wanted = Type.Object(EventFilterFields);

export interface FilterOfEvents {
  game: string;
  environment: string;
  playerId: string | undefined;
  eventName: string | undefined;
  /** Bounds of `received_at`, epoch milliseconds; the upper one is exclusive. */
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

/** The filters of a request, limited to the game and environment of its key. */
export function eventFilter(
  wanted: Static<typeof Wanted>,
  { game, environment }: Pick<ApiKey, 'game' | 'environment'>,
): FilterOfEvents | Failure {
  const sinceMs = wanted.from === undefined ? undefined : parseTimestamp(wanted.from);
  const untilMs = wanted.to === undefined ? undefined : parseTimestamp(wanted.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be after `from`' }]);
  }
  return {
    game,
    environment,
    playerId: wanted.player_id?.toLowerCase(),
    eventName: wanted.event_name,
    sinceMs,
    untilMs,
  };
}

/** Fields of an event in a response; `eventMembers` writes them. */
export const FoundEventFields = {
  event_id: Type.String({ description: 'The event_id that the sender sent or the service assigned.' }),
  event_name: Type.String({ description: 'Name of the event.' }),
  player_id: PlayerId,
  session_id: textOrNull('The session_id of the event; null if it has none.'),
  properties: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'The properties as sent.',
  }),
  timestamp: timeOut('When the event happened, according to its sender.'),
  received_at: timeOut('When the service received it.'),
};
