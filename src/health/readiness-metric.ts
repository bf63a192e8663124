import { Gauge, type Registry } from 'prom-client';

/** The state of one check behind `/readyz`. */
interface CheckState {
  name: string;
  required: boolean;
  ok: boolean;
}

/**
 * The checks behind `/readyz` as a metric, so that one scrape tells whether a process serves. They are read by
 * each scrape; before `readinessFrom` there are none.
 */
export function createReadinessMetric(registers: Registry[]) {
  let states = (): readonly CheckState[] => [];
  const readinessCheck: Gauge = new Gauge({
    name: 'readiness_check',
    help: '1 while a check behind /readyz passes, 0 while it fails. A process is ready while all required ones pass.',
    labelNames: ['check', 'required'],
    registers,
    collect() {
      for (const { name, required, ok } of states()) {
        readinessCheck.set({ check: name, required: String(required) }, ok ? 1 : 0);
      }
    },
  });
  return {
    readinessCheck,
    /** Names the source of the states; called once by main. */
    readinessFrom(read: () => readonly CheckState[]): void {
      states = read;
    },
  };
}
