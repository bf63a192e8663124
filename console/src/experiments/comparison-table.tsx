import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ExperimentMetricName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { percent } from '../parts/charts/units.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { TEXTS } from '../texts.ts';
import {
  ControlBadge,
  FigureCells,
  figureHeads,
  mostOf,
  type SequentialFigures,
  type VariantFigures,
  Verdict,
} from './figures.tsx';

const texts = TEXTS.results;

interface ComparisonTableProps {
  label: string;
  /** The control first. */
  variants: readonly VariantFigures[];
  /** The comparisons that hold at any time. */
  sequential: readonly SequentialFigures[];
  aggregate: ExperimentMetricName;
  confidence?: number;
  /** A further column, such as a button for each variant. */
  last?: { head: string; cell: (variant: string) => ReactNode } | undefined;
}

/** The variants of a flag or an experiment by one metric. */
export function ComparisonTable({ label, variants, sequential, aggregate, confidence, last }: ComparisonTableProps) {
  const most = mostOf([...variants, ...sequential]);
  return (
    <ScrollRegion label={label}>
      <Table aria-label={label} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {[texts.columns.variant, ...figureHeads(confidence), ...(last === undefined ? [] : [last.head])].map(
              (head) => (
                <Table.Th key={head}>{head}</Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {variants.map((variant, place) => {
            const anytime = sequential.find(({ variant_key: key }) => key === variant.variant_key);
            return (
              <Table.Tr key={variant.variant_key}>
                <Table.Th scope="row">
                  {variant.variant_key} {place === 0 ? <ControlBadge /> : <Verdict anytime={anytime} />}
                </Table.Th>
                <FigureCells variant={variant} anytime={anytime} aggregate={aggregate} most={most} />
                {last === undefined ? null : <Table.Td>{last.cell(variant.variant_key)}</Table.Td>}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

interface Treated {
  cap: number | null;
  cuped: { variance_reduction: number | null } | null;
}

/** What was done to the values before they were compared. */
export function Treatment({ of: { cap, cuped } }: { of: Treated }) {
  return (
    <>
      {cap === null ? null : <Text size="sm">{texts.capped(cap.toPrecision(4))}</Text>}
      {cuped === null ? null : <Text size="sm">{texts.cuped(percent(cuped.variance_reduction ?? 0))}</Text>}
    </>
  );
}
