import type { Bench } from '../bench.ts';
import { measureDeliveries, type DeliveriesFigures } from './deliveries.ts';
import { inPhase } from './in-phase.ts';
import { measureLatency, type LatencyFigures } from './latency.ts';
import type { OutputsOptions } from './outputs-options.ts';
import { measureReaders, type ReadersFigures } from './readers.ts';
import { measureSick, type SickFigures } from './sick.ts';

/** Everything that was measured; phases that were not wanted, or not reached, are missing. */
export interface OutputsFigures {
  latency?: LatencyFigures;
  deliveries?: DeliveriesFigures[];
  readers?: ReadersFigures;
  sick?: SickFigures;
}

/**
 * Measures what leaves the service: the stream, rows and webhooks. Each phase has a service of its own.
 * @param figures filled as the phases end, so that what came before a failure can be told
 */
export async function measureOutputs(bench: Bench, options: OutputsOptions, figures: OutputsFigures): Promise<void> {
  const { phases } = options;
  if (phases.has('latency')) figures.latency = await inPhase(bench, (own) => measureLatency(own, options));
  if (phases.has('deliveries')) figures.deliveries = await inPhase(bench, (own) => measureDeliveries(own, options));
  if (phases.has('readers')) figures.readers = await inPhase(bench, (own) => measureReaders(own, options));
  if (phases.has('sick')) figures.sick = await measureSick(bench, options);
}
