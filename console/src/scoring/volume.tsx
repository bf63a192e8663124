import { Panel } from '../operations/panel.tsx';
import { DataTable } from '../parts/lists/data-table.tsx';
import { number } from '../parts/lists/values.tsx';
import type { ScoringReport } from './scoring-report.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.scoring;

/** Scores by day, model and bucket. */
export function VolumePanel({ rows }: { rows: ScoringReport['scores'] }) {
  return (
    <Panel title={texts.volume}>
      <DataTable
        label={texts.volume}
        rows={rows.toReversed()}
        keyOf={({ day, model_version: version, bucket }) => `${day} ${version} ${bucket}`}
        columns={[
          { id: 'day', label: texts.day, cell: ({ day }) => day, sortBy: ({ day }) => day },
          { id: 'version', label: texts.version, cell: ({ model_version: version }) => version },
          { id: 'bucket', label: texts.bucket, cell: ({ bucket }) => bucket, sortBy: ({ bucket }) => bucket },
          {
            id: 'scores',
            label: texts.scores,
            align: 'right',
            cell: ({ scores }) => number(scores),
            sortBy: ({ scores }) => scores,
          },
          {
            id: 'devices',
            label: texts.devices,
            align: 'right',
            cell: ({ devices }) => number(devices),
            sortBy: ({ devices }) => devices,
          },
          {
            id: 'mean',
            label: texts.meanScore,
            align: 'right',
            cell: ({ mean_score: mean }) => mean.toFixed(4),
            sortBy: ({ mean_score: mean }) => mean,
          },
        ]}
      />
    </Panel>
  );
}
