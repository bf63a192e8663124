import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { AnswerOf, Scope } from '../frame/api.ts';
import { unfinishedOf } from '../conditions/unfinished.ts';
import { parseObject, prettyJson } from '../parts/editors/json-text.ts';
import { type Labels, labelsOf, NO_LABELS } from '../parts/labels/labels.ts';

/* A segment as a person edits it: the condition and the ids are texts, which need not be valid yet. */

export type Segment = AnswerOf<'GET /v1/segments/segments/{id}'>;

export const segmentQuery = ({ game, environment }: Scope, id: string): string[] => ['segment', game, environment, id];

export interface EditedSegment {
  /** Of a new segment only. */
  key: string;
  kind: 'dynamic' | 'static';
  name: string;
  description: string;
  enabled: boolean;
  conditions: string;
  /** Whether a person has said that an empty condition means all players. */
  everybody: boolean;
  includes: string;
  excludes: string;
  labels: Labels;
}

export const NEW_SEGMENT: EditedSegment = {
  key: '',
  kind: 'dynamic',
  name: '',
  description: '',
  enabled: true,
  conditions: '{}',
  everybody: false,
  includes: '',
  excludes: '',
  labels: NO_LABELS,
};

type Content = Pick<
  Segment,
  'key' | 'kind' | 'name' | 'description' | 'enabled' | 'conditions' | 'includes' | 'excludes' | keyof Labels
>;

export function editedOf(segment: Content): EditedSegment {
  const { key, kind, name, description, enabled, conditions = {}, includes, excludes } = segment;
  return {
    key,
    kind,
    name,
    description,
    enabled,
    conditions: prettyJson(conditions),
    everybody: true,
    includes: includes.join('\n'),
    excludes: excludes.join('\n'),
    labels: labelsOf(segment),
  };
}

/** The fields that people edit, as the service has them. */
export function contentOf(segment: Segment): JsonObject {
  const { name, description, enabled, conditions, includes, excludes, kind } = segment;
  const rest = { name, description, enabled, includes, excludes, ...labelsOf(segment) };
  const content: JsonObject = JSON.parse(JSON.stringify(kind === 'static' ? rest : { ...rest, conditions }));
  return content;
}

/** The fields for the service; undefined: the condition is not valid or not finished yet. */
export function bodyOf(edited: EditedSegment): JsonObject | undefined {
  const { key, name, description, enabled, kind } = edited;
  const conditions = parseObject(edited.conditions);
  if (kind === 'dynamic' && !isFinished(conditions, edited.everybody)) return undefined;
  return {
    name: name.trim() === '' ? key : name,
    description,
    enabled,
    includes: linesOf(edited.includes),
    excludes: linesOf(edited.excludes),
    owner: edited.labels.owner,
    tags: [...edited.labels.tags],
    note: edited.labels.note,
    ...(kind === 'static' || conditions === undefined ? {} : { conditions }),
  };
}

function isFinished(conditions: JsonObject | undefined, everybody: boolean): boolean {
  if (conditions === undefined) return false;
  return Object.keys(conditions).length === 0 ? everybody : unfinishedOf(conditions).length === 0;
}

/** The lines of a text that are not empty. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
