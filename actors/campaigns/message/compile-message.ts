import type { DefinitionLookup, Subject } from '../../decision/targeting.ts';
import type { LocalizedMessage, MessageContent, RenderedMessage } from '../../../core/vocabulary/message.ts';
import { isLink } from './links.ts';
import { templateOf } from './template.ts';
import { compileTemplate, type Render } from './values.ts';

/** A message of one language, ready for any player. */
export type CompiledMessage = (subject: Subject) => RenderedMessage;

/**
 * @param chain the languages of the message that fit the player, the closest first; each says what differs
 * @param locale the tag of the closest one; null: none fits
 */
export function compileMessage(
  content: MessageContent,
  chain: readonly LocalizedMessage[],
  locale: string | null,
  lookup: DefinitionLookup | undefined,
): CompiledMessage {
  const first = <T>(read: (of: LocalizedMessage) => T | undefined): T | undefined => {
    for (const localized of chain) {
      const value = read(localized);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const text = (written: string): Render => compiled(written, lookup);
  const link = (written: string | undefined): ((subject: Subject) => string | null) =>
    written === undefined ? () => null : compiled(written, lookup, encoded);
  const title = text(first((of) => of.title) ?? content.title);
  const body = text(first((of) => of.body) ?? content.body);
  const cta = text(first((of) => of.cta) ?? content.cta);
  const image = link(first((of) => of.image) ?? content.image);
  const deepLink = link(first((of) => of.deepLink) ?? content.deepLink);
  const data = content.data === undefined ? null : JSON.stringify(content.data);
  const buttons = (content.buttons ?? []).map(({ id, label, action }) => ({
    id,
    label: text(first((of) => labelOf(of, id)) ?? label),
    action: isLink(action) ? compiled(action, lookup, encoded) : () => action,
  }));
  return (subject) => ({
    title: title(subject),
    body: body(subject),
    cta: cta(subject),
    image: image(subject),
    deepLink: deepLink(subject),
    data,
    buttons: buttons.map((button) => ({ id: button.id, label: button.label(subject), action: button.action(subject) })),
    locale,
  });
}

/** Encoding throws on half of a character. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function labelOf({ buttonLabels = {} }: LocalizedMessage, id: string): string | undefined {
  return Object.hasOwn(buttonLabels, id) ? buttonLabels[id] : undefined;
}

/** A text that is no template, as another version may have stored it, stays as it is. */
function compiled(text: string, lookup: DefinitionLookup | undefined, encode?: (value: string) => string): Render {
  const read = templateOf(text);
  return compileTemplate('fault' in read ? [text] : read.parts, lookup, encode);
}
