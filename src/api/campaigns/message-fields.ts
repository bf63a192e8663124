import { Type, type Static } from 'typebox';
import { BUTTON_ID, MESSAGE_LIMITS } from '../../../actors/campaigns/message/limits.ts';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type {
  LocalizedMessage,
  MessageContent,
  MessageTest,
  MessageVariant,
} from '../../../core/vocabulary/message.ts';
import { freeForm } from '../input/fields.ts';
import { CAMPAIGN_API_LIMITS } from './limits.ts';

/* The messages of a campaign: schemas, and what they are as documents and as JSON. */

const text = (description: string, minLength: number, maxLength: number) =>
  Type.String({ minLength, maxLength, description });
const Title = text('Title. It may have placeholders.', 1, CAMPAIGN_API_LIMITS.interventionTitleLength);
const Text = text('Text. It may have placeholders.', 1, CAMPAIGN_API_LIMITS.interventionBodyLength);
const Cta = text(
  'Label of the button of a message that needs only one. An empty label (default) means no such button.',
  0,
  CAMPAIGN_API_LIMITS.interventionCtaLength,
);
const link = (description: string) =>
  text(`${description} A link with its scheme; placeholders may stand behind its host.`, 1, MESSAGE_LIMITS.linkLength);
const Image = link('Picture.');
const DeepLink = link('Where a tap on the message leads.');
const ButtonId = Type.String({
  minLength: 1,
  maxLength: MESSAGE_LIMITS.buttonIdLength,
  pattern: BUTTON_ID,
  description: 'Id of the button, unique in the message. Reports of clicks and results name it.',
});
const Label = text('Label. It may have placeholders.', 1, MESSAGE_LIMITS.buttonLabelLength);

/** The buttons of a message, also of a delivered one. */
export const Button = Type.Object(
  {
    id: ButtonId,
    label: Label,
    action: Type.Optional(
      text(
        'What a click does: a link, or a word that the game understands. Default: `dismiss`.',
        1,
        MESSAGE_LIMITS.linkLength,
      ),
    ),
  },
  { additionalProperties: false, description: 'A button.' },
);

const Locale = Type.Object(
  {
    title: Type.Optional(Title),
    body: Type.Optional(Text),
    cta: Type.Optional(Cta),
    image: Type.Optional(Image),
    deep_link: Type.Optional(DeepLink),
    button_labels: Type.Optional(
      Type.Record(Type.String({ maxLength: MESSAGE_LIMITS.buttonIdLength }), Label, {
        maxProperties: MESSAGE_LIMITS.buttons,
        description: 'Labels by id of the button.',
      }),
    ),
  },
  { additionalProperties: false, description: 'What differs in this language. Other fields are those of the message.' },
);

type Locale = Static<typeof Locale>;

