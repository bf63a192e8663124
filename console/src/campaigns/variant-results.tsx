import { Alert, Card, Text, Title } from '@mantine/core';
import type { AnswerOf } from '../frame/api.ts';
import { Figures } from '../operations/panel.tsx';
import { percent } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.campaign;
const FIGURES = ['click_rate', 'conversion_rate', 'payer_rate', 'revenue_per_player'] as const;

type Results = AnswerOf<'GET /v1/campaigns/campaigns/{id}/results'>;
type Variants = NonNullable<Results['variants']>;
type Figure = Variants['variants'][number]['figures'][(typeof FIGURES)[number]];

/** What players clicked. */
export function Clicks({ buttons }: { buttons: Results['buttons'] }) {
  if (buttons.length === 0) return null;
  return (
    <Card withBorder component="section" aria-label={texts.clicks}>
      <Title order={2} size="h5">
        {texts.clicks}
      </Title>
      <Figures
        label={texts.clicks}
        heads={[texts.button, texts.variant, texts.players, texts.times]}
        rows={buttons.map(({ button, variant, players, times }) => ({
          key: `${variant} ${button}`,
          cells: [button ?? texts.noButton, variant ?? texts.unknown, number(players), number(times)],
        }))}
      />
    </Card>
  );
}

/** The variants of the latest test, compared with the first one. */
export function VariantsBeside({ results: { control, sample_ratio: ratio, variants } }: { results: Variants }) {
  const rows = variants.flatMap(({ variant, players, figures }) =>
    FIGURES.filter((name) => figures[name].value !== null).map((name) => ({
      key: `${variant} ${name}`,
      cells: [
        variant,
        number(players),
        texts.variantFigures[name],
        valueText(name, figures[name].value),
        ...differenceOf(figures[name]),
      ],
    })),
  );
  return (
    <Card withBorder component="section" aria-label={texts.besideControl}>
      <Title order={2} size="h5">
        {texts.besideControl}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.besideControlHelp(control)}
      </Text>
      {ratio.mismatch ? (
        <Alert color="red" variant="outline" role="status">
          {texts.mismatch}
        </Alert>
      ) : null}
      <Figures
        label={texts.besideControl}
        heads={[
          texts.variant,
          texts.players,
          texts.figure,
          texts.value,
          texts.lift,
          texts.interval,
          texts.pValue,
          texts.differs,
        ]}
        rows={rows}
      />
    </Card>
  );
}

function valueText(name: (typeof FIGURES)[number], value: number | null): string {
  if (value === null) return texts.unknown;
  return name === 'revenue_per_player' ? value.toFixed(2) : percent(value);
}

function differenceOf({ lift, low, high, p_adjusted: p, decision }: Figure): string[] {
  const signed = (value: number): string => `${value > 0 ? '+' : ''}${percent(value)}`;
  return [
    lift === null ? texts.unknown : signed(lift),
    low === null || high === null ? texts.unknown : `${signed(low)} … ${signed(high)}`,
    p === null ? texts.unknown : p.toFixed(3),
    decision === null ? texts.unknown : texts.decisions[decision],
  ];
}
