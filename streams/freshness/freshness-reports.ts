import { type Cancel, type Clock, nextTick } from '../../core/kernel/clock.ts';
import { createDelayWindow, type DelayFigures } from '../../core/kernel/flow/delay-window.ts';
import { FRESHNESS_LIMITS } from './limits.ts';
import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import type { Log } from '../log/log.ts';
import { FRESHNESS_SUBJECT } from '../subjects.ts';
import { isOutputName, OUTPUTS, type OutputName } from './output-freshness.ts';
import { createTracedEvents, type TracedEvents } from './traced-events.ts';

/*
 * What processes tell each other about the freshness of outputs: plain messages with the delays of traced events. A
 * lost message loses a few samples of a window, and nothing else.
 */

export interface FreshnessReporter {
  /** The traced events of an output of this thread. */
  output(name: OutputName, own: OutputMeasures): TracedEvents;
  stop(): void;
}

/** Where the figures of this thread's outputs go, beside the reports. */
export interface OutputMeasures {
  onDelay: (delayMs: number) => void;
  onNewest: (acceptedAtMs: number) => void;
}

interface Unreported {
  delays: number[];
  newestEventMs: number | null;
  reportedAtMs: number;
}

/** Reports the traced events of the outputs of one thread. */
export function createFreshnessReporter({ log, clock }: { log: Log; clock: Clock }): FreshnessReporter {
  const outputs = new Map<OutputName, Unreported>();
  let cancel: Cancel = nextTick(clock, FRESHNESS_LIMITS.freshnessReportMs, report);

  function report(): void {
    cancel = nextTick(clock, FRESHNESS_LIMITS.freshnessReportMs, report);
    const nowMs = clock.monotonicMs();
    for (const [output, unreported] of outputs) {
      const { delays, newestEventMs, reportedAtMs } = unreported;
      if (newestEventMs === null) continue;
      if (delays.length === 0 && nowMs - reportedAtMs < FRESHNESS_LIMITS.freshnessIdleReportMs) continue;
      unreported.delays = [];
      unreported.reportedAtMs = nowMs;
      log.publish(FRESHNESS_SUBJECT, encodeJson({ output, newestEventMs, delays }));
    }
  }

  return {
    output(name, { onDelay, onNewest }) {
      const unreported: Unreported = { delays: [], newestEventMs: null, reportedAtMs: -Infinity };
      outputs.set(name, unreported);
      return createTracedEvents({
        clock,
        onDelay(delayMs) {
          onDelay(delayMs);
          if (unreported.delays.length < FRESHNESS_LIMITS.freshnessReported) unreported.delays.push(delayMs);
        },
        onNewest(acceptedAtMs) {
          onNewest(acceptedAtMs);
          unreported.newestEventMs = acceptedAtMs;
        },
      });
    },
    stop: () => cancel(),
  };
}

export interface FreshnessReports {
  of(output: OutputName): { newestEventMs: number | undefined; delay: DelayFigures };
  stop(): void;
}

/** Collects the reports of all processes, this one included. */
export function collectFreshnessReports({ log, clock }: { log: Log; clock: Clock }): FreshnessReports {
  const bounds = { windowMs: FRESHNESS_LIMITS.freshnessWindowMs, capacity: FRESHNESS_LIMITS.freshnessSamples };
  const found = Object.fromEntries(
    OUTPUTS.map((output) => [output, { window: createDelayWindow(bounds), newestEventMs: -Infinity }]),
  );
  const stop = log.subscribe(FRESHNESS_SUBJECT, (data) => {
    const report = parseReport(data);
    const output = report && found[report.output];
    if (output === undefined || report === undefined) return;
    output.newestEventMs = Math.max(output.newestEventMs, report.newestEventMs);
    for (const delayMs of report.delays) output.window.add(clock.monotonicMs(), delayMs);
  });
  return {
    of(name) {
      const output = found[name];
      const newestEventMs = output?.newestEventMs ?? -Infinity;
      return {
        newestEventMs: Number.isFinite(newestEventMs) ? newestEventMs : undefined,
        delay: output?.window.figures(clock.monotonicMs()) ?? { samples: 0, p50Ms: null, p99Ms: null },
      };
    },
    stop,
  };
}

interface Report {
  output: OutputName;
  newestEventMs: number;
  delays: number[];
}

/** @returns `undefined`: not a report that this version knows */
function parseReport(data: Uint8Array): Report | undefined {
  const value = readJson(data);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('output' in value) || !('newestEventMs' in value) || !('delays' in value)) return undefined;
  const { output, newestEventMs, delays } = value;
  if (!isOutputName(output) || typeof newestEventMs !== 'number' || !Array.isArray(delays)) return undefined;
  const numbers = delays.slice(0, FRESHNESS_LIMITS.freshnessReported).filter((delay) => Number.isFinite(delay));
  return { output, newestEventMs, delays: numbers };
}

function readJson(data: Uint8Array): unknown {
  try {
    return decodeJson(data);
  } catch {
    return undefined;
  }
}
