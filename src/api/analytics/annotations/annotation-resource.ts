import { Type, type Static } from 'typebox';
import { ANNOTATED_KINDS, type AnnotationDocument } from '../../../../core/vocabulary/documents/annotation.ts';
import type { ApiKey } from '../../../access/api-key.ts';
import { BasedOn, MADE_EXAMPLE, madeFields, madeJson } from '../../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../../definitions/definition-labels.ts';
import { nullable, oneOf, textOrNull, timeIn } from '../../input/fields.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';

/* The annotation resource: schemas of its bodies and responses, its JSON text and its examples. */

const Text = Type.String({
  minLength: 1,
  maxLength: ANALYTICS_LIMITS.annotationChars,
  description: 'What happened, for people.',
});

const At = timeIn("When, from 1970-01-02 to 2148-12-31. A date without a time is that day of the game's time zone.");

const Link = nullable(
  Type.Object(
    {
      kind: oneOf(ANNOTATED_KINDS, 'Kind of the definition.'),
      key: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        description:
          'Key of the flag or experiment, or id of the segment or campaign. It must exist when you write it.',
      }),
    },
    { additionalProperties: false, description: 'The definition that it is about. Default: null.' },
  ),
);

/** The body that creates an annotation. */
export const AnnotationBody = Type.Object(
  { text: Text, at: At, link: Type.Optional(Link), ...LABEL_FIELDS },
  { additionalProperties: false, description: 'An annotation.' },
);

/** The body that changes fields of an annotation. */
export const AnnotationChange = Type.Object(
  { text: Type.Optional(Text), at: Type.Optional(At), link: Type.Optional(Link), ...LABEL_FIELDS, version: BasedOn },
  { additionalProperties: false, description: 'Fields to change.' },
);
export type AnnotationChange = Static<typeof AnnotationChange>;

export const Annotation = Type.Object(
  {
    annotation_id: Type.String({ description: 'Id, `ann_` and a UUID.' }),
    text: Type.String({ description: 'What happened.' }),
    at: Type.String({ description: 'A day of the game, as `2026-01-15`, or a moment in ISO 8601, UTC.' }),
    link: Link,
    made_by: Type.Object(
      {
        kind: oneOf(['user', 'key'], 'Whether a person or an API key made it.'),
        id: Type.String({ description: 'Id of the user or key.' }),
        email: textOrNull('E-mail address of the person, for people who are signed in; otherwise null.'),
      },
      { description: 'Who made it.' },
    ),
    ...LABELS_SHOWN,
    ...madeFields('annotation'),
  },
  { description: 'A note on a day or a moment.' },
);

export const ANNOTATION_BODY_EXAMPLE = {
  text: 'Version 2.0 is in the stores',
  at: '2026-01-15',
  link: { kind: 'flag', key: 'new_shop' },
} as const;

export const ANNOTATION_EXAMPLE = {
  annotation_id: 'ann_0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b',
  ...ANNOTATION_BODY_EXAMPLE,
  made_by: { kind: 'user', id: '0198a3b2-7c4d-7e5f-8a9b-0c1d2e3f4a5c', email: 'ann@example.com' },
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

/** An annotation as JSON text. @param key the caller: only people see the addresses of people */
export function annotationJson(document: AnnotationDocument, key?: ApiKey): string {
  const { id, text, at, link, madeBy } = document;
  const isShown = madeBy.kind === 'user' && key?.user !== undefined;
  return JSON.stringify({
    annotation_id: id,
    text,
    at,
    link,
    made_by: { kind: madeBy.kind, id: madeBy.id, email: isShown ? madeBy.email : null },
    ...labelsJson(document),
    ...madeJson(document),
  });
}
