import { type JsonObject, pointerPart } from '../../../core/kernel/text/json.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { MessageContent } from '../../../core/vocabulary/message.ts';
import { placeholdersOf } from '../message/template.ts';

/**
 * All that a campaign reads of players, as conditions: those of its trigger, and one that names the fields of its
 * placeholders. What definitions need, count and refer to follows from conditions.
 */
export function campaignConditions(document: CampaignDocument): readonly JsonObject[] {
  const held = known.get(document);
  if (held !== undefined) return held;
  const { trigger } = document;
  const ofTrigger = trigger.kind === 'event' && trigger.conditions !== undefined ? [trigger.conditions] : [];
  const fields = messageFields(document);
  const conditions = fields.length === 0 ? ofTrigger : [...ofTrigger, existing(fields)];
  known.set(document, conditions);
  return conditions;
}

/** By document, because what reads conditions remembers them by their identity. */
const known = new WeakMap<CampaignDocument, readonly JsonObject[]>();

const existing = (fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field, { $exists: true }]));

/** The fields that the messages of a campaign read. */
function messageFields({ content, variants = [] }: Pick<CampaignDocument, 'content' | 'variants'>): string[] {
  const contents = [content, ...variants.flatMap((variant) => variant.content ?? [])];
  const named = contents.flatMap((one) => textsOf(one)).flatMap(({ text }) => placeholdersOf(text));
  return [...new Set(named.map(({ field }) => field))];
}

/** A text of a message that may have placeholders, and its place in the content as on the wire. */
export interface MessageText {
  path: string;
  text: string;
  kind: 'text' | 'link' | 'action';
}

export function textsOf({
  title,
  body,
  cta,
  image,
  deepLink,
  buttons = [],
  locales = {},
}: MessageContent): MessageText[] {
  return [
    ...named({ title, body, cta, image, deepLink }, ''),
    ...buttons.flatMap(({ label, action }, place): MessageText[] => [
      { path: `/buttons/${place}/label`, text: label, kind: 'text' },
      { path: `/buttons/${place}/action`, text: action, kind: 'action' },
    ]),
    ...Object.entries(locales).flatMap(([tag, localized]) => [
      ...named(localized, `/locales/${pointerPart(tag)}`),
      ...Object.entries(localized.buttonLabels ?? {}).map(([id, text]): MessageText => ({
        path: `/locales/${pointerPart(tag)}/button_labels/${pointerPart(id)}`,
        text,
        kind: 'text',
      })),
    ]),
  ];
}

type Named = { [K in (typeof NAMES)[number][0]]?: string | undefined };
const NAMES = [
  ['title', 'title', 'text'],
  ['body', 'body', 'text'],
  ['cta', 'cta', 'text'],
  ['image', 'image', 'link'],
  ['deepLink', 'deep_link', 'link'],
] as const;

function named(of: Named, below: string): MessageText[] {
  return NAMES.flatMap(([field, name, kind]): MessageText[] => {
    const text = of[field];
    return text === undefined ? [] : [{ path: `${below}/${name}`, text, kind }];
  });
}
