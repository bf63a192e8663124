/*
 * The metrics of experiments, declared once: the API, its documents, the console and the statement in ClickHouse are
 * made of them. A metric has one value for each player; the player is the unit of the comparison.
 */

export const EXPERIMENT_FIELDS = ['metric', 'property', 'per_metric', 'per_property', 'day', 'quantile'] as const;
export type ExperimentField = (typeof EXPERIMENT_FIELDS)[number];

export const EXPERIMENT_OPTIONS = ['winsorize', 'cuped'] as const;
export type ExperimentOption = (typeof EXPERIMENT_OPTIONS)[number];

export interface ExperimentMetric {
  readonly title: string;
  /** What is counted of a player; without the time, which is the window after its first exposure. */
  readonly words: string;
  readonly unit: 'share' | 'count' | 'money' | 'number';
  readonly needs: readonly ExperimentField[];
  readonly takes: readonly ExperimentField[];
  readonly options: readonly ExperimentOption[];
  /** Whether the view `experiment_readout` has it too; its SQL is in clickhouse-schema/views/flags.sql. */
  readonly inView?: true;
}

export const EXPERIMENT_METRICS = {
  conversion: {
    title: 'Conversion',
    words: 'Whether the player has an event of this name: the share of players.',
    unit: 'share',
    needs: ['metric'],
    takes: [],
    options: ['cuped'],
    inView: true,
  },
  count: {
    title: 'Events per player',
    words: 'How many events of this name the player has.',
    unit: 'count',
    needs: ['metric'],
    takes: [],
    options: ['winsorize', 'cuped'],
    inView: true,
  },
  sum: {
    title: 'Sum per player',
    words: 'The sum of a numeric property over the events of the player. Other values count as 0.',
    unit: 'number',
    needs: ['metric', 'property'],
    takes: [],
    options: ['winsorize', 'cuped'],
    inView: true,
  },
  mean: {
    title: 'Mean per event',
    words: 'The mean of a numeric property over the events of all players: the sum divided by the number of events.',
    unit: 'number',
    needs: ['metric', 'property'],
    takes: [],
    options: [],
  },
  revenue: {
    title: 'Net revenue per player',
    words: 'What the player paid less what was refunded of it, each transaction once, by the time of the purchase.',
    unit: 'money',
    needs: [],
    takes: [],
    options: ['winsorize', 'cuped'],
  },
  payer: {
    title: 'Payers',
    words: 'Whether the player paid more than was refunded of it: the share of players.',
    unit: 'share',
    needs: [],
    takes: [],
    options: ['cuped'],
  },
  sessions: {
    title: 'Sessions per player',
    words: 'How many sessions of the player began. A session counts when it is over.',
    unit: 'count',
    needs: [],
    takes: [],
    options: ['winsorize', 'cuped'],
  },
  session: {
    title: 'Players with a session',
    words: 'Whether a session of the player began, and is over: the share of players.',
    unit: 'share',
    needs: [],
    takes: [],
    options: ['cuped'],
  },
  retention: {
    title: 'Retention',
    words:
      'Whether the player was active on the given day after the day of its first exposure, by the days of ' +
      '`player_days`. Only players whose day is over count. The window does not matter.',
    unit: 'share',
    needs: ['day'],
    takes: [],
    options: [],
  },
  ratio: {
    title: 'Ratio',
    words:
      'Events of one name, or the sum of their `property`, divided by events of another name or the sum of their ' +
      '`per_property`: the sum over all players by the sum over all players.',
    unit: 'number',
    needs: ['metric', 'per_metric'],
    takes: ['property', 'per_property'],
    options: [],
  },
  quantile: {
    title: 'Quantile',
    words:
      'A quantile over all players, also those with 0, of the sum of a numeric property of their events; without ' +
      '`metric` and `property`, of their net revenue.',
    unit: 'number',
    needs: [],
    takes: ['metric', 'property', 'quantile'],
    options: [],
  },
} as const satisfies Record<string, ExperimentMetric>;

export type ExperimentMetricName = keyof typeof EXPERIMENT_METRICS;

export const EXPERIMENT_METRIC_NAMES: readonly ExperimentMetricName[] = Object.keys(EXPERIMENT_METRICS).filter(
  (name): name is ExperimentMetricName => name in EXPERIMENT_METRICS,
);

/** The declaration of a metric, with all that one may have. */
export const experimentMetric = (name: ExperimentMetricName): ExperimentMetric => EXPERIMENT_METRICS[name];

/** The metrics that the view of an experiment has. */
export const VIEW_METRICS = EXPERIMENT_METRIC_NAMES.filter((name) => experimentMetric(name).inView === true);

/** Why other metrics do not take an option. */
export const OPTION_WORDS: Readonly<Record<ExperimentOption, string>> = {
  winsorize:
    'only a value of each player is capped; a share has no large values, and a quotient has no value of a player',
  cuped: 'the same metric before the exposure is no value of each player',
};
