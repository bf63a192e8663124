import { Type } from 'typebox';
import type { Labelled, Labels } from '../../../core/vocabulary/labels.ts';
import { orNull, ReadOnly } from './definition-fields.ts';
import { DEFINITION_LIMITS } from './limits.ts';

/*
 * Owner, tags and note of a definition, which people write for each other, and what else manages it. No player gets
 * another answer from them.
 */

const { ownerLength, tags, tagLength, noteLength } = DEFINITION_LIMITS;

const Owner = Type.String({
  maxLength: ownerLength,
  description:
    'Who answers for it: a person or a team. Default: empty. A change that leaves it out keeps it, a PUT too.',
});
const Tags = Type.Array(
  // Without control characters.
  Type.String({ maxLength: tagLength, pattern: '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$' }),
  {
    maxItems: tags,
    description: `Up to ${tags} tags of ${tagLength} characters. Stored in lower case, each once. A change that leaves them out keeps them.`,
  },
);
const Note = Type.String({
  maxLength: noteLength,
  description: 'What colleagues should know. Default: empty. A change that leaves it out keeps it.',
});

/**
 * In the bodies of all definitions. null sets a field to its default. Left out, they stay, in a PUT too: tools that
 * write whole definitions for players need not know them.
 */
export const LABEL_FIELDS = { owner: orNull(Owner), tags: orNull(Tags), note: orNull(Note), managed_by: ReadOnly };

/** In their responses. */
export const LABELS_SHOWN = {
  owner: Owner,
  // A letter may be longer in lower case.
  tags: Type.Array(Type.String({ description: 'A tag.' }), { description: 'Tags, in lower case.' }),
  note: Note,
  managed_by: Type.Unsafe<ManagedShown | null>({
    type: ['object', 'null'],
    description:
      'What manages the definition beside the console and this API, such as files: its next run replaces changes from ' +
      'elsewhere. null: nothing does. The header `X-Managed-By` sets it.',
    properties: {
      by: { type: 'string', description: 'Its name, such as `github.com/acme/games`.' },
      version: {
        type: 'integer',
        description: 'The version that it wrote last. If this is not the current one, the change was made elsewhere.',
      },
    },
  }),
};

interface ManagedShown {
  by: string;
  version: number;
}

export const LABELS_EXAMPLE = { owner: 'economy', tags: ['shop', 'q1'], note: '', managed_by: null };

/** The labels in a body of a definition. @param kept the labels that stay if they are not sent */
export function labelsIn(body: object, kept: Labels): Labels {
  const owner = 'owner' in body ? textIn(body.owner) : (kept.owner ?? '');
  const tags = 'tags' in body ? tagsIn(body.tags) : (kept.tags ?? []);
  const note = 'note' in body ? textIn(body.note) : (kept.note ?? '');
  return {
    ...(owner === '' ? {} : { owner }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(note === '' ? {} : { note }),
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function tagsIn(value: unknown): string[] {
  const sent: readonly unknown[] = Array.isArray(value) ? value : [];
  return [...new Set(sent.map((tag) => normalTag(String(tag))))];
}

/** A tag as it is stored and sought. */
export function normalTag(tag: string): string {
  return tag.normalize('NFC').trim().toLowerCase();
}

/** A definition with other labels. */
export function relabelled<D extends Labels>(document: D, labels: Labels): D {
  const rest: D = { ...document };
  delete rest.owner;
  delete rest.tags;
  delete rest.note;
  return { ...rest, ...labels };
}

export function labelsJson({ owner = '', tags = [], note = '', managedBy }: Labels & Pick<Labelled, 'managedBy'>) {
  const shown = managedBy === undefined ? null : { by: managedBy.by, version: managedBy.version };
  return { owner, tags: [...tags], note, managed_by: shown };
}
