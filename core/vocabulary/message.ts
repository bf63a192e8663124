import type { JsonObject, JsonText } from '../kernel/text/json.ts';

/* What a campaign shows to players. Texts and links may have placeholders, `{{attributes.name|player}}`. */

/** A button of a message. */
export interface MessageButton {
  /** Unique in its message; reports of clicks name it. */
  id: string;
  label: string;
  /** A link, or a word that the game understands, such as `dismiss`. */
  action: string;
}

/** A message of one language, or of all. */
export interface MessageContent {
  title: string;
  body: string;
  /** Label of the button; empty: none. */
  cta: string;
  /** Link to a picture. */
  image?: string;
  /** Where a tap on the message leads. */
  deepLink?: string;
  /** For the game, as it is: it has no placeholders, and is the same in all languages. */
  data?: JsonObject;
  buttons?: readonly MessageButton[];
  /** By language tag (BCP 47). */
  locales?: Readonly<Record<string, LocalizedMessage>>;
}

/** What differs in a language. Absent fields are those of the shorter tag, then those of the message. */
export interface LocalizedMessage {
  title?: string;
  body?: string;
  cta?: string;
  image?: string;
  deepLink?: string;
  /** By id of the button. */
  buttonLabels?: Readonly<Record<string, string>>;
}

/** One of several messages that are tested against each other. The first is the control. */
export interface MessageVariant {
  key: string;
  weight: number;
  /** Absent: the content of the campaign. */
  content?: MessageContent;
}

/** The test of the variants of a campaign: the latest, also after it ended. */
export interface MessageTest {
  /** The version of the campaign from which on variants are drawn so. */
  since: number;
  variants: readonly Pick<MessageVariant, 'key' | 'weight'>[];
}

/** What a campaign gives: one message, or one of several that are tested. */
export interface CampaignMessages {
  content: MessageContent;
  /** Absent: all players get the content. */
  variants?: readonly MessageVariant[];
  /** Absent: it never had variants. */
  tested?: MessageTest;
}

/** A message in the player's language, with the player's values in place of placeholders. */
export interface RenderedMessage {
  title: string;
  body: string;
  cta: string;
  image: string | null;
  deepLink: string | null;
  /** An object. */
  data: JsonText | null;
  buttons: readonly MessageButton[];
  /** The language tag of its texts; `null`: those of no language. */
  locale: string | null;
}

/** The message in answers and webhooks. `data` is spliced in, as it is JSON text already. */
export function messageJson({ title, body, cta, image, deepLink, data, buttons }: RenderedMessage): JsonText {
  const shown = buttons.map(({ id, label, action }) => ({ id, label, action }));
  const others = JSON.stringify({ title, body, cta, image, deep_link: deepLink, buttons: shown });
  return `${others.slice(0, -1)},"data":${data ?? 'null'}}`;
}
