import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';
import { FRESHNESS_SUBJECT } from '../subjects.ts';
import { collectFreshnessReports, createFreshnessReporter } from './freshness-reports.ts';

/** A process with sinks that reports, and a gateway that collects. */
function world() {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const sinks = broker.connect('sinks');
  const gateway = broker.connect('gateway');
  const own: number[] = [];
  const measures = { onDelay: (delayMs: number) => void own.push(delayMs), onNewest: () => {} };
  const reporter = createFreshnessReporter({ log: sinks, clock });
  const traced = reporter.output('clickhouse', measures);
  const reports = collectFreshnessReports({ log: gateway, clock });
  return { clock, sinks, reporter, traced, reports, own };
}

describe('reports of freshness', () => {
  it('bring the delays of one process to the others', async () => {
    const { clock, traced, reports, own } = world();
    expect(reports.of('clickhouse')).toEqual({
      newestEventMs: undefined,
      delay: { samples: 0, p50Ms: null, p99Ms: null },
    });
    const acceptedAtMs = clock.wallMs();
    await clock.advance(400);
    traced.arrived(acceptedAtMs);
    await clock.advance(5_000);
    expect(reports.of('clickhouse')).toEqual({
      newestEventMs: acceptedAtMs,
      delay: { samples: 1, p50Ms: 400, p99Ms: 400 },
    });
    expect(reports.of('webhooks').delay.samples).toBe(0);
    expect(own).toEqual([400]);
  });

  it('tell a process that starts later of the newest event, though no more come', async () => {
    const { clock, traced, reports } = world();
    const acceptedAtMs = clock.wallMs();
    traced.arrived(acceptedAtMs);
    await clock.advance(400_000);
    expect(reports.of('clickhouse')).toMatchObject({ newestEventMs: acceptedAtMs, delay: { samples: 0 } });
  });

  it('are ignored if they have another form', async () => {
    const { clock, sinks, reports } = world();
    const bad = [null, [], { output: 'nobody', newestEventMs: 1, delays: [1] }, { output: 'stream', delays: [1] }];
    for (const report of bad) sinks.publish(FRESHNESS_SUBJECT, encodeJson(report));
    sinks.publish(FRESHNESS_SUBJECT, Buffer.from('{'));
    sinks.publish(FRESHNESS_SUBJECT, encodeJson({ output: 'stream', newestEventMs: 5, delays: [1, 'x', null] }));
    await clock.advance(1_000);
    expect(reports.of('stream')).toEqual({ newestEventMs: 5, delay: { samples: 1, p50Ms: 1, p99Ms: 1 } });
  });
});
