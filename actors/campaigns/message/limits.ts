/** Bounds of messages, and of what players' values add to them. */
export const MESSAGE_LIMITS = {
  /** Placeholders in one text. With their values a body has 3,000 characters at most. */
  placeholders: 10,
  /**
   * Placeholders in one link. An encoded value has up to 900 characters: 32 messages with all links at their maximum
   * stay below 3 MB, which fits `brokerPayloadBytes` and `commitBytes`.
   */
  linkPlaceholders: 3,
  /** A player's value in a text, in characters: a longer one is cut. */
  valueLength: 100,
  /** A link, or the action of a button, in characters. */
  linkLength: 500,
  /** Buttons of one message: a phone's screen has room for no more. */
  buttons: 4,
  buttonIdLength: 64,
  buttonLabelLength: 100,
  /** `data` as JSON in UTF-8. Each sync may deliver 32 messages. */
  dataBytes: 4 * 1024,
  /** Languages of one message. */
  locales: 40,
  localeLength: 35,
  /** Messages of one campaign that are tested against each other. */
  variants: 8,
  /** All messages of one campaign together, as JSON in UTF-8. Every process holds all campaigns. */
  campaignBytes: 128 * 1024,
  /** Compiled messages that a campaign holds: all variants in all languages. */
  compiled: 8 * 41,
  /**
   * Characters of all messages in the facts of one command: a record must stay below `commitBytes`. Messages beyond it
   * are rendered when they are delivered, and their webhooks have no content.
   */
  charsPerCommand: 250_000,
} as const;

const ID = /^[A-Za-z0-9_.-]+$/;
/** What the id of a button consists of, as a pattern. */
export const BUTTON_ID = ID.source;

export function isButtonId(text: string): boolean {
  return text.length <= MESSAGE_LIMITS.buttonIdLength && ID.test(text);
}
