import { MEASURES, type MeasureName } from './measures.ts';
import { namesOf } from './metrics.ts';
import type { Unit } from './metric.ts';

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
  readonly unit: Unit;
  readonly needs: readonly ExperimentField[];
  readonly takes: readonly ExperimentField[];
  readonly options: readonly ExperimentOption[];
  /** Whether the view `experiment_readout` has it too; its SQL is in clickhouse-schema/views/flags.sql. */
  readonly inView?: true;
}

interface PlayerMeasure extends ExperimentMetric {
  readonly measure: MeasureName;
  readonly inView: true;
}

/** The words of a measure say what counts, and by which time; the window is the experiment's. */
const wordsOf = (measure: MeasureName, more: string): string => `${MEASURES[measure].words} ${more}`;

const valueOf = (measure: MeasureName, more = ''): PlayerMeasure => ({
  measure,
  title: `${MEASURES[measure].title} per player`,
  words: wordsOf(measure, `Per player.${more}`),
  unit: MEASURES[measure].unit,
  needs: [],
  takes: [],
  options: ['winsorize', 'cuped'],
  inView: true,
});

const shareOf = (measure: MeasureName, title: string, more: string): PlayerMeasure => ({
  measure,
  title,
  words: wordsOf(measure, more),
  unit: 'share',
  needs: [],
  takes: [],
  options: ['cuped'],
  inView: true,
});

/** Metrics that are a measure of each player in its window. What counts is the measure's, in words and in SQL. */
export const PLAYER_MEASURES = {
  revenue: valueOf('revenue', ' A refund counts with its purchase, whenever it was.'),
  gross_revenue: valueOf('gross_revenue'),
  payer: shareOf('payers', 'Payers', 'Their share of all players.'),
  sessions: valueOf('sessions'),
  session: shareOf('sessions', 'Players with a session', 'The share of players with at least one.'),
} as const;

export type PlayerMeasureName = keyof typeof PLAYER_MEASURES;

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
  ...PLAYER_MEASURES,
  retention: {
    title: 'Retention',
    words: wordsOf(
      'active_players',
      'Their share on the given day after the day of the first exposure, of the players whose day is over. The window ' +
        'does not matter.',
    ),
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
      '`metric` and `property`, of `revenue`.',
    unit: 'number',
    needs: [],
    takes: ['metric', 'property', 'quantile'],
    options: [],
  },
} as const satisfies Record<string, ExperimentMetric>;

export type ExperimentMetricName = keyof typeof EXPERIMENT_METRICS;

export const EXPERIMENT_METRIC_NAMES: readonly ExperimentMetricName[] = namesOf(EXPERIMENT_METRICS);

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
