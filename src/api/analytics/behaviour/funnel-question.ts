import type { FunnelQuestion } from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';
import type { QueryBody } from '../query-fields.ts';

const DEFAULT_WINDOW_SECONDS = 7 * 86_400;

type FunnelParts = Pick<FunnelQuestion, 'order' | 'steps' | 'exclusions' | 'windowSeconds'>;
type Where = QueryBody['where'];

/** The parts of a funnel. @param filters the filters of conditions at a path */
export function funnelParts(
  body: QueryBody,
  filters: (where: Where, path: string) => FunnelQuestion['steps'][number]['where'],
  faults: FieldFault[],
): FunnelParts {
  const {
    order = 'ordered',
    steps = [],
    exclusions = [],
    window_seconds: windowSeconds = DEFAULT_WINDOW_SECONDS,
  } = body;
  if (order === 'strict' && exclusions.length > 0) {
    faults.push({
      path: '/exclusions',
      message: 'is not allowed with `strict`: there every other event ends an attempt',
    });
  }
  if (order === 'any_order' && steps.length > ANALYTICS_LIMITS.funnelAnyOrderSteps) {
    const message = `has ${steps.length} steps; the maximum with \`any_order\` is ${ANALYTICS_LIMITS.funnelAnyOrderSteps}`;
    faults.push({ path: '/steps', message });
  }
  for (const [place, { after_step: after }] of exclusions.entries()) {
    const path = `/exclusions/${place}/after_step`;
    if (after === undefined) continue;
    if (order === 'any_order')
      faults.push({ path, message: 'is not allowed with `any_order`, which has no step before another' });
    else if (after >= steps.length)
      faults.push({ path, message: `must be at most ${steps.length - 1}: the last step ends the funnel` });
  }
  return {
    order,
    steps: steps.map(({ event_name: eventName, where }, place) => ({
      eventName,
      where: filters(where, `/steps/${place}/where`),
    })),
    exclusions: exclusions.map(({ event_name: eventName, where, after_step: afterStep }, place) => ({
      eventName,
      where: filters(where, `/exclusions/${place}/where`),
      afterStep,
    })),
    windowSeconds,
  };
}
