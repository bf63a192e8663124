import type { Config } from '../../settings/config.ts';
import { SUPERVISOR_LIMITS } from './limits.ts';

/** What a machine has. */
export interface Machine {
  /** Cores that this process may use. */
  cores: number;
  memoryBytes: number;
}

/**
 * How many processes of the service `npm start` runs: one on two cores or fewer, otherwise two for three cores. At full
 * rate a process keeps one core busy, and for each of them nats-server, ClickHouse and the sinks need about half a core
 * (docs/decisions/0028). Processes without owners and gateways cannot share work.
 */
export function processCount({ processes, roles }: Pick<Config, 'processes' | 'roles'>, machine: Machine): number {
  if (!roles.includes('gateway') || !roles.includes('actors')) return 1;
  if (processes !== undefined) return processes;
  if (machine.cores <= 2) return 1;
  const byCores = Math.floor((machine.cores * 2) / 3);
  const byMemory = Math.floor(machine.memoryBytes / SUPERVISOR_LIMITS.processMemoryBytes);
  return Math.max(1, Math.min(byCores, byMemory, SUPERVISOR_LIMITS.processesChosenMost));
}

/** The bound of the JavaScript heap of each of several processes: together they use half of the memory. */
export function heapBytes(processes: number, { memoryBytes }: Machine): number {
  const share = memoryBytes / 2 / processes;
  return Math.min(SUPERVISOR_LIMITS.processHeapMostBytes, Math.max(SUPERVISOR_LIMITS.processHeapLeastBytes, share));
}
