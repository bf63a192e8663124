import type { DelayFigures } from '../../core/kernel/flow/delay-window.ts';

/** The outputs that accepted events reach: the event stream, the tables, the webhooks. */
export const OUTPUTS = ['stream', 'clickhouse', 'webhooks'] as const;
export type OutputName = (typeof OUTPUTS)[number];

export const isOutputName = (name: unknown): name is OutputName => OUTPUTS.some((output) => output === name);

/** How far an output is. Times are epoch milliseconds. */
export interface AsOf {
  /** Everything that was accepted before this time has passed. */
  asOfMs: number;
  /** Records of the log that are stored and have not passed. */
  behind: number;
  /** Changes with each record that passes. */
  position: string;
}

/** How fresh an output is. */
export interface OutputFreshness {
  output: OutputName;
  /** `undefined`: not known to this process now. */
  asOf: AsOf | undefined;
  /** When the newest event that has passed was accepted; `undefined`: this process has seen none. */
  newestEventMs: number | undefined;
  /** From accepted to passed, of traced events of the last minutes. */
  delay: DelayFigures;
}

/** The freshness of outputs, as one process knows it. */
export interface Freshness {
  /** How far the rows of a stream are in ClickHouse. `undefined`: the broker does not answer in time. */
  rowsAsOf(stream: 'FACTS' | 'RECORDS' | 'AUDIT'): Promise<AsOf | undefined>;
  outputs(): Promise<OutputFreshness[]>;
}
