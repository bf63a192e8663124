import { Button, Group, Text } from '@mantine/core';
import { Figures, Panel, State } from '../operations/panel.tsx';
import { PairedBars } from '../parts/charts/bars.tsx';
import { percent } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import type { ScoringReport } from './scoring-report.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.scoring;
const [STABLE, MOVED] = [0.1, 0.25];

type Row = ScoringReport['drift'][number];

interface DriftPanelProps {
  rows: readonly Row[];
  /** Key of the input whose distribution is shown; null: the one that drifted most. */
  shown: string | null;
  onShow: (key: string) => void;
}

const keyOf = ({ measure, model_version: version }: Row): string => `${measure}@${version}`;

/** Every input beside what the model learned from, the one that drifted most first. */
export function DriftPanel({ rows, shown, onShow }: DriftPanelProps) {
  const sorted = rows.toSorted((one, other) => other.psi - one.psi);
  const current = sorted.find((row) => keyOf(row) === shown) ?? sorted[0];
  return (
    <Panel title={texts.drift}>
      <Text size="sm" c="dimmed">
        {texts.driftHelp}
      </Text>
      {current === undefined ? (
        <Text>{texts.noDrift}</Text>
      ) : (
        <>
          <Figures
            label={texts.drift}
            heads={[texts.measure, texts.version, texts.devices, texts.psi, texts.state, texts.day]}
            rows={sorted.map((row) => ({
              key: keyOf(row),
              cells: [
                <Button
                  key="measure"
                  size="compact-xs"
                  variant="default"
                  aria-pressed={row === current}
                  aria-label={texts.choose(row.measure)}
                  onClick={() => onShow(keyOf(row))}
                >
                  {row.measure}
                </Button>,
                row.model_version,
                number(row.devices),
                row.psi.toFixed(3),
                <DriftState key="state" row={row} />,
                row.days.map(({ day, psi }) => `${day.slice(5)}: ${psi.toFixed(2)}`).join(', '),
              ],
            }))}
          />
          <Distribution row={current} />
        </>
      )}
    </Panel>
  );
}

/** Chance alone gives about (bins − 1) / devices, so few devices say nothing. */
function DriftState({ row: { psi, devices, shares } }: { row: Row }) {
  if ((shares.length - 1) / devices >= STABLE) return <Text size="sm">{texts.fewDevices}</Text>;
  if (psi > MOVED) return <State ok={false} label={texts.drifted} />;
  return psi > STABLE ? <State ok={false} label={texts.moving} /> : <State ok label={texts.stable} />;
}

function Distribution({ row }: { row: Row }) {
  const { measure, edges, shares, reference_shares: reference } = row;
  const bins = shares.map((now, place) => ({ name: binName(edges, place), now, reference: reference[place] ?? 0 }));
  return (
    <section aria-label={texts.bins(measure)}>
      <Text fw={600} size="sm">
        {texts.bins(measure)}
      </Text>
      <PairedBars bins={bins} label={texts.bins(measure)} />
      <Group gap="md" my={4}>
        <Text size="sm">
          <span className="legend-now" />
          {texts.now}
        </Text>
        <Text size="sm">
          <span className="legend-reference" />
          {texts.reference}
        </Text>
      </Group>
      <Figures
        label={texts.bins(measure)}
        heads={[texts.bin, texts.now, texts.reference]}
        rows={bins.map(({ name, now, reference: learned }) => ({
          key: name,
          cells: [name, percent(now), percent(learned)],
        }))}
      />
    </section>
  );
}

function binName(edges: readonly number[], place: number): string {
  const edge = edges[place];
  return edge === undefined ? texts.over(shortNumber(edges.at(-1) ?? 0)) : texts.upTo(shortNumber(edge));
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
