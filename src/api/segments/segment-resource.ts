import { Type, type Static } from 'typebox';
import type { SegmentDocument } from '../../../actors/vocabulary/documents.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { conditionsOf, Description, keyOf, nameOf, ReadOnly } from '../definitions/definition-fields.ts';
import { timeOut } from '../fields.ts';
import type { SegmentsProgress } from '../request-context.ts';

const SegmentId = Type.String({ description: 'Id of the segment: what rules of flags name.' });
const conditions = conditionsOf(
  'Who is in it: a condition over attributes, lifecycle, totals, device and event counts.',
);
const enabled = Type.Boolean({ description: 'Whether anybody can be in it; true when left out.' });

const optional = {
  description: Type.Optional(Description),
  enabled: Type.Optional(enabled),
};

/** A segment as it is created. Unknown fields are refused: a misspelt one would target the wrong players. */
export const SegmentBody = Type.Object(
  {
    key: Type.Optional(keyOf('Unique in game and environment; made of the name when left out.')),
    name: Type.Optional(nameOf('For people; the key when left out.')),
    conditions,
    ...optional,
  },
  { additionalProperties: false, description: 'A segment.' },
);

export type SegmentBody = Static<typeof SegmentBody>;

/** A segment as it is changed: whole. */
export const SegmentChange = Type.Object(
  {
    key: Type.Optional(keyOf('As it is: a key never changes.')),
    name: Type.Optional(nameOf('For people; the key when left out.')),
    conditions,
    ...optional,
    segment_id: ReadOnly,
    version: ReadOnly,
    created_at: ReadOnly,
    updated_at: ReadOnly,
    evaluation: ReadOnly,
  },
  { additionalProperties: false, description: 'A segment.' },
);

export type SegmentChange = Static<typeof SegmentChange>;

/** What a caller decides about a segment. */
export type SegmentContent = Pick<SegmentDocument, 'name' | 'description' | 'conditions' | 'enabled'>;

const fields = {
  segment_id: SegmentId,
  key: Type.String({ description: 'By which answers name it; never changes.' }),
  name: Type.String({ description: 'For people.' }),
  description: Description,
  conditions,
  enabled,
  version: Type.Integer({ description: 'Counts changes, from 1.' }),
  created_at: timeOut('When it was created.'),
  updated_at: timeOut('When it was last changed.'),
};

/** A segment as it is shown. */
export const Segment = Type.Object(fields, { description: 'A segment.' });

/** A segment as it is shown by itself. */
export const SegmentWithProgress = Type.Object(
  {
    ...fields,
    evaluation: Type.Object(
      {
        status: Type.Unsafe<'done' | 'running'>({
          type: 'string',
          enum: ['done', 'running'],
          description: '`running` while players are evaluated against the newest version.',
        }),
        players_evaluated: Type.Integer({ description: 'Players evaluated so far.' }),
        players_total: Type.Integer({ description: 'Players of this game and environment.' }),
        players_over_budget: Type.Integer({
          description:
            'Evaluated players for whom the conditions exceeded their budget of steps and so were false. If it is not 0, use fewer ' +
            'or shorter regular expressions, or shorter lists in attributes.',
        }),
      },
      { description: 'Progress of the newest edit. Players that do something are evaluated at once, ahead of it.' },
    ),
  },
  { description: 'A segment and the progress of its newest edit.' },
);

export const SEGMENT_BODY_EXAMPLE = {
  key: 'spenders',
  name: 'Spenders',
  description: 'Bought something, and played this week.',
  conditions: { is_payer: true, 'events.match_end.count_7d': { $gte: 3 } },
  enabled: true,
};

export const SEGMENT_EXAMPLE = {
  segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
  ...SEGMENT_BODY_EXAMPLE,
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
};

/** A segment as JSON text. */
export function segmentJson(segment: SegmentDocument, progress?: SegmentsProgress): string {
  return JSON.stringify({
    segment_id: segment.id,
    key: segment.key,
    name: segment.name,
    description: segment.description,
    conditions: segment.conditions,
    enabled: segment.enabled ?? true,
    version: segment.version,
    created_at: formatTimestamp(segment.createdAt),
    updated_at: formatTimestamp(segment.updatedAt),
    ...(progress === undefined ? {} : { evaluation: evaluationOf(progress) }),
  });
}

function evaluationOf({ evaluated, total, done, overBudget }: SegmentsProgress) {
  return {
    status: done ? 'done' : 'running',
    players_evaluated: evaluated,
    players_total: total,
    players_over_budget: overBudget,
  };
}

/** A key made of a name: its letters without marks and its digits, anything between them a dash. May be empty. */
export function keyFromName(name: string): string {
  const key = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .slice(0, LIMITS.definitionKeyLength);
  // Runs of dashes are one dash by now.
  return key.slice(key.startsWith('-') ? 1 : 0, key.endsWith('-') ? -1 : undefined);
}
