import { Type } from 'typebox';
import type { CampaignArm, CampaignReport, CampaignStep } from '../../../clickhouse-schema/queries/campaign-report.ts';
import { relativeLift, type Sample, sharesOf } from '../../analysis/comparison.ts';
import { intervalsOf } from '../../analysis/experiment-results.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { jsonAnswer } from '../route/answer.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { nullable, numberOrNull, textOrNull } from '../input/fields.ts';
import { TooSmallOrNull } from '../input/too-small.ts';
import { NO_PLAYERS, revenueOf, VariantResults, variantResults } from './variant-results.ts';

/* The route that returns the funnel of a campaign beside its holdout, and why messages were suppressed. */

const DEFAULT_WINDOW_HOURS = 168;

const ResultsQuery = Type.Object({
  conversion_event: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.nameLength,
      description: 'Name of the event that counts as converted. Default: none, then `converted` is 0.',
    }),
  ),
  window_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.resultsWindowDays * 24,
      description:
        `Hours in which events and purchases count, from when the campaign would first have given the player ` +
        `something. Default: ${DEFAULT_WINDOW_HOURS} (7 days).`,
    }),
  ),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Step = Type.Object(
  { players: count('Players.'), times: count('How often.') },
  { description: 'How often something happened, and to how many players.' },
);

const Suppressed = Type.Object(
  {
    reason: Type.String({
      description:
        'Why: `cap_total`, `cap_per_day`, `cooldown`, `cap_all_campaigns`, `waiting_full`, `holdout`, or `not_eligible` ' +
        '(at delivery the player was not in the audience any more, or did not meet the conditions).',
    }),
    players: count('Players.'),
    times: count('Times, at most once per player and UTC day; of messages that were withdrawn, each.'),
  },
  { description: 'A reason of suppression.' },
);

const Compared = Type.Object(
  {
    treatment: numberOrNull('Figure of the players who got messages; null without players.'),
    holdout: numberOrNull('Figure of the holdout; null without players.'),
    lift: numberOrNull('(treatment − holdout) / holdout; null if it cannot be computed.'),
    low: numberOrNull('Lower end of the 95 % interval of the lift.'),
    high: numberOrNull('Upper end of the 95 % interval of the lift.'),
    p_value: numberOrNull('p-value of no difference, for one look.'),
    too_small: TooSmallOrNull,
  },
  { description: 'Treatment beside holdout.' },
);

const Arm = Type.Object(
  {
    players: count('Players.'),
    inside: count('Players whose window is not over.'),
    converted: count('Players with the conversion event.'),
    payers: count('Players with a purchase.'),
    revenue: Type.Number({ description: "Revenue in the game's currency, less what was refunded of it." }),
    gross_revenue: Type.Number({ description: 'The same without refunds.' }),
  },
  { description: 'The players of one arm.' },
);

const ButtonShown = Type.Object(
  {
    button: textOrNull('Id of the button; null: the game named none.'),
    variant: textOrNull('The variant of the message; null: it had none.'),
    players: count('Players.'),
    times: count('Clicks.'),
  },
  { description: 'Clicks on a button.' },
);

const Results = Type.Object(
  {
    campaign_id: Type.String({ description: 'Id of the campaign.' }),
    conversion_event: textOrNull('The conversion event; null: none.'),
    window_hours: Type.Integer({ description: 'Window of each player, hours.' }),
    steps: Type.Object(
      {
        triggered: Type.Object(Step.properties, { description: 'Messages created.' }),
        sent: Type.Object(Step.properties, { description: 'Messages delivered by a sync.' }),
        shown: Type.Object(Step.properties, { description: 'Messages that the game reported as shown.' }),
        clicked: Type.Object(Step.properties, { description: 'Messages that were clicked.' }),
        dismissed: Type.Object(Step.properties, { description: 'Messages that were closed without a click.' }),
      },
      { description: 'The steps of a message.' },
    ),
    suppressed: Type.Array(Suppressed, { description: 'Why players got no message, the most frequent reason first.' }),
    buttons: Type.Array(ButtonShown, { description: 'What was clicked, the most frequent first.' }),
    variants: VariantResults,
    arms: nullable(
      Type.Object(
        {
          treatment: Type.Object(Arm.properties, { description: 'Players who got a message.' }),
          holdout: Type.Object(Arm.properties, { description: 'Players who were held out.' }),
        },
        { description: 'Both arms; null in the test environment.' },
      ),
    ),
    comparison: nullable(
      Type.Object(
        {
          conversion_rate: Type.Object(Compared.properties, { description: 'Share of players who converted.' }),
          payer_rate: Type.Object(Compared.properties, { description: 'Share of players who bought.' }),
          revenue_per_player: Type.Object(Compared.properties, { description: 'Revenue per player.' }),
        },
        { description: 'The arms compared; null in the test environment.' },
      ),
    ),
  },
  { description: 'The results of a campaign.' },
);

const UNEVEN = { low: null, high: null, p_value: null, too_small: 'uneven' };

