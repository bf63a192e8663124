import { on, quantile, rate, type Dashboard } from './dashboard.ts';

export const SCORING: Dashboard = {
  uid: 'pa-scoring',
  title: 'Player analytics: scoring',
  description: 'Scores of installs, and the models that make them. Drift and calibration are on the page of the game.',
  source: 'service',
  rows: [
    {
      title: 'Models',
      panels: [
        {
          title: 'Models in use',
          description: 'By role and version. Every process should show the same.',
          kind: 'table',
          queries: [{ expr: `count by (role, version) (${on('scoring_model_info')})` }],
        },
        {
          title: 'Loads',
          description: 'A refused model changes nothing: the one before stays in use.',
          queries: [
            {
              expr: `sum by (role, outcome) (increase(${on('scoring_model_loads_total')}[$__rate_interval]))`,
              legend: '{{role}} {{outcome}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Scores',
      panels: [
        {
          title: 'Scores by bucket',
          description: 'Stored scores a second, without forced ones.',
          stacked: true,
          queries: [{ expr: rate('scoring_scores_total', 'model, bucket'), legend: '{{model}} {{bucket}}' }],
        },
        {
          title: 'Duration of a run, p99',
          description: 'Of one batch on the main thread.',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'scoring_inference_seconds', 'model'), legend: '{{model}}' }],
        },
        {
          title: 'Installs in a run',
          description: 'Average.',
          queries: [
            {
              expr: `${rate('scoring_batch_rows_sum', 'model')} / ${rate('scoring_batch_rows_count', 'model')}`,
              legend: '{{model}}',
            },
          ],
        },
      ],
    },
  ],
  noData: ['Scores need a key with the scope `scoring:write`, and a model: `npm run cli -- model list`.'],
};
