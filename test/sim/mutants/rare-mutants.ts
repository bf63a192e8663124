import type { Mutant } from './mutant.ts';

/** Safeguards whose absence shows only under the rare faults (rare-faults.ts). */
export const RARE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the owner believes a refusal while an earlier attempt of the append is in doubt',
    faults: ['full while in doubt'],
    changes: [
      {
        file: 'actors/runtime/term/fenced-append.ts',
        original: 'if (!inDoubt) return',
        mutated: 'return',
      },
    ],
  },
  {
    name: 'timers and the sweep wait for a request after a backlog of expired commands',
    changes: [
      {
        file: 'actors/runtime/term/partition-owner.ts',
        original: "return hadBacklog && feed.backlogTaken ? 'on' : 'idle';",
        mutated: "void hadBacklog; return 'idle';",
      },
    ],
  },
  {
    name: 'take-over uses a local store that is ahead of the barrier',
    faults: ['broken mark'],
    changes: [
      {
        file: 'actors/runtime/rebuild/rebuild.ts',
        original: 'Math.max(mark.appliedSeq, mark.aheadTo ?? 0) <= highest',
        mutated: 'highest > 0',
      },
    ],
  },
  {
    name: 'a command that cannot read its player fails alone, and the owner leads on',
    faults: ['broken rows'],
    changes: [
      {
        file: 'actors/runtime/term/build-commit.ts',
        original: 'if (error instanceof StoreFaultError) throw error;',
        mutated: '',
      },
    ],
  },
  {
    name: 'a query that cannot read its player fails alone, and the owner leads on',
    faults: ['broken rows'],
    changes: [
      {
        file: 'actors/runtime/term/query-handler.ts',
        original: 'if (error instanceof StoreFaultError) {',
        mutated: 'if (error instanceof StoreFaultError && partition < 0) {',
      },
    ],
  },
  {
    name: 'a faulty local store is kept',
    faults: ['broken rows'],
    changes: [
      {
        file: 'actors/runtime/membership/preparation.ts',
        original: 'discardNext = true;',
        mutated: '',
      },
    ],
  },
  {
    name: 'a holder trusts its lease although its wall clock was set back',
    faults: ['suspended'],
    changes: [
      {
        file: 'streams/leases/lease-trust.ts',
        original: 'wallMs < trust.untilWallMs && wallMs >= trust.fromWallMs',
        mutated: 'wallMs < trust.untilWallMs',
      },
    ],
  },
  {
    name: 'the webhook matcher does not wait for the definitions of a record',
    faults: ['definitions late'],
    changes: [
      {
        file: 'streams/sinks/webhooks/matching/matcher.ts',
        original: 'async function isConfigSeen(revision: number, mine: number): Promise<boolean> {',
        mutated: `async function isConfigSeen(revision: number, mine: number): Promise<boolean> {
    if (revision >= 0) return !isOver(mine);`,
      },
    ],
  },
  {
    name: 'an owner takes over although its definitions are older than the last record',
    faults: ['definitions late', 'crash', 'handover'],
    changes: [
      {
        file: 'actors/runtime/term/take-over.ts',
        original: 'if (wanted <= config.revision) return true;',
        mutated: 'if (wanted >= 0) return true;',
      },
    ],
  },
  {
    name: 'timers run before the commands that waited at take-over',
    faults: ['slow backlog'],
    changes: [
      {
        file: 'actors/runtime/term/maintenance.ts',
        original: 'const due = backlogTaken ? dueIds : [];',
        mutated: 'const due = dueIds;',
      },
      {
        file: 'actors/runtime/term/maintenance.ts',
        original: 'if (backlogTaken) dueIds = [];',
        mutated: 'dueIds = [];',
      },
    ],
  },
  {
    name: 'the publisher sends a message again although its commands were answered',
    faults: ['answered, then lost'],
    changes: [
      {
        file: 'src/gateway/backend/request-publisher.ts',
        original: 'if (!commands.every(({ requestId }) => isWaiting(requestId))) return;',
        mutated: '',
      },
    ],
  },
  {
    name: 'the webhook worker finishes an attempt before the next one is stored',
    faults: ['webhook workers', 'crash', 'crash at a touch point'],
    changes: [
      {
        file: 'streams/sinks/webhooks/queue/delivery-queue.ts',
        original: 'const stored = await (delayMs === 0',
        mutated: `await finish(held, outcome);
      const stored = await (delayMs === 0`,
      },
    ],
  },
  {
    name: 'the webhook worker acknowledges a record once one of its deliveries has ended',
    faults: ['webhook workers', 'crash', 'crash at a touch point'],
    changes: [
      {
        file: 'streams/sinks/webhooks/queue/records-in-work.ts',
        original: `record.endedMs ??= clock.monotonicMs();
      if (record.open.size === 0) await settle(record);`,
        mutated: `record.endedMs ??= clock.monotonicMs();
      if (record.open.size >= 0) await settle(record);`,
      },
    ],
  },
  {
    name: 'the webhook worker stores a remainder without the deliveries that are under way',
    faults: ['webhook workers', 'crash', 'crash at a touch point'],
    changes: [
      {
        file: 'streams/sinks/webhooks/queue/remainders.ts',
        original: 'encodeDeliveries(receiver, [...record.open, ...record.returned])',
        mutated: 'encodeDeliveries(receiver, [...record.returned])',
      },
    ],
  },
  {
    name: 'the trimmer makes no room in a full log',
    faults: ['small log'],
    changes: [
      {
        file: 'streams/facts/facts-trimmer.ts',
        original: 'void run(makeRoom);',
        mutated: 'void makeRoom;',
      },
    ],
  },
  {
    name: 'a rebuild does not compare ClickHouse with its mark',
    faults: ['clickhouse restored', 'empty disk'],
    changes: [
      {
        file: 'actors/runtime/rebuild/rebuild.ts',
        original: 'if (!isHeld) {',
        mutated: 'if (confirmedTo === -1 && !isHeld) {',
      },
      {
        file: 'actors/runtime/rebuild/rebuild.ts',
        original: 'if (found < players) {',
        mutated: 'if (found < 0) {',
      },
    ],
  },
];
