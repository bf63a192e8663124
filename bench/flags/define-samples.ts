import { call } from '../service/call.ts';
import type { Service } from '../service/service.ts';
import { SAMPLE_SEGMENTS, sampleFlags, type SampleFlag } from './sample-definitions.ts';
import { createSegment } from './segment-calls.ts';

export const FLAGS_PATH = '/v1/flags/flags';

/** Defines the sample segments and flags. @returns the flags, and the segments' ids by key */
export async function defineSamples(
  service: Service,
): Promise<{ flags: SampleFlag[]; segmentIds: ReadonlyMap<string, string> }> {
  const segmentIds = new Map<string, string>();
  for (const { body } of SAMPLE_SEGMENTS) segmentIds.set(body.key, await createSegment(service, body));
  const flags = sampleFlags(segmentIds);
  for (const { body } of flags) await call(service, 'POST', FLAGS_PATH, JSON.stringify(body));
  return { flags, segmentIds };
}
