import { Type, type Static } from 'typebox';
import type { SavedQueryDocument } from '../../../core/vocabulary/documents/saved-query.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { Description, keyOf, nameOf, BasedOn, ReadOnly } from '../definitions/definition-fields.ts';
import { nullable, timeOut } from '../input/fields.ts';
import { QueryBody } from './query-fields.ts';

/* The saved query resource: schemas of its bodies and responses, its JSON text and its examples. */

const RangeDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: ANALYTICS_LIMITS.questionRangeDays,
    description:
      'Range for whoever opens the query: this many UTC days before today, and today. `null` (default): `from` and `to` ' +
      'of the query, or their defaults.',
  }),
);

const content = {
  name: Type.Optional(nameOf('Display name. Default: the key.')),
  description: Type.Optional(Description),
  query: QueryBody,
  range_days: Type.Optional(RangeDays),
};

/** The body that creates a saved query. */
export const SavedQueryBody = Type.Object(
  { key: keyOf('Key, unique in game and environment.'), ...content },
  { additionalProperties: false, description: 'A saved query.' },
);
export type SavedQueryBody = Static<typeof SavedQueryBody>;

/** The body that replaces a saved query. */
export const SavedQueryChange = Type.Object(
  {
    key: Type.Optional(keyOf('The current key; it cannot be changed.')),
    ...content,
    version: BasedOn,
    created_at: ReadOnly,
    updated_at: ReadOnly,
  },
  { additionalProperties: false, description: 'A saved query.' },
);
export type SavedQueryChange = Static<typeof SavedQueryChange>;

export const SavedQuery = Type.Object(
  {
    key: Type.String({ description: 'Key of the query. It never changes.' }),
    name: Type.String({ description: 'Display name.' }),
    description: Description,
    query: QueryBody,
    range_days: RangeDays,
    version: Type.Integer({ description: 'Version, counted from 1.' }),
    created_at: timeOut('When the query was saved.'),
    updated_at: timeOut('When the query was last changed.'),
  },
  { description: 'A saved query.' },
);

export const SAVED_QUERY_BODY_EXAMPLE = {
  key: 'levels',
  name: 'Level-ups by country',
  description: 'For the weekly report.',
  query: { kind: 'trend', metric: 'players', event_names: ['level_up'], by: 'country' },
  range_days: 28,
} as const;

export const SAVED_QUERY_EXAMPLE = {
  ...SAVED_QUERY_BODY_EXAMPLE,
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
};

/** A saved query as JSON text. */
export function savedQueryJson(document: SavedQueryDocument): string {
  const { key, name, description, query, rangeDays, version, createdAt, updatedAt } = document;
  return JSON.stringify({
    key,
    name,
    description,
    query,
    range_days: rangeDays,
    version,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
  });
}
