import { namesOf } from './metrics.ts';
import type { Dimension, Source } from './metric.ts';

const ALL: readonly Source[] = ['events', 'sessions', 'purchases', 'player_days', 'first_days'];

/** Values of a row that figures are split and filtered by. Their SQL has the same names. */
export const DIMENSIONS = {
  event_name: { title: 'Event name', words: 'Name of the event.', sources: ['events'] },
  country: {
    title: 'Country',
    words: 'Of an event: as it was then. Otherwise of the player on that day; of new players on the first day.',
    sources: ['events', 'sessions', 'purchases', 'player_days', 'first_days'],
  },
  platform: {
    title: 'Platform',
    words: 'Of an event or a session: its own. Otherwise of the player on that day; of new players on the first day.',
    sources: ['events', 'sessions', 'purchases', 'player_days', 'first_days'],
  },
  app_version: {
    title: 'App version',
    words: 'Of an event or a session: its own. Otherwise of the player on that day; of new players on the first day.',
    sources: ['events', 'sessions', 'purchases', 'player_days', 'first_days'],
  },
  build: { title: 'Build', words: 'Build of the version, of an event or a session.', sources: ['events', 'sessions'] },
  lifecycle_stage: {
    title: 'Lifecycle stage',
    words: 'Stage of the player when the event came.',
    sources: ['events'],
  },
  is_payer: {
    title: 'Payer',
    words: '`true` if the player had paid when the event came, otherwise `false`.',
    sources: ['events'],
  },
  source: { title: 'Source', words: 'Who made the event: `caller`, `service` or `import`.', sources: ['events'] },
  key_kind: {
    title: 'Kind of key',
    words: '`client` or `server`: the API key that sent the event; empty for the service and imports.',
    sources: ['events'],
  },
  end_reason: { title: 'End of the session', words: 'Why the session ended.', sources: ['sessions'] },
  currency: { title: 'Currency', words: 'What the player paid in.', sources: ['purchases'] },
  product_id: { title: 'Product', words: 'What the player bought.', sources: ['purchases'] },
  recorded_by: {
    title: 'Recorded by',
    words: 'Who reported the purchase: `client`, `server` or `import`.',
    sources: ['purchases'],
  },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES: readonly DimensionName[] = namesOf(DIMENSIONS);

/** Dimensions whose names go on behind a colon. */
export const NAMED_DIMENSIONS = {
  property: {
    title: 'Property',
    words: 'A property of the event by its path, keys joined by dots: `property:item.price`.',
    sources: ['events'],
  },
  attribute: {
    title: 'Attribute',
    words: 'An attribute that the player has now, by its path: `attribute:clan`.',
    sources: ALL,
  },
  segment: {
    title: 'Segment',
    words: '`true` for players who are in the segment with this key now, otherwise `false`: `segment:whales`.',
    sources: ALL,
  },
} as const satisfies Record<string, Dimension>;

export type NamedDimension = keyof typeof NAMED_DIMENSIONS;
export const NAMED_DIMENSION_NAMES: readonly NamedDimension[] = namesOf(NAMED_DIMENSIONS);

/** The columns that the rows of a source have. */
export function columnsOf(source: Source): DimensionName[] {
  return DIMENSION_NAMES.filter((name) => {
    const { sources }: Dimension = DIMENSIONS[name];
    return sources.includes(source);
  });
}
