import type {
  Filter,
  LifecycleQuestion,
  Scope,
  StickinessQuestion,
} from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { filtersOf, FIELDS_OF_PLAYERS } from '../measures/filters.ts';
import type { QueryBody } from '../query-fields.ts';
import { intervalBefore, wholeIntervals } from '../trend-buckets.ts';

/* Questions of players by the days on which they were active. */

type Body = Pick<QueryBody, 'interval' | 'where'>;

export function lifecycleQuestion(body: Body, scope: Scope, faults: FieldFault[]): LifecycleQuestion {
  const { interval = 'day' } = body;
  if (interval === 'hour') faults.push({ path: '/interval', message: 'must be `day`, `week` or `month` here' });
  const days = interval === 'hour' ? 'day' : interval;
  const whole = wholeIntervals(days, scope);
  const beforeMs = intervalBefore(days, scope.zone, whole.fromMs);
  return { kind: 'lifecycle', ...scope, ...whole, beforeMs, interval: days, where: whereOf(body, faults) };
}

export function stickinessQuestion(body: Body, scope: Scope, faults: FieldFault[]): StickinessQuestion {
  const interval = body.interval === 'month' ? 'month' : 'week';
  if (body.interval === 'hour' || body.interval === 'day') {
    faults.push({ path: '/interval', message: 'must be `week` or `month` here' });
  }
  return { kind: 'stickiness', ...scope, ...wholeIntervals(interval, scope), interval, where: whereOf(body, faults) };
}

/** A player may have several platforms or countries in an interval, so conditions are on what it has now. */
const whereOf = ({ where = [] }: Body, faults: FieldFault[]): Filter[] =>
  filtersOf(where, FIELDS_OF_PLAYERS, '/where', faults);
