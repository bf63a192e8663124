import type { JsonObject } from '../../../src/kernel/json.ts';
import type { AnswerOf, Scope } from '../api.ts';
import { parseObject, prettyJson } from '../parts/json-text.ts';

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
  includes: string;
  excludes: string;
}

export const NEW_SEGMENT: EditedSegment = {
  key: '',
  kind: 'dynamic',
  name: '',
  description: '',
  enabled: true,
  conditions: '{}',
  includes: '',
  excludes: '',
};

type Content = Pick<
  Segment,
  'key' | 'kind' | 'name' | 'description' | 'enabled' | 'conditions' | 'includes' | 'excludes'
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
    includes: includes.join('\n'),
    excludes: excludes.join('\n'),
  };
}

/** The fields that people edit, as the service has them. */
export function contentOf({ name, description, enabled, conditions, includes, excludes, kind }: Segment): JsonObject {
  const rest = { name, description, enabled, includes, excludes };
  const content: JsonObject = JSON.parse(JSON.stringify(kind === 'static' ? rest : { ...rest, conditions }));
  return content;
}

/** The fields for the service; undefined: the condition is not valid yet. */
export function bodyOf(edited: EditedSegment): JsonObject | undefined {
  const { key, name, description, enabled, kind } = edited;
  const conditions = parseObject(edited.conditions);
  if (kind === 'dynamic' && conditions === undefined) return undefined;
  return {
    name: name.trim() === '' ? key : name,
    description,
    enabled,
    includes: linesOf(edited.includes),
    excludes: linesOf(edited.excludes),
    ...(kind === 'static' || conditions === undefined ? {} : { conditions }),
  };
}

/** The lines of a text that are not empty. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
