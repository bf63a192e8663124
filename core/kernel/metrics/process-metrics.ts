import type { Clock } from '../clock.ts';
import { collectMainThread } from './thread-metrics.ts';
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';

/** The label of every metric of a process that shares its port with others; without labels otherwise. */
export type ProcessLabels = { process: string } | Record<string, never>;

/** The registry of a process, to which features add their metrics, and the metrics of the process itself. */
export function createProcessMetrics(labels: ProcessLabels = {}) {
  let workArrives = (): void => {};
  let sinkText = async (): Promise<string> => '';
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  const registers = [registry];
  const group = new Registry();
  return {
    /** For the metrics of the features. */
    registers,
    /** All metrics in Prometheus' text format. */
    text: async (): Promise<string> => `${await registry.metrics()}\n${await sinkText()}\n${await group.metrics()}`,
    /** The same without those about the other processes of a group. */
    ownText: async (): Promise<string> => `${await registry.metrics()}\n${await sinkText()}`,
    /** Only those about the processes of a group. */
    groupText: (): Promise<string> => group.metrics(),
    processUp: new Gauge({
      name: 'local_process_up',
      help: 'Whether a process of `npm start` answered with its metrics, by its number; absent with one process.',
      labelNames: ['process'],
      registers: [group],
    }),
    contentType: registry.contentType,
    /** Includes the metrics of the sinks, which have a registry of their own. */
    sinksFrom(text: () => Promise<string>): void {
      sinkText = text;
    },
    /** Adds Node's process metrics and those of the main thread; called once by main. */
    collectProcess(clock: Clock): void {
      // Its own measurement of the event loop's delay would wake a thread at rest a hundred times a second.
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: MOST_TIMER_MS });
      for (const name of registry.getMetricsAsArray().map((metric) => metric.name)) {
        if (name.startsWith('nodejs_eventloop_lag')) registry.removeSingleMetric(name);
      }
      workArrives = collectMainThread(clock, registers);
    },
    /** A request arrives at this thread: how long its turn takes is measured. */
    requestArrives: (): void => workArrives(),
  };
}

/** The longest delay of a timer of Node. */
const MOST_TIMER_MS = 2_147_483_647;

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;
