import { Type } from 'typebox';
import { messageJson } from '../../../core/vocabulary/message.ts';
import type { Intervention } from '../../../core/vocabulary/commands/replies.ts';
import { Button } from '../campaigns/message-fields.ts';
import { textOrNull } from '../input/fields.ts';

/* An intervention as game clients get it. */

/** The message of an intervention, or of an explanation. */
export const Message = Type.Object(
  {
    title: Type.String({ description: 'Title.' }),
    body: Type.String({ description: 'Text.' }),
    cta: Type.String({ description: 'Label of the one button; empty for none.' }),
    image: textOrNull('Link to the picture; null: none.'),
    deep_link: textOrNull('Where a tap on the message leads; null: nowhere.'),
    buttons: Type.Array(Button, { description: 'The buttons, in their order.' }),
    data: Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      description: 'What the campaign says for the game, such as a reward; null: nothing.',
    }),
  },
  { description: 'Texts in the language of the player, to be shown as text: they may have what other players wrote.' },
);

export const InterventionShape = Type.Object(
  {
    intervention_id: Type.String({
      description:
        'Id of the intervention. Send it as `intervention_id` in the events `intervention_shown`, ' +
        '`intervention_clicked` (with `button_id`) and `intervention_dismissed`.',
    }),
    type: Type.String({ description: 'Always `in_app_message`.' }),
    campaign: Type.Object(
      {
        key: Type.String({ description: 'Key of the campaign.' }),
        version: Type.Integer({ description: 'Version of the campaign whose content this is.' }),
      },
      { description: 'The campaign.' },
    ),
    variant: textOrNull('Key of the variant that the player was drawn for; null: the campaign has none.'),
    locale: textOrNull('Language tag of the texts, as the campaign has it; null: those of no language.'),
    content: Message,
    display_rules: Type.Object(
      {
        priority: Type.String({ description: 'Priority from the campaign, for example `high`.' }),
        dismiss_after_seconds: Type.Integer({ description: 'Seconds after which to hide it; 0 means never.' }),
      },
      { description: 'How to show the content.' },
    ),
  },
  { description: 'An intervention to show to the player.' },
);

export function interventionJson(intervention: Intervention): string {
  const { interventionId, type, campaign, variant, content, displayRules } = intervention;
  const { priority, dismissAfterSeconds } = displayRules;
  const about = JSON.stringify({
    intervention_id: interventionId,
    type,
    campaign: { key: campaign.key, version: campaign.version },
    variant,
    locale: content.locale,
    display_rules: { priority, dismiss_after_seconds: dismissAfterSeconds },
  });
  return `${about.slice(0, -1)},"content":${messageJson(content)}}`;
}

export const INTERVENTION_EXAMPLE = {
  intervention_id: 'int_5a3e6f0f-8d7b-5c39-9a43-0d6f0e9c2b11',
  type: 'in_app_message',
  campaign: { key: 'stuck_at_ten', version: 3 },
  variant: null,
  locale: 'de',
  content: {
    title: 'Hängst du fest, Ada?',
    body: 'Nimm drei Leben.',
    cta: '',
    image: null,
    deep_link: null,
    buttons: [{ id: 'take', label: 'Nehmen', action: 'game://lives' }],
    data: { reward: 'life', amount: 3 },
  },
  display_rules: { priority: 'high', dismiss_after_seconds: 10 },
};
