import { failure, type Failure } from '../../../core/kernel/errors.ts';

/** The answer of routes that read ClickHouse while it does not answer. */
export function clickHouseUnavailable(): Failure {
  return failure('SERVICE_UNAVAILABLE', 'ClickHouse is temporarily unavailable; retry later.');
}
