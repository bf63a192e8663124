import { beforeAll, describe, expect, it } from 'vitest';
import { STORE_MISMATCH } from '../../actors/runtime/rebuild/rebuild.ts';
import { runSeeds, type SeedsRun } from './run-seeds.ts';
import { simulate } from './simulate.ts';

/** `npm run sim -- --seeds 2000` runs more; the nightly run takes 10,000 others. */
const SEEDS = 20;
/** Protocol branches that a meaningful run must meet, and of a thousand seeds, how many should meet each at least. */
const MUST_MEET: Readonly<Record<string, number>> = {
  'record: barrier': 1_000,
  'record: empty': 100,
  'fact: SnapshotMark': 500,
  'fact: LifecycleChanged': 50,
  'fact: SessionRecorded': 450,
  'fact: PurchaseRecorded': 450,
  'fact: PurchaseReversed': 10,
  'fact: PurchaseRefunded': 20,
  'fact: ChurnRiskChanged': 30,
  'fact: SessionOpened': 400,
  'fact: SessionSynced': 200,
  'fact: SessionFlagsTold': 350,
  'fact: SessionClosed': 300,
  'reply sessionEnded': 50,
  'fact: SegmentEntered': 700,
  'fact: SegmentExited': 500,
  'fact: FlagExposed': 700,
  'fact: FlagsServed': 700,
  'fact: FlagOverridden': 300,
  'exposure checked': 600,
  'served checked': 500,
  'period: an edit stays in it': 500,
  'fact: InterventionTriggered': 450,
  'fact: InterventionSuppressed': 200,
  'fact: InterventionOffered': 140,
  'fact: InterventionShown': 90,
  'fact: InterventionClicked': 30,
  'fact: InterventionDismissed': 8,
  'an intervention delivered again': 6,
  'set off by: segment_entered': 60,
  'set off by: lifecycle': 10,
  'set off by: schedule': 130,
  'schedule checked': 15,
  'suppressed: cap_total': 40,
  'suppressed: cap_per_day': 20,
  'suppressed: cooldown': 18,
  'suppressed: holdout': 110,
  'suppressed: not_eligible': 5,
  'segments changed by an edit': 500,
  'segments changed by time': 15,
  'append to FACTS: unknown': 100,
  'append to FACTS: fenced': 50,
  'append to FACTS: refused': 100,
  'command without effect: past its deadline': 50,
  'command without effect: stored again, or a straggler': 2,
  'clickhouse: repeat dropped': 50,
  'clickhouse: took a block unsaid': 50,
  'rebuild from snapshots': 50,
  'catch-up from snapshots': 4,
  'a night without requests': 100,
  'fault: disk refuses': 12,
  'fault: last writes lost': 12,
  'fault: broken mark': 12,
  'rows of an owner broken': 15,
  'term ended: store_fault': 10,
  'fault: election': 12,
  'fault: definitions late': 12,
  'fault: full while in doubt': 12,
  'fault: suspended': 8,
  'fault: clickhouse restored': 8,
  'answered, then lost': 3,
  'command without effect: of a newer version': 10,
  'command without effect: FACTS had no room': 20,
  'webhooks: attempts checked': 3,
  'receiver: timed_out': 2,
  'roles are split': 30,
  'fault: clocks drift': 30,
  'handover: the successor falls silent, the old owner wakes': 50,
  'reply lost': 300,
  [`log: ${STORE_MISMATCH}`]: 10,
};

/**
 * The least of so many expected seeds: two standard deviations of a Poisson count below. Of fewer than four expected
 * seeds none may come.
 */
const leastOf = (expected: number): number => Math.max(0, Math.floor(expected - 2 * Math.sqrt(expected)));

describe('the service under every kind of fault', () => {
  let run: SeedsRun;
  beforeAll(async () => {
    run = await runSeeds({ from: 1, count: SEEDS, workers: 2, enough: 5 });
  });

  it(`violates no invariant in ${SEEDS} runs (npm run sim -- --seed S prints one)`, () => {
    expect(run.violations).toEqual([]);
    expect(run.seeds).toBe(SEEDS);
  });

  it('meets every listed protocol branch often enough', () => {
    const rare = Object.entries(MUST_MEET)
      .map(([what, perThousand]) => ({
        what,
        wanted: leastOf((perThousand * SEEDS) / 1_000),
        met: run.coverage.get(what) ?? 0,
      }))
      .filter(({ wanted, met }) => met < wanted);
    expect(rare).toEqual([]);
  });

  it('gives the same run for the same seed, in another process and after other runs', async () => {
    for (const seed of [SEEDS, 7, 3, 1]) {
      const { traceHash } = await simulate(seed);
      expect([seed, traceHash]).toEqual([seed, run.traceHashes.get(seed)]);
    }
  });
});
