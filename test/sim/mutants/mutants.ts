import { CAMPAIGN_MUTANTS } from './campaign-mutants.ts';
import type { Mutant } from './mutant.ts';
import { ERASURE_MUTANTS } from './erasure-mutants.ts';
import { FLAG_MUTANTS } from './flag-mutants.ts';
import { LIFECYCLE_MUTANTS } from './lifecycle-mutants.ts';
import { PLAY_MUTANTS } from './play-mutants.ts';
import { QUARANTINE_MUTANTS } from './quarantine-mutants.ts';
import { SESSION_MUTANTS } from './session-mutants.ts';

/**
 * Each takes one safeguard of the protocol away.
 *
 * Some safeguards are not here, as the simulation found nothing that their loss alone breaks (1,000 seeds each and more):
 * - A gateway that takes replies of lower epochs. An owner answers only what was stored, or what lease or proof cover, so a
 *   late answer is still true at a moment between request and answer.
 * - A query that does not wait for an append in flight. It reads committed state, and what is not acknowledged may be seen or not.
 * - A publish without message id. The owner knows by a gateway's numbers what it decided before.
 * - The lease check of commands alone, without that of queries. A stale owner reads the very commands its successor decided,
 *   in the same order; what changes anything meets the fence first.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'reply before the append is acknowledged',
    changes: [
      {
        file: 'actors/runtime/partition-owner.ts',
        original: 'queryHandler.hold(commit.draft.changed);',
        mutated: 'sendReplies(commit.replies);',
      },
    ],
  },
  {
    name: 'no barrier',
    changes: [
      {
        file: 'actors/runtime/take-over.ts',
        original: 'const record: CommitRecord = {',
        mutated: `if (last !== undefined) return { kind: 'appended', epoch: last.sequence, position };
          const record = {`,
      },
    ],
  },
  {
    name: 'no fence',
    changes: [
      {
        file: 'actors/runtime/fenced-append.ts',
        original: '{ expectedLastSequence, timeoutMs: APPEND_TIMEOUT_MS }',
        mutated: '{ timeoutMs: APPEND_TIMEOUT_MS }',
      },
    ],
  },
  {
    name: 'an answer without facts and without the lease check',
    faults: ['handover'],
    changes: [
      {
        file: 'actors/runtime/partition-owner.ts',
        original: '!queryHandler.wantsProof && options.leaseHeld()) {',
        mutated: '!queryHandler.wantsProof) {',
      },
      {
        file: 'actors/runtime/query-handler.ts',
        original: 'const trusted = leaseHeld();',
        mutated: 'const trusted = true;',
      },
    ],
  },
  {
    name: 'sink batches cut anew after a crash',
    changes: [
      {
        file: 'streams/sinks/clickhouse/stream-writer.ts',
        original: 'let exactlyTo = start.intent?.to;',
        mutated: 'let exactlyTo: number | undefined = undefined;',
      },
    ],
  },
  {
    name: 'replay without lastSeq',
    changes: [
      {
        file: 'actors/runtime/entities.ts',
        original: 'if (before !== undefined && before.lastSeq >= sequence) continue;',
        mutated: '',
      },
    ],
  },
  {
    name: 'a fence error taken for deposition',
    changes: [
      {
        file: 'actors/runtime/fenced-append.ts',
        original: 'const found = await whoseRecord(options);',
        mutated: `const found: FencedOutcome | undefined = { kind: 'deposed' };`,
      },
    ],
  },
  {
    name: 'requests acknowledged away before they are decided',
    changes: [
      {
        file: 'actors/runtime/request-feed.ts',
        original: 'position = { stream: created, sequence, index: batch.next, publishedAtMs };',
        mutated: 'position = { stream: created, sequence, index: batch.commands.length - 1, publishedAtMs };',
      },
    ],
  },
  {
    name: 'a barrier that does not carry the position on',
    changes: [
      {
        file: 'actors/runtime/take-over.ts',
        original: 'const position = last === undefined ? null : decodeCommit(last.data).position;',
        mutated: 'const position: RequestPosition | null = null;',
      },
    ],
  },
  {
    name: 'commands decided past their deadline',
    changes: [
      {
        file: 'actors/runtime/build-commit.ts',
        original: 'if (command.deadlineAt < nowMs) {',
        mutated: 'if (command.deadlineAt < 0) {',
      },
    ],
  },
  {
    name: 'an Idempotency-Key that is not remembered',
    changes: [
      {
        file: 'actors/idempotency/remember.ts',
        original: "draft.emit({ kind: 'IdempotencyKeyUsed', entityId: holderId, game, environment, at, ...used });",
        mutated: 'void [game, environment, at, used];',
      },
    ],
  },
  {
    name: 'requests stored again after a loss decided again',
    faults: ['requests lost'],
    changes: [
      {
        file: 'actors/runtime/request-feed.ts',
        original: 'return mark !== undefined && numberOf(command) <= mark.command;',
        mutated: 'return mark === undefined && false;',
      },
    ],
  },
  {
    name: 'an answer without facts although commands were passed over',
    changes: [
      {
        file: 'actors/runtime/partition-owner.ts',
        original: '!commit.needsAppend && !skipped &&',
        mutated: '!commit.needsAppend &&',
      },
    ],
  },
  {
    name: 'a refused append acknowledged',
    changes: [
      {
        file: 'actors/runtime/partition-owner.ts',
        original: "commit.replies.map((reply) => ({ ...reply, reply: failure('SERVICE_UNAVAILABLE') }))",
        mutated: 'commit.replies',
      },
    ],
  },
  {
    name: 'a store mark ahead of what was written',
    changes: [
      {
        file: 'actors/runtime/entities.ts',
        original: 'if (entity !== undefined) batch.push(entity);',
        mutated: 'if (entity !== undefined && batch.length < 1) batch.push(entity);',
      },
    ],
  },
  {
    name: 'a snapshot mark one too far',
    changes: [
      {
        file: 'actors/runtime/store/snapshot-queue.ts',
        original: 'covered = Math.min(covered, sinceSeq - 1);',
        mutated: 'covered = Math.min(covered, sinceSeq);',
      },
    ],
  },
  {
    name: 'FACTS trimmed beyond the rebuild marks',
    changes: [
      {
        file: 'streams/facts-trimmer.ts',
        original: 'bounds.push(1 + (await rebuildableTo(positions, partition, created)));',
        mutated: '',
      },
    ],
  },
  {
    name: 'the webhooks position moved before deliveries are stored',
    changes: [
      {
        file: 'streams/sinks/webhooks/matching/match-window.ts',
        original: 'return first === undefined ? taken : first.sequence - 1;',
        mutated: 'return first === undefined ? taken : taken;',
      },
    ],
  },
  {
    name: 'a query answered on the acknowledgement of an older append',
    faults: ['handover'],
    changes: [
      {
        file: 'actors/runtime/query-handler.ts',
        original: `for (const query of outcome === 'proved' ? before : []) {`,
        mutated: `for (const query of outcome === 'proved' ? [...before, ...since] : []) {`,
      },
    ],
  },
  {
    name: 'a local store used though FACTS no longer reaches back to it',
    changes: [
      {
        file: 'actors/runtime/take-over.ts',
        original: 'bounds.firstSequence <= mark.appliedSeq + 1 &&',
        mutated: '',
      },
    ],
  },
  {
    name: 'a lease taken from a living holder',
    changes: [
      {
        file: 'streams/lease.ts',
        original: 'found.holder === null || isGone(found.holder)',
        mutated: 'found.holder === null || isGone(found.holder) || true',
      },
    ],
  },
  {
    name: 'a sink position moved without looking who moved it last',
    changes: [
      {
        file: 'streams/stored-value.ts',
        original: 'await bucket.put(key, bytes, revision);',
        mutated: 'await bucket.put(key, bytes);',
      },
    ],
  },
  {
    name: 'a sink that ends when its lease is not trusted for a moment',
    faults: ['wall clock off'],
    changes: [
      {
        file: 'streams/sinks/clickhouse/stream-writer.ts',
        original: 'const mayGoOn = () => leads &&',
        mutated: 'const mayGoOn = () => mayWrite() &&',
      },
    ],
  },
  {
    name: 'a rebuild mark noted before its snapshots are inserted',
    faults: ['clickhouse trouble', 'empty disk', 'crash'],
    changes: [
      {
        file: 'streams/sinks/clickhouse/stream-writer.ts',
        original: 'const inserted = await Promise.all(',
        mutated: `for (const [partition, coveredTo] of batch.marks) await noteRebuildMark(partition, position.stream, coveredTo);
    const inserted = await Promise.all(`,
      },
    ],
  },
  {
    name: 'a stream that resumes one event late',
    changes: [
      {
        file: 'streams/sinks/live/position.ts',
        original: 'index: Number(index) + 1 };',
        mutated: 'index: Number(index) + 2 };',
      },
    ],
  },
  {
    name: 'a transition committed in a later record than its cause',
    changes: [
      {
        file: 'actors/react.ts',
        original: 'reactToCommand(draft, since, definitions.segments(game, environment), at);',
        mutated: `void reactToCommand;
  for (const { kind, entityId } of draft.facts.slice(since)) {
    if (kind === 'IdempotencyKeyUsed' || definitions.segments(game, environment).all.length === 0) continue;
    draft.emit({ kind: 'SegmentsScheduled', entityId, game, environment, at, dueAt: at });
  }`,
      },
    ],
  },
  {
    name: 'a sweep that skips who is in memory only',
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: `state = 'noted';`,
        mutated: `state = 'running';`,
      },
    ],
  },
  {
    name: 'a sweep that forgets what a refused record held',
    faults: ['facts full', 'crash'],
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: 'return ids;',
        mutated: 'return ids.splice(0);',
      },
    ],
  },
  {
    name: 'no sweep after take-over',
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: 'if (version !== definitions.segmentsVersion) note();',
        mutated: `if (version === -1) {
        version = definitions.segmentsVersion;
        ({ revision } = definitions);
        report();
      }
      if (version !== definitions.segmentsVersion) note();`,
      },
    ],
  },
  {
    name: 'segments that time alone changes looked at only when something happens',
    faults: ['night'],
    changes: [
      {
        file: 'actors/timers.ts',
        original: 'return earliest(ownTimerAt(state), orNull(state.segmentsDueAt));',
        mutated: 'return earliest(ownTimerAt(state), null);',
      },
    ],
  },
  ...FLAG_MUTANTS,
  ...ERASURE_MUTANTS,
  ...PLAY_MUTANTS,
  ...LIFECYCLE_MUTANTS,
  ...SESSION_MUTANTS,
  ...CAMPAIGN_MUTANTS,
  ...QUARANTINE_MUTANTS,
];
