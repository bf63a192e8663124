import type { FunnelQuestion } from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { QuestionRow } from '../../../../clickhouse-schema/queries/questions/statement-of.ts';

/** The answer to a funnel, from rows as `funnelFigures` gives them. */
export function funnelAnswer({ steps, order }: FunnelQuestion, rows: readonly QuestionRow[]): Record<string, unknown> {
  const found = rows.length === 0 ? [{ key: '' }] : rows;
  const funnels = found.map((row: QuestionRow) => {
    const reached = listIn(row['reached']).map(Number);
    const waiting = listIn(row['waiting']).map(Number);
    const [all = 0] = reached;
    const shown = steps.map(({ eventName }, place) => {
      const isLast = place === steps.length - 1;
      const players = reached[place] ?? 0;
      const converted = reached[place + 1] ?? 0;
      const inside = waiting[place] ?? 0;
      return {
        event_name: order === 'any_order' ? null : eventName,
        players,
        converted: isLast ? null : converted,
        dropped: isLast ? null : players - converted - inside,
        inside: isLast ? null : inside,
        rate: all === 0 ? null : Math.round((players / all) * 10_000) / 10_000,
        seconds_from_previous: place === 0 ? null : durationOf(listIn(row['from_previous'])[place]),
        seconds_from_first: place === 0 ? null : durationOf(listIn(row['from_first'])[place]),
      };
    });
    return { key: String(row['key']), steps: shown };
  });
  return { order, funnels };
}

/** Median and 90th percentile in seconds; null without players. */
function durationOf(milliseconds: unknown): { median: number; p90: number } | null {
  const [median, p90] = listIn(milliseconds).map(Number);
  return median === undefined || p90 === undefined ? null : { median: seconds(median), p90: seconds(p90) };
}

const seconds = (milliseconds: number): number => Math.round(milliseconds) / 1_000;

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
