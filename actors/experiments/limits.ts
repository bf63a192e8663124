/** Bounds of an experiment's definition. */
export const EXPERIMENT_LIMITS = {
  /** `hypothesis`, in characters. */
  hypothesisLength: 2_000,
  /** Guardrails of one experiment. Each is a question to ClickHouse whenever it is checked. */
  experimentGuardrails: 10,
  /** Findings of guardrails that a definition holds, the latest: those of 5 phases, about 20 kB. */
  experimentAlerts: 50,
  /** Phases of one experiment: changes of its shares while it runs. 20 phases of 50 variants take 130 kB at most. */
  experimentPhases: 20,
  /** One definition without its phases and findings, as JSON text in UTF-8. Every process holds all of them. */
  experimentBytes: 32 * 1024,
  /** The smallest effect, and the margin of a guardrail, relative to the control's mean. */
  relativeEffect: 10,
} as const;
