import { Type, type Static } from 'typebox';
import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../core/vocabulary/documents/documents.ts';
import { oneOf } from '../input/fields.ts';
import { PageQuery, type PageOrder } from '../input/paging.ts';
import { normalTag } from './definition-labels.ts';
import { DEFINITION_LIMITS } from './limits.ts';

/* How lists of definitions are filtered and sorted. */

const SORTS = ['key', 'name', 'created_at', 'updated_at'] as const;
export type Sort = (typeof SORTS)[number];

/** What a list can be asked for by `state`. */
export interface State<D> {
  description: string;
  holds: (document: D) => boolean;
  /** Whether it depends on more than the definition (`lookUp`). */
  needsLookUp?: true;
}

export type States<D> = Readonly<Record<string, State<D>>>;

/** The states of kinds that are switched on and off. */
export const SWITCHED: States<{ enabled?: boolean }> = {
  enabled: { description: 'switched on', holds: ({ enabled }) => enabled !== false },
  disabled: { description: 'switched off', holds: ({ enabled }) => enabled === false },
};

const ListFields = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(
    Type.String({
      maxLength: DEFINITION_LIMITS.searchLength,
      description:
        'Only definitions with this text in key, id, name, description, event, owner or a tag. Upper and lower case ' +
        'are alike.',
    }),
  ),
  tag: Type.Optional(
    Type.String({ maxLength: DEFINITION_LIMITS.tagLength, description: 'Only definitions with this tag.' }),
  ),
  sort: Type.Optional(oneOf(SORTS, '')),
  order: Type.Optional(oneOf(['asc', 'desc'], 'Ascending (default) or descending.')),
});

/** `state` is one of those of the kind. */
export type ListQuery = Static<typeof ListFields> & { state?: unknown };

/** The query of a list. @param first the order without `sort` */
export function listQueryOf(first: Sort, states: readonly (readonly [string, string])[]) {
  const named = states.map(([name, description]) => `\`${name}\`: ${description}`).join('; ');
  const values = states.map(([name]) => name);
  return Type.Object({
    ...ListFields.properties,
    sort: Type.Optional(
      oneOf(
        SORTS,
        `Order of the list. Default: \`${first}\`. \`name\` ignores case, and its first ` +
          `${DEFINITION_LIMITS.sortedLength} characters count. A definition that changes between two pages moves to its ` +
          'new place; all others are on exactly one page.',
      ),
    ),
    ...(values.length === 0 ? {} : { state: Type.Optional(oneOf(values, `Only these. ${named}.`)) }),
  });
}

/** Whether a definition has the sought text and tag. */
export function isFound(document: object, { search, tag }: Pick<ListQuery, 'search' | 'tag'>): boolean {
  const tags = textsOf('tags' in document ? document.tags : undefined);
  if (tag !== undefined && !tags.includes(normalTag(tag))) return false;
  const sought = search?.trim().toLowerCase() ?? '';
  if (sought === '') return true;
  const texts = Object.entries(document).flatMap(([name, value]) => (SEARCHED.has(name) ? textsOf(value) : []));
  return [...texts, ...tags].some((text) => text.toLowerCase().includes(sought));
}

const SEARCHED: ReadonlySet<string> = new Set([
  'id',
  'key',
  'name',
  'description',
  'event',
  'eventName',
  'text',
  'owner',
]);

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The place of a definition in a list, ended by its id, which makes it unique. */
export function placeIn<K extends DefinitionKind>(
  sort: Sort,
  of: { id: (document: Documents[K]) => string; key: (document: Documents[K]) => string },
): (document: Documents[K]) => string {
  return (document) => `${valueOf(sort, document, of.key)}\0${of.id(document)}`;
}

function valueOf<K extends DefinitionKind>(
  sort: Sort,
  document: Documents[K],
  keyOf: (document: Documents[K]) => string,
): string {
  switch (sort) {
    case 'key':
      return keyOf(document);
    case 'name':
      return sortable('name' in document ? document.name : 'text' in document ? document.text : keyOf(document));
    case 'created_at':
      return timeText(document.createdAt);
    case 'updated_at':
      return timeText(document.updatedAt ?? document.createdAt);
  }
}

function sortable(name: string): string {
  return name.toLowerCase().slice(0, DEFINITION_LIMITS.sortedLength).toWellFormed();
}

const timeText = (ms: number): string => String(ms).padStart(16, '0');

/** @param first the order without `sort` */
export function orderOf({ sort, order = 'asc' }: ListQuery, first: Sort): PageOrder & { sort: Sort } {
  return { sort: sort ?? first, isDescending: order === 'desc', name: `${sort ?? first} ${order}` };
}
