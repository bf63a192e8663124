import { Text } from '@mantine/core';
import { Figures, Panel } from '../operations/panel.tsx';
import { IntervalChart } from '../parts/charts/bars.tsx';
import { percent } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import type { ScoringReport } from './scoring-report.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.scoring;
const BUCKETS = ['top_1pct', 'top_5pct', 'top_10pct', 'rest'];

type Row = ScoringReport['calibration'][number];

/** Expected beside observed, by bucket: as a picture and as a table. */
export function CalibrationPanel({ rows }: { rows: readonly Row[] }) {
  const sorted = rows.toSorted((one, other) => BUCKETS.indexOf(one.bucket) - BUCKETS.indexOf(other.bucket));
  const nameOf = ({ bucket, model_version: version }: Row): string => `${bucket} (${version})`;
  return (
    <Panel title={texts.calibration}>
      <Text size="sm" c="dimmed">
        {texts.calibrationHelp}
      </Text>
      {rows.length === 0 ? (
        <Text>{texts.noCalibration}</Text>
      ) : (
        <>
          <IntervalChart
            label={texts.calibration}
            rows={sorted.map((row) => ({
              name: nameOf(row),
              low: row.low,
              value: row.conversion_rate,
              high: row.high,
              mark: row.mean_score,
            }))}
          />
          <Text size="sm" c="dimmed">
            ○ {texts.expected} · ▮ {texts.happened} · ▬ {texts.interval}
          </Text>
          <Figures
            label={texts.calibration}
            heads={[
              texts.bucket,
              texts.devices,
              texts.buyers,
              texts.expected,
              texts.happened,
              texts.interval,
              texts.verdict,
            ]}
            rows={sorted.map((row) => ({
              key: nameOf(row),
              cells: [
                nameOf(row),
                number(row.devices),
                number(row.buyers),
                percent(row.mean_score),
                percent(row.conversion_rate),
                `${percent(row.low)} – ${percent(row.high)}`,
                verdict(row),
              ],
            }))}
          />
        </>
      )}
    </Panel>
  );
}

function verdict({ mean_score: expected, low, high }: Row): string {
  if (expected < low) return texts.tooLow;
  return expected > high ? texts.tooHigh : texts.agrees;
}

/** Two models on the same requests. */
export function ComparisonPanel({ rows }: { rows: ScoringReport['comparisons'] }) {
  if (rows.length === 0) return null;
  const brier = (own: number | null, other: number | null): string => {
    if (own === null) return TEXTS.operations.unknown;
    return `${own.toFixed(4)}${other !== null && own < other ? ` (${texts.better})` : ''}`;
  };
  return (
    <Panel title={texts.comparison}>
      <Text size="sm" c="dimmed">
        {texts.brierHelp}
      </Text>
      <Figures
        label={texts.comparison}
        heads={[
          `${texts.current} / ${texts.challenger}`,
          texts.scores,
          texts.meanScore,
          texts.difference,
          texts.sameBucket,
          texts.matured,
          `${texts.brier}: ${texts.current}`,
          `${texts.brier}: ${texts.challenger}`,
        ]}
        rows={rows.map((row) => ({
          key: `${row.champion_version} ${row.challenger_version}`,
          cells: [
            `${row.champion_version} / ${row.challenger_version}`,
            number(row.scores),
            `${row.champion_mean.toFixed(4)} / ${row.challenger_mean.toFixed(4)}`,
            row.mean_difference.toFixed(4),
            percent(row.same_bucket / row.scores),
            number(row.matured),
            brier(row.champion_brier, row.challenger_brier),
            brier(row.challenger_brier, row.champion_brier),
          ],
        }))}
      />
    </Panel>
  );
}
