import type { FunnelStep, RetentionQuestion } from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import type { QueryBody } from '../query-fields.ts';

export const DEFAULT_DAYS = [1, 3, 7, 14, 30];
const DEFAULT_PERIODS = [1, 2, 3, 4, 8, 12];

type RetentionParts = Pick<RetentionQuestion, 'method' | 'interval' | 'firstEvent' | 'returnEvent' | 'periods'>;
type Event = NonNullable<QueryBody['first_event']>;

/** The parts of a question of retention. @param filters the filters of conditions at a path */
export function retentionParts(
  body: QueryBody,
  filters: (where: QueryBody['where'], path: string) => FunnelStep['where'],
  faults: FieldFault[],
): RetentionParts {
  const { method = 'classic', interval = 'day', days, periods, first_event: first, return_event: returns } = body;
  if (interval === 'hour') faults.push({ path: '/interval', message: 'must be `day`, `week` or `month` here' });
  if (interval === 'day' && periods !== undefined) {
    faults.push({ path: '/periods', message: 'is allowed by week and month only; name `days`' });
  }
  if (interval !== 'day' && days !== undefined) {
    faults.push({ path: '/days', message: 'is allowed by day only; name `periods`' });
  }
  const eventOf = (event: Event | undefined, path: string): FunnelStep | undefined =>
    event && { eventName: event.event_name, where: filters(event.where, `${path}/where`) };
  return {
    method,
    interval: interval === 'hour' ? 'day' : interval,
    firstEvent: eventOf(first, '/first_event'),
    returnEvent: eventOf(returns, '/return_event'),
    periods: interval === 'day' ? (days ?? DEFAULT_DAYS) : (periods ?? DEFAULT_PERIODS),
  };
}