export const Content = Type.Object(
  {
    title: Title,
    body: Text,
    cta: Type.Optional(Cta),
    image: Type.Optional(Image),
    deep_link: Type.Optional(DeepLink),
    data: Type.Optional(
      Type.Unsafe<JsonObject>(
        freeForm(
          `An object for the game, such as a reward, delivered as it is: without placeholders, the same in all ` +
            `languages. At most ${MESSAGE_LIMITS.dataBytes} bytes as JSON.`,
        ),
      ),
    ),
    buttons: Type.Optional(
      Type.Array(Button, { maxItems: MESSAGE_LIMITS.buttons, description: 'Buttons, in their order.' }),
    ),
    locales: Type.Optional(
      Type.Record(Type.String({ maxLength: MESSAGE_LIMITS.localeLength }), Locale, {
        maxProperties: MESSAGE_LIMITS.locales,
        description:
          'By language tag (BCP 47). A player of `de-AT` gets `de-AT`, else `de`, else the message itself. The language ' +
          'is the attribute `language`, else `locale`, else `device_info.locale` of the latest init.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Content that the player sees.' },
);
type Content = Static<typeof Content>;

const Key = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.definitionKeyLength,
  description: 'Key of the variant, unique in the campaign. The first variant is the control.',
});
const Weight = Type.Number({
  minimum: 0,
  maximum: FLAG_LIMITS.flagWeight,
  description: 'Share of players, relative to the sum of all weights.',
});

export const Variants = Type.Array(
  Type.Object(
    {
      key: Key,
      weight: Weight,
      content: Type.Optional(
        Type.Object(Content.properties, {
          additionalProperties: false,
          description: 'Its whole message. Default: the content of the campaign.',
        }),
      ),
    },
    { additionalProperties: false, description: 'A message that is tested against others.' },
  ),
  {
    maxItems: MESSAGE_LIMITS.variants,
    description:
      'Messages that are tested against each other, at least two. Each player outside of the holdout is drawn for one ' +
      'by weight, and stays there while keys and weights stay. null (default): all players get `content`.',
  },
);

export type Variants = Static<typeof Variants>;

export const Tested = Type.Object(
  {
    since: Type.Integer({ description: 'Version of the campaign from which on keys and weights are these.' }),
    variants: Type.Array(Type.Object({ key: Key, weight: Weight }, { description: 'A variant with its weight.' }), {
      description: 'The variants.',
    }),
  },
  { description: 'The latest test of variants, whose results you get. It stays when the test ends.' },
);

export function contentOf(sent: Content): MessageContent {
  const { title, body, cta = '', data, buttons = [], locales = {} } = sent;
  return {
    title,
    body,
    cta,
    ...linksOf(sent),
    ...(data === undefined ? {} : { data }),
    ...(buttons.length === 0
      ? {}
      : { buttons: buttons.map(({ id, label, action = 'dismiss' }) => ({ id, label, action })) }),
    ...(Object.keys(locales).length === 0 ? {} : { locales: mapped(locales, localeOf) }),
  };
}

const linksOf = ({ image, deep_link: deepLink }: Pick<Content, 'image' | 'deep_link'>) => ({
  ...(image === undefined ? {} : { image }),
  ...(deepLink === undefined ? {} : { deepLink }),
});

function localeOf(sent: Locale): LocalizedMessage {
  const { button_labels: buttonLabels } = sent;
  return { ...textsOf(sent), ...linksOf(sent), ...(buttonLabels === undefined ? {} : { buttonLabels }) };
}

const textsOf = ({ title, body, cta }: LocalizedMessage) => ({
  ...(title === undefined ? {} : { title }),
  ...(body === undefined ? {} : { body }),
  ...(cta === undefined ? {} : { cta }),
});

export function variantsOf(sent: Variants): MessageVariant[] {
  return sent.map(({ key, weight, content }) => ({
    key,
    weight,
    ...(content === undefined ? {} : { content: contentOf(content) }),
  }));
}

export function contentJson(content: MessageContent): Content {
  const { title, body, cta, data, buttons, locales } = content;
  return {
    title,
    body,
    cta,
    ...linksJson(content),
    ...(data === undefined ? {} : { data }),
    ...(buttons === undefined ? {} : { buttons: buttons.map(({ id, label, action }) => ({ id, label, action })) }),
    ...(locales === undefined ? {} : { locales: mapped(locales, localeJson) }),
  };
}

const linksJson = ({ image, deepLink }: Pick<MessageContent, 'image' | 'deepLink'>) => ({
  ...(image === undefined ? {} : { image }),
  ...(deepLink === undefined ? {} : { deep_link: deepLink }),
});

function localeJson(localized: LocalizedMessage): Locale {
  const { buttonLabels } = localized;
  const labels = buttonLabels === undefined ? {} : { button_labels: { ...buttonLabels } };
  return { ...textsOf(localized), ...linksJson(localized), ...labels };
}

export function variantsJson(variants: readonly MessageVariant[]): Variants {
  return variants.map(({ key, weight, content }) => ({
    key,
    weight,
    ...(content === undefined ? {} : { content: contentJson(content) }),
  }));
}

export const testedJson = ({ since, variants }: MessageTest): Static<typeof Tested> => ({
  since,
  variants: variants.map(({ key, weight }) => ({ key, weight })),
});

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (one: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, one]) => [name, change(one)]));
}

export const CONTENT_EXAMPLE = {
  title: 'Stuck, {{attributes.name|player}}?',
  body: 'Here is a hint, and a life.',
  cta: '',
  image: 'https://cdn.example.com/hint.png',
  deep_link: 'game://hints/10',
  data: { reward: 'life', amount: 1 },
  buttons: [
    { id: 'take', label: 'Take it', action: 'game://hints/10' },
    { id: 'later', label: 'Later', action: 'dismiss' },
  ],
  locales: { de: { title: 'Hängst du fest, {{attributes.name|du}}?', button_labels: { take: 'Nehmen' } } },
};
