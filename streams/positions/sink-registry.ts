import type { StreamName } from '../../core/vocabulary/stream-name.ts';

/**
 * Every sink, and the stream it reads. A stream is trimmed only below the positions of all its sinks, so a sink that is
 * not listed here would lose records: its position, lease and metrics therefore take a `SinkName`.
 *
 * The names are stored (keys of POSITIONS and of leases) and labels of metrics: never change one.
 */
export const SINKS = {
  clickhouse: { stream: 'FACTS' },
  'clickhouse-records': { stream: 'RECORDS' },
  'clickhouse-audit': { stream: 'AUDIT' },
  webhooks: { stream: 'FACTS' },
} as const satisfies Readonly<Record<string, { stream: StreamName }>>;

export type SinkName = keyof typeof SINKS;

const isSinkName = (name: string): name is SinkName => name in SINKS;

/** The sinks that read a stream. */
export function sinksOf(stream: StreamName): readonly SinkName[] {
  return Object.keys(SINKS)
    .filter(isSinkName)
    .filter((name) => SINKS[name].stream === stream);
}

/** Key of a sink's lease in OWNERS. */
export const sinkLeaseKey = (sink: SinkName): string => `sink.${sink}`;
