import { Type, type Static } from 'typebox';
import type { FoundEvent } from '../../../clickhouse-schema/queries/stored-event.ts';
import type { Failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp, parseTimestamp } from '../../kernel/timestamp.ts';
import { PlayerId, timeIn, timeOut } from '../fields.ts';
import { invalid } from '../route.ts';
import type { ApiKey } from '../api-key.ts';

/** What lists of events in ClickHouse share: which are asked for, and how one is told. */

/** Which events: fields of a query, or of a body. */
export const EventFilterFields = {
  event_name: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'Only events of this name.' }),
  ),
  player_id: Type.Optional(PlayerId),
  from: Type.Optional(timeIn('Only events the service received then or later.')),
  to: Type.Optional(timeIn('Only events the service received before.')),
};

const Wanted = Type.Object(EventFilterFields);

export interface FilterOfEvents {
  game: string;
  environment: string;
  playerId: string | undefined;
  eventName: string | undefined;
  /** Bounds of `received_at`, epoch milliseconds, the upper one exclusive. */
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

/** What a caller asks for, in its own game and environment. */
export function eventFilter(
  wanted: Static<typeof Wanted>,
  { game, environment }: Pick<ApiKey, 'game' | 'environment'>,
): FilterOfEvents | Failure {
  const sinceMs = wanted.from === undefined ? undefined : parseTimestamp(wanted.from);
  const untilMs = wanted.to === undefined ? undefined : parseTimestamp(wanted.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be later than from' }]);
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

/** An event as it is shown. */
export const FoundEventFields = {
  event_id: Type.String({ description: "The caller's event_id, or the one assigned." }),
  event_name: Type.String({ description: 'Event type identifier.' }),
  player_id: PlayerId,
  session_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The session the event was sent with; null without one.',
  }),
  properties: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'The properties, as they were sent.',
  }),
  timestamp: timeOut('When the event happened, as its sender says.'),
  received_at: timeOut('When the service received it.'),
};

/** Its members as JSON text, without braces. `properties` is spliced in as the text it is. */
export function eventMembers(event: FoundEvent): string {
  return (
    `"event_id":${JSON.stringify(event.eventId)},"event_name":${JSON.stringify(event.eventName)},` +
    `"player_id":${JSON.stringify(event.playerId)},"session_id":${JSON.stringify(event.sessionId)},` +
    `"properties":${event.properties},"timestamp":"${formatTimestamp(event.timestamp)}",` +
    `"received_at":"${formatTimestamp(event.receivedAt)}"`
  );
}
