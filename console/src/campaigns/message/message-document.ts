import { lookupChain } from '../../../../actors/campaigns/message/language.ts';
import { templateOf } from '../../../../actors/campaigns/message/template.ts';
import { type Document, partOf, textOf } from '../../parts/drafts/document-values.ts';
import { isObject } from '../../parts/editors/json-text.ts';

/*
 * The messages of a campaign that a person may still be writing: its content, the contents of variants, and what
 * languages change of them.
 */

export const documentsIn = (value: unknown): Document[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const variantsOf = (document: Document): Document[] => documentsIn(document['variants']);

/** The content that a variant shows: its own, or that of the campaign. @param place of the variant; -1: none */
export function contentAt(document: Document, place: number): Document {
  const variant = variantsOf(document)[place];
  return variant === undefined || !isObject(variant['content'])
    ? partOf(document, 'content')
    : partOf(variant, 'content');
}

/** The document with another content where `contentAt` found it. */
export function withContent(document: Document, place: number, content: Document): Document {
  const variants = variantsOf(document);
  if (!isObject(variants[place]?.['content'])) return { ...document, content };
  return { ...document, variants: variants.map((each, at) => (at === place ? { ...each, content } : each)) };
}

/** With one more variant. The first time there are two: the campaign's own content, and a copy to change. */
export function withVariant(document: Document): Document {
  const variants = variantsOf(document);
  const first = { key: FIRST_KEY, weight: 1 };
  const held = variants.length === 0 ? [first] : variants;
  const key = KEYS.find((each) => !held.some((variant) => variant['key'] === each)) ?? '';
  return { ...document, variants: [...held, { key, weight: 1, content: { ...partOf(document, 'content') } }] };
}

const FIRST_KEY = 'control';
const KEYS = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

/** Without a variant. Of fewer than two nothing is tested: the one that is left stays. */
export function withoutVariant(document: Document, place: number): Document {
  const variants = variantsOf(document).filter((_, at) => at !== place);
  if (variants.length > 1) return { ...document, variants };
  return { ...document, content: contentAt({ ...document, variants }, 0), variants: null };
}

/** With the message of one variant for all players. */
export const withShipped = (document: Document, place: number): Document => ({
  ...document,
  content: contentAt(document, place),
  variants: null,
});

export const localesOf = (content: Document): string[] => Object.keys(partOf(content, 'locales'));

/** What a language changes; the content itself without a language. */
export const textsAt = (content: Document, locale: string): Document =>
  locale === '' ? content : partOf(partOf(content, 'locales'), locale);

export function withTexts(content: Document, locale: string, texts: Document): Document {
  if (locale === '') return texts;
  return { ...content, locales: { ...partOf(content, 'locales'), [locale]: texts } };
}

export function withoutLocale(content: Document, locale: string): Document {
  const { [locale]: _, ...locales } = partOf(content, 'locales');
  const { locales: __, ...rest } = content;
  return Object.keys(locales).length === 0 ? rest : { ...rest, locales };
}

/** A field with a text, or without it: an empty text is left out. */
export function withText(of: Document, name: string, text: string): Document {
  const { [name]: _, ...rest } = of;
  return text === '' ? rest : { ...rest, [name]: text };
}

/** What a message shows in a language: its texts, else those of the shorter tag, else those of the message. */
export interface Shown {
  title: string;
  body: string;
  cta: string;
  image: string;
  deepLink: string;
  buttons: { id: string; label: string; action: string }[];
  data: unknown;
}

export function shownIn(content: Document, locale: string): Shown {
  const locales = partOf(content, 'locales');
  const byTag = new Map(Object.keys(locales).map((tag) => [tag.toLowerCase(), partOf(locales, tag)]));
  const fitting = lookupChain(locale.toLowerCase()).flatMap((tag): Document[] => {
    const found = byTag.get(tag);
    return found === undefined ? [] : [found];
  });
  const chain = [...fitting, content];
  const read = (name: string): string => {
    const found = chain.find((one) => typeof one[name] === 'string');
    return withDefaults(textOf(found?.[name]));
  };
  const labelOf = (id: string, label: string): string => {
    const found = chain.find((one) => typeof partOf(one, 'button_labels')[id] === 'string');
    return found === undefined ? label : textOf(partOf(found, 'button_labels')[id]);
  };
  return {
    title: read('title'),
    body: read('body'),
    cta: read('cta'),
    image: read('image'),
    deepLink: read('deep_link'),
    buttons: documentsIn(content['buttons']).map(({ id, label, action }) => ({
      id: textOf(id),
      label: withDefaults(labelOf(textOf(id), textOf(label))),
      action: textOf(action),
    })),
    data: content['data'],
  };
}

/** A text as players without a value see it. Placeholders without a default stay. */
export function withDefaults(text: string): string {
  const read = templateOf(text);
  if ('fault' in read) return text;
  const parts = read.parts.map((part) => (typeof part === 'string' ? part : (part.fallback ?? `{{${part.field}}}`)));
  return parts.join('');
}
