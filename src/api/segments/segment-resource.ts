import { Type, type Static } from 'typebox';
import type { SegmentDocument, SegmentList } from '../../../core/vocabulary/documents/documents.ts';
import { SEGMENT_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import {
  BasedOn,
  conditionsOf,
  CurrentKey,
  Description,
  keyOf,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { Warnings } from '../definitions/name-warnings.ts';
import { oneOf, PlayerId, timeOrNull } from '../input/fields.ts';
import type { SegmentsProgress } from '../route/request-context.ts';
import type { SegmentUse } from './segment-users.ts';

/* The segment resource: schemas of its bodies and responses, its JSON text and its examples. */

const SegmentId = Type.String({
  description: 'Id of the segment, `seg_…`. Flag rules and campaigns refer to a segment by this id.',
});
const conditions = conditionsOf(
  'Condition over attributes, lifecycle, totals, device and event counts. Players who meet it are in the segment.',
);
const enabled = Type.Boolean({
  description: 'Whether the segment is evaluated. A disabled segment has no players. Default: true.',
});

const kind = oneOf(
  ['dynamic', 'static'],
  'dynamic: the players who meet `conditions`. static: the players of a list, which `PUT …/members` loads. Default: ' +
    'dynamic. It cannot be changed.',
);
export const exceptions = (description: string) =>
  Type.Array(PlayerId, { maxItems: SEGMENT_API_LIMITS.segmentExceptions, description });
const includes = exceptions('Ids of players who are in the segment whatever the conditions or the list say.');
const excludes = exceptions('Ids of players who are not in the segment whatever the conditions or the list say.');

/**
 * The body that creates a segment. Unknown fields are refused, since a misspelt field would target the wrong players.
 */
export const SegmentBody = Type.Object(
  {
    key: Type.Optional(keyOf('Key, unique in game and environment. Default: derived from the name.')),
    name: Type.Optional(nameOf('Display name. Default: the key.')),
    conditions: Type.Optional(conditions),
    kind: Type.Optional(kind),
    includes: Type.Optional(includes),
    excludes: Type.Optional(excludes),
    description: Type.Optional(Description),
    ...LABEL_FIELDS,
    enabled: Type.Optional(enabled),
    evaluation: ReadOnly,
    used_by: ReadOnly,
  },
  { additionalProperties: false, description: 'A segment.' },
);

export type SegmentBody = Static<typeof SegmentBody>;

/** The body that replaces a segment. */
export const SegmentChange = Type.Object(
  { ...SegmentBody.properties, key: CurrentKey, version: BasedOn },
  { additionalProperties: false, description: 'A segment.' },
);

export type SegmentChange = Static<typeof SegmentChange>;

/** The parts of a segment that callers set. */
export type SegmentContent = Pick<
  SegmentDocument,
  'name' | 'description' | 'conditions' | 'enabled' | 'includes' | 'excludes'
>;

const fields = {
  segment_id: SegmentId,
  key: Type.String({ description: 'Key of the segment, used in responses and webhooks. It never changes.' }),
  name: Type.String({ description: 'Display name.' }),
  description: Description,
  kind,
  conditions: Type.Optional(conditions),
  list: Type.Optional(
    Type.Object(
      {
        players: Type.Integer({ description: 'Number of players in the list when it took effect.' }),
        loaded_at: timeOrNull('When the list took effect. ISO 8601, UTC, milliseconds; null before the first list.'),
      },
      { description: 'The list of a static segment. Single players that were added or removed later are not counted.' },
    ),
  ),
  includes,
  excludes,
  warnings: Warnings,
  enabled,
  ...LABELS_SHOWN,
  ...madeFields('segment'),
};

/** A segment in a list or in the response to a write. */
export const Segment = Type.Object(fields, { description: 'A segment.' });

/** A segment in the response to GET. */
export const SegmentWithProgress = Type.Object(
  {
    ...fields,
    used_by: Type.Object(
      {
        flags: Type.Array(Type.String(), { description: 'Keys of flags with a rule that reads the segment.' }),
        experiments: Type.Array(Type.String(), { description: 'Keys of experiments whose audience reads it.' }),
        campaigns: Type.Array(Type.String(), { description: 'Keys of campaigns for it, or triggered by it.' }),
        segments: Type.Array(Type.String(), { description: 'Keys of segments whose conditions read it.' }),
      },
      { description: 'What uses the segment. While something does, it cannot be deleted.' },
    ),
    evaluation: Type.Object(
      {
        status: oneOf(
          ['done', 'running'],
          '`running` while players are being evaluated against the latest version, or the past of a computed property ' +
            'that it reads is being counted.',
        ),
        players_evaluated: Type.Integer({ description: 'Number of players evaluated so far.' }),
        players_total: Type.Integer({ description: 'Number of players of this game and environment.' }),
        players_over_budget: Type.Integer({
          description:
            'Number of evaluated players for whom the conditions exceeded their step budget and were therefore ' +
            'false. If it is not 0, use fewer or shorter regular expressions, or shorter lists in attributes.',
        }),
      },
      {
        description: 'Progress of evaluating all players after the latest edit. Active players are evaluated at once.',
      },
    ),
  },
  { description: 'A segment with the progress of its latest edit.' },
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
  kind: 'dynamic',
  includes: [],
  excludes: [],
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

/** A segment as JSON text. `more`: what only GET of one segment shows. */
export function segmentJson(
  segment: SegmentDocument,
  more?: { progress: SegmentsProgress; usedBy: SegmentUse },
): string {
  const { list, includes = [], excludes = [] } = segment;
  return JSON.stringify({
    segment_id: segment.id,
    key: segment.key,
    name: segment.name,
    description: segment.description,
    kind: list === undefined ? 'dynamic' : 'static',
    ...(list === undefined ? { conditions: segment.conditions } : { list: listOf(list) }),
    includes,
    excludes,
    enabled: segment.enabled ?? true,
    ...labelsJson(segment),
    ...madeJson(segment),
    ...(more === undefined ? {} : { used_by: more.usedBy, evaluation: evaluationOf(more.progress) }),
  });
}

function listOf({ players, loadedAt }: SegmentList) {
  return { players, loaded_at: formatTimestampOrNull(loadedAt) };
}

function evaluationOf({ evaluated, total, done, overBudget }: SegmentsProgress) {
  return {
    status: done ? 'done' : 'running',
    players_evaluated: evaluated,
    players_total: total,
    players_over_budget: overBudget,
  };
}

/**
 * Derives a key from a name: lower-case letters without marks and digits, other characters become dashes. May be empty.
 */
export function keyFromName(name: string): string {
  const key = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .slice(0, TEXT_LIMITS.definitionKeyLength);
  // Runs of dashes are one dash by now.
  return key.slice(key.startsWith('-') ? 1 : 0, key.endsWith('-') ? -1 : undefined);
}
