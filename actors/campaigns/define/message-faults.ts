import type { FieldFault } from '../../../core/kernel/errors.ts';
import { pointerPart } from '../../../core/kernel/text/json.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { MessageContent } from '../../../core/vocabulary/message.ts';
import { languageTag } from '../message/language.ts';
import { MESSAGE_LIMITS } from '../message/limits.ts';
import { actionFault, isLink, linkFault } from '../message/links.ts';
import { templateOf } from '../message/template.ts';
import { placeholderFault } from '../message/values.ts';
import { type MessageText, textsOf } from './campaign-conditions.ts';

/** The faults of the messages of a campaign that its schema cannot express, each at its place. */
export function messageFaults({ content, variants }: Pick<CampaignDocument, 'content' | 'variants'>): FieldFault[] {
  const bytes = Buffer.byteLength(JSON.stringify([content, variants ?? []]));
  if (bytes > MESSAGE_LIMITS.campaignBytes) {
    const message = `and the contents of variants are ${bytes} bytes as JSON; the maximum is ${MESSAGE_LIMITS.campaignBytes}`;
    return [{ path: '/content', message }];
  }
  return [
    ...contentFaults(content, '/content'),
    ...(variants ?? []).flatMap((variant, place) =>
      variant.content === undefined ? [] : contentFaults(variant.content, `/variants/${place}/content`),
    ),
    ...(variants === undefined ? [] : variantFaults(variants)),
  ];
}

function variantFaults(variants: NonNullable<CampaignDocument['variants']>): FieldFault[] {
  const path = '/variants';
  if (variants.length < 2) return [{ path, message: 'must have at least two variants, or be null' }];
  const keys = variants.map(({ key }) => key);
  const weightless = variants.every(({ weight }) => weight === 0);
  return [
    ...repeated(keys).map((place) => ({ path: `${path}/${place}/key`, message: 'repeats an earlier key' })),
    ...(weightless ? [{ path, message: 'must have a variant with a weight greater than 0' }] : []),
  ];
}

function contentFaults(content: MessageContent, path: string): FieldFault[] {
  const below = (fault: FieldFault): FieldFault => ({ ...fault, path: `${path}${fault.path}` });
  const { data, buttons = [], locales = {} } = content;
  const ids = buttons.map(({ id }) => id);
  const bytes = data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data));
  const tooLarge = `is ${bytes} bytes as JSON; the maximum is ${MESSAGE_LIMITS.dataBytes}`;
  return [
    ...textsOf(content).flatMap(textFaults),
    ...(bytes > MESSAGE_LIMITS.dataBytes ? [{ path: '/data', message: tooLarge }] : []),
    ...repeated(ids).map((place) => ({ path: `/buttons/${place}/id`, message: 'repeats an earlier id' })),
    ...localeFaults(locales, ids),
  ].map(below);
}

function textFaults({ path, text, kind }: MessageText): FieldFault[] {
  const read = templateOf(text);
  if ('fault' in read) return [{ path, message: read.fault }];
  const placeholders = read.parts.filter((part) => typeof part !== 'string');
  const isText = kind === 'text' || (kind === 'action' && !isLink(text));
  const most = isText ? MESSAGE_LIMITS.placeholders : MESSAGE_LIMITS.linkPlaceholders;
  if (placeholders.length > most) {
    return [{ path, message: `has ${placeholders.length} placeholders; the maximum is ${most}` }];
  }
  const fault = kind === 'link' ? linkFault(text) : kind === 'action' ? actionFault(text) : undefined;
  const messages = [...new Set(placeholders.flatMap((placeholder) => placeholderFault(placeholder) ?? []))];
  return [...(fault === undefined ? [] : [fault]), ...messages].map((message) => ({ path, message }));
}

function localeFaults(locales: NonNullable<MessageContent['locales']>, ids: readonly string[]): FieldFault[] {
  const tags = Object.keys(locales);
  const known = tags.map((tag) => languageTag(tag));
  return tags.flatMap((tag, place): FieldFault[] => {
    const path = `/locales/${pointerPart(tag)}`;
    const found = known[place];
    if (found === undefined || found.length !== tag.length) {
      return [{ path, message: 'must be a language tag (BCP 47), such as de or pt-BR' }];
    }
    if (known.indexOf(found) < place) return [{ path, message: 'repeats an earlier language' }];
    return Object.keys(locales[tag]?.buttonLabels ?? {})
      .filter((id) => !ids.includes(id))
      .map((id) => ({
        path: `${path}/button_labels/${pointerPart(id)}`,
        message: 'names no button of the message',
      }));
  });
}

/** The places of texts that were there before. */
function repeated(texts: readonly string[]): number[] {
  return texts.flatMap((text, place) => (texts.indexOf(text) < place ? [place] : []));
}
