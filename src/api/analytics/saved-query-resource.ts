import { Type, type Static } from 'typebox';
import type { SavedQueryDocument } from '../../../core/vocabulary/documents/saved-query.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import {
  BasedOn,
  CurrentKey,
  Description,
  keyOf,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { nullable } from '../input/fields.ts';
import { QueryBody } from './query-fields.ts';

/* The saved query resource: schemas of its bodies and responses, its JSON text and its examples. */

const RangeDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: ANALYTICS_LIMITS.questionRangeDays,
    description:
      'Range for whoever opens the query: this many days before today, and today. `null` (default): `from` and `to` ' +
      'of the query, or their defaults.',
  }),
);

/** The body that creates a saved query. */
export const SavedQueryBody = Type.Object(
  {
    key: keyOf('Key, unique in game and environment.'),
    name: Type.Optional(nameOf('Display name. Default: the key.')),
    description: Type.Optional(Description),
    ...LABEL_FIELDS,
    query: QueryBody,
    range_days: Type.Optional(RangeDays),
  },
  { additionalProperties: false, description: 'A saved query.' },
);
export type SavedQueryBody = Static<typeof SavedQueryBody>;

/** The body that replaces a saved query. */
export const SavedQueryChange = Type.Object(
  { ...SavedQueryBody.properties, key: CurrentKey, version: BasedOn },
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
    ...LABELS_SHOWN,
    ...madeFields('query'),
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
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

/** A saved query as JSON text. */
export function savedQueryJson(document: SavedQueryDocument): string {
  const { key, name, description, query, rangeDays } = document;
  return JSON.stringify({
    key,
    name,
    description,
    query,
    range_days: rangeDays,
    ...labelsJson(document),
    ...madeJson(document),
  });
}
