import { Badge, Text, Title } from '@mantine/core';
import { Figures } from '../../operations/panel.tsx';
import { percent } from '../../parts/charts/units.ts';
import { TEXTS } from '../../texts.ts';
import { percentText, reasonText } from '../figure-texts.ts';
import { metricName } from '../measure.ts';
import type { ExperimentResults } from './verdict.ts';

const texts = TEXTS.experiment;
const heads = texts.guardrailColumns;

type Guardrail = ExperimentResults['guardrails'][number];
type OfVariant = Guardrail['variants'][number];

/** What must not get worse, and what is known of it. */
export function GuardrailTable({ results: { guardrails } }: { results: ExperimentResults }) {
  if (guardrails.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.guardrailTitle}
      </Title>
      <Figures
        label={texts.guardrailTitle}
        heads={Object.values(heads)}
        rows={guardrails.flatMap((guardrail, place) =>
          guardrail.variants.map((variant) => ({
            key: `${place} ${variant.variant_key}`,
            cells: cellsOf(guardrail, variant),
          })),
        )}
      />
      <Text size="sm" c="dimmed">
        {texts.guardrailHelp}
      </Text>
    </section>
  );
}

function cellsOf(guardrail: Guardrail, { variant_key: key, verdict, lift, low, high, too_small: small }: OfVariant) {
  const { worse, margin, action } = guardrail;
  const reason = small === null ? TEXTS.none : reasonText(small);
  return [
    metricName(guardrail),
    key,
    percentText(lift),
    low === null || high === null ? reason : `${percentText(low)} … ${percentText(high)}`,
    texts.tolerated(texts.worses[worse], percent(margin)),
    texts.guardActions[action],
    <VerdictBadge key="state" verdict={verdict} />,
  ];
}

function VerdictBadge({ verdict }: { verdict: OfVariant['verdict'] }) {
  return (
    <Badge
      variant="outline"
      tt="none"
      miw="max-content"
      color={{ harmful: 'red', safe: 'green', undecided: 'gray' }[verdict]}
    >
      {texts.verdictsOf[verdict]}
    </Badge>
  );
}