export const getCampaignResults = defineRoute({
  method: 'GET',
  path: '/v1/campaigns/campaigns/{id}/results',
  tag: 'Campaigns',
  summary: 'Get the funnel of a campaign beside its holdout, and why messages were suppressed',
  description:
    'Counts from ClickHouse, about a second behind. The arms are those of `campaign_readout`: a player belongs to one ' +
    'from the first time that the campaign would have given it something, and players of both arms count in neither. ' +
    'Intervals are for one look at a time chosen in advance. A deleted campaign keeps its results.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ id: Type.String({ description: 'Id of the campaign.' }) }), query: ResultsQuery },
  reply: {
    description: 'The results.',
    schema: Results,
    example: {
      campaign_id: 'cmp_019bc0de-1234-7abc-8def-0123456789ab',
      conversion_event: 'level_up',
      window_hours: 168,
      steps: {
        triggered: { players: 900, times: 1_200 },
        sent: { players: 850, times: 1_000 },
        shown: { players: 800, times: 930 },
        clicked: { players: 210, times: 220 },
        dismissed: { players: 400, times: 450 },
      },
      buttons: [{ button: 'take', variant: null, players: 210, times: 220 }],
      variants: null,
      suppressed: [{ reason: 'holdout', players: 100, times: 140 }],
      arms: {
        treatment: { players: 900, inside: 40, converted: 300, payers: 30, revenue: 150, gross_revenue: 155 },
        holdout: { players: 100, inside: 4, converted: 25, payers: 2, revenue: 10, gross_revenue: 10 },
      },
      comparison: {
        conversion_rate: {
          treatment: 0.333,
          holdout: 0.25,
          lift: 0.333,
          low: -0.038,
          high: 1.004,
          p_value: 0.087,
          too_small: null,
        },
        payer_rate: { treatment: 0.033, holdout: 0.02, lift: 0.667, ...UNEVEN },
        revenue_per_player: { treatment: 0.167, holdout: 0.1, lift: 0.667, ...UNEVEN },
      },
    },
  },
  action: {
    kind: 'analytics',
    toQuestion({ params: { id }, query }, { key: { game, environment }, services }) {
      const held = services.config.get({ game, environment, kind: 'campaign', key: id })?.document;
      const isKnown = held !== undefined;
      // Deleted campaigns have rows; other ids have none.
      if (!isKnown && !id.startsWith('cmp_')) return failure('NOT_FOUND', 'The campaign does not exist.');
      const { conversion_event: event = '', window_hours: hours = DEFAULT_WINDOW_HOURS } = query;
      const about = { game, environment, campaignId: id, conversionEvent: event, windowHours: hours };
      const question = { ...about, variantsSince: held?.tested?.since ?? 0 };
      return { kind: 'question', question: { ...question, isKnown, tested: held?.tested } };
    },
    read: (analytics, question) => analytics.campaignReport(question),
    toAnswer(report, { campaignId, conversionEvent, windowHours, isKnown, tested }) {
      if (!isKnown && report.steps.length === 0) return failure('NOT_FOUND', 'The campaign does not exist.');
      const about = {
        campaign_id: campaignId,
        conversion_event: conversionEvent === '' ? null : conversionEvent,
        window_hours: windowHours,
      };
      const hasEvent = conversionEvent !== '';
      const variants = variantResults(report, tested, hasEvent);
      return jsonAnswer({ ...about, ...resultsOf(report, hasEvent), variants });
    },
  },
});

function resultsOf({ steps, buttons, arms }: CampaignReport, hasEvent: boolean) {
  const step = (event: string) => {
    const found = steps.find((one) => one.event === event);
    return { players: found?.players ?? 0, times: found?.times ?? 0 };
  };
  const suppressed = steps
    .filter(({ event }) => event === 'suppressed')
    .toSorted((one, other) => other.players - one.players)
    .map(({ reason, players, times }: CampaignStep) => ({ reason, players, times }));
  const arm = (wanted: 'treatment' | 'holdout') => arms.find((one) => one.arm === wanted) ?? NO_PLAYERS;
  const [treatment, holdout] = [arm('treatment'), arm('holdout')];
  return {
    steps: {
      triggered: step('triggered'),
      sent: step('offered'),
      shown: step('shown'),
      clicked: step('clicked'),
      dismissed: step('dismissed'),
    },
    buttons: buttons.map(({ button, variant, ...counts }) => ({
      button: button === '' ? null : button,
      variant: variant === '' ? null : variant,
      ...counts,
    })),
    suppressed,
    arms: arms.length === 0 ? null : { treatment: shownArm(treatment), holdout: shownArm(holdout) },
    comparison:
      arms.length === 0
        ? null
        : {
            conversion_rate: hasEvent
              ? compared(sharesOf(treatment.players, treatment.converted), sharesOf(holdout.players, holdout.converted))
              : UNKNOWN,
            payer_rate: compared(
              sharesOf(treatment.players, treatment.payers),
              sharesOf(holdout.players, holdout.payers),
            ),
            revenue_per_player: compared(revenueOf(treatment), revenueOf(holdout)),
          },
  };
}

const UNKNOWN = { treatment: null, holdout: null, lift: null, low: null, high: null, p_value: null, too_small: null };

const shownArm = ({ players, inside, converted, payers, revenue, grossRevenue }: Omit<CampaignArm, 'arm'>) => ({
  players,
  inside,
  converted,
  payers,
  revenue,
  gross_revenue: grossRevenue,
});

function compared(treatment: Sample, holdout: Sample) {
  const { interval } = intervalsOf(holdout, treatment);
  return {
    treatment: treatment.players === 0 ? null : treatment.mean,
    holdout: holdout.players === 0 ? null : holdout.mean,
    lift: relativeLift(holdout, treatment) ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p_value: interval?.pValue ?? null,
    too_small: interval?.tooSmall ?? null,
  };
}
