import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';

/** Where a condition stands, which decides the fields that it may name. */
export type ConditionPlace = 'segment' | 'flag' | 'campaign' | 'event';

const PLAYER_FIELDS = [
  'external_id',
  'lifecycle_stage',
  'session_count',
  'total_revenue',
  'is_payer',
  'purchase_count',
  'total_playtime_seconds',
  'days_since_first_seen',
  'days_since_last_seen',
  'platform',
  'os_version',
  'app_version',
  'build',
  'device_model',
] as const;
const MEASURES = ['count_1d', 'count_7d', 'count_30d', 'last_days_ago'] as const;
/** Names that change rarely. */
const STALE_MS = 60_000;

/** The names of events that occur, the most frequent first. */
export function useEventNames(): readonly string[] {
  const { scope } = usePlace();
  const { data } = useQuery({
    queryKey: ['dictionary', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/dictionary', { signal }),
    staleTime: STALE_MS,
  });
  return data?.events.map(({ event_name: name }) => name) ?? [];
}

/** The properties that the newest events of a name have. None while the name is not one that occurs. */
export function useEventProperties(eventName: string): readonly string[] {
  const { scope } = usePlace();
  const isKnown = useEventNames().includes(eventName);
  const { data } = useQuery({
    queryKey: ['dictionary', scope.game, scope.environment, eventName],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/dictionary', { query: { event_name: eventName }, signal }),
    staleTime: STALE_MS,
    enabled: isKnown,
    placeholderData: keepPreviousData,
  });
  return isKnown ? (data?.events[0]?.properties ?? []).map(({ name }) => name) : [];
}

/** The fields to suggest. `eventName`: the events whose properties a filter names. */
export function useFieldNames(place: ConditionPlace, eventName: string): readonly string[] {
  const { scope } = usePlace();
  const events = useEventNames();
  const properties = useEventProperties(place === 'event' || place === 'campaign' ? eventName : '');
  const ofEvent = properties.map((name) => `properties.${name}`);
  const { data } = useQuery({
    queryKey: ['properties', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/properties/properties', { query: { limit: 500 }, signal }),
    staleTime: STALE_MS,
  });
  if (place === 'event') return ofEvent;
  return [
    ...(place === 'campaign' ? ofEvent : []),
    ...PLAYER_FIELDS,
    ...(data?.properties.map(({ key }) => `computed.${key}`) ?? []),
    ...events.flatMap((name) => MEASURES.map((measure) => `events.${name}.${measure}`)),
  ];
}
