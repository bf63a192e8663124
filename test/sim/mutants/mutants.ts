import { MERGE_MUTANTS } from './merge-mutants.ts';
import { CAMPAIGN_MUTANTS } from './campaign-mutants.ts';
import type { Mutant } from './mutant.ts';
import { COMPUTED_MUTANTS } from './computed-mutants.ts';
import { ERASURE_MUTANTS } from './erasure-mutants.ts';
import { EXPERIMENT_MUTANTS } from './experiment-mutants.ts';
import { FLAG_MUTANTS } from './flag-mutants.ts';
import { IMPORT_MUTANTS } from './import-mutants.ts';
import { LIFECYCLE_MUTANTS } from './lifecycle-mutants.ts';
import { LIST_MUTANTS } from './list-mutants.ts';
import { PLAY_MUTANTS } from './play-mutants.ts';
import { QUARANTINE_MUTANTS } from './quarantine-mutants.ts';
import { RARE_MUTANTS } from './rare-mutants.ts';
import { SESSION_MUTANTS } from './session-mutants.ts';

/**
 * Every mutant removes one safeguard of the protocol.
 *
 * Some safeguards have no mutant, because no run failed without them alone (1,000 seeds each and more):
 * - A gateway that accepts replies of lower epochs. An owner sends only replies that are stored, or that its lease or a
 *   proof covers, so a late reply was still true at some time between request and reply.
 * - A query that does not wait for an append in progress. It reads committed state, and may or may not see what is not
 *   acknowledged.
 * - A publish without message id. The owner recognises commands that it decided before by the gateway's numbers.
 * - The lease check of commands without that of queries. A stale owner reads the same commands as its successor, in the
 *   same order; a command that changes anything fails at the fence. Commands handed over in a process that hangs have
 *   callers who wait for the same process.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the owner replies before its append is acknowledged',
    changes: [
      {
        file: 'actors/runtime/term/partition-owner.ts',
        original: 'queryHandler.hold(commit.draft.changed);',
        mutated: 'sendReplies(commit.replies);',
      },
    ],
  },
  {
    name: 'a new owner appends no barrier when it takes over',
    changes: [
      {
        file: 'actors/runtime/term/take-over.ts',
        original: 'const record: CommitRecord = {',
        mutated: `if (last !== undefined) return { kind: 'appended', epoch: last.sequence, position };
          const record = {`,
      },
    ],
  },
  {
    name: 'appends carry no expected sequence, so nothing fences a former owner',
    changes: [
      {
        file: 'actors/runtime/term/fenced-append.ts',
        original: '{ expectedLastSequence, timeoutMs: APPEND_TIMEOUT_MS }',
        mutated: '{ timeoutMs: APPEND_TIMEOUT_MS }',
      },
    ],
  },
  {
    name: 'the owner answers commands without facts, and queries, without checking its lease',
    faults: ['handover'],
    changes: [
      {
        file: 'actors/runtime/term/partition-owner.ts',
        original: '!queryHandler.wantsProof && options.leaseHeld()) {',
        mutated: '!queryHandler.wantsProof) {',
      },
      {
        file: 'actors/runtime/term/query-handler.ts',
        original: 'const trusted = leaseHeld();',
        mutated: 'const trusted = true;',
      },
    ],
  },
  {
    name: 'the sink chooses new batch bounds after a crash, not those of its stored intent',
    changes: [
      {
        file: 'streams/sinks/clickhouse/stream-writer.ts',
        original: 'let exactlyTo = unfinished?.to;',
        mutated: 'let exactlyTo: number | undefined = undefined;',
      },
    ],
  },
  {
    name: 'replay applies facts again that the stored state already includes',
    changes: [
      {
        file: 'actors/runtime/term/entities.ts',
        original: 'if (held !== undefined && held.state.lastSeq >= sequence) {',
        mutated: 'if (held === undefined && sequence < 0) {',
      },
    ],
  },
  {
    name: 'entities that the store holds ahead of its mark wait for a snapshot before those of the replay',
    changes: [
      {
        file: 'actors/runtime/term/entities.ts',
        original: 'if (stored.dirtySince <= storedSeq) waitsFromStore',
        mutated: 'waitsFromStore',
      },
    ],
  },
  {
    name: 'the owner steps down on a fence error without checking who wrote the record',
    changes: [
      {
        file: 'actors/runtime/term/fenced-append.ts',
        original: 'const found = await whoseRecord(options);',
        mutated: `const found: FencedOutcome | undefined = { kind: 'deposed' };`,
      },
    ],
  },
  {
    name: 'the position moves past commands of a batch that are not decided yet',
    changes: [
      {
        file: 'actors/runtime/term/request-feed.ts',
        original: 'position = { stream: created, sequence, index: batch.next, publishedAtMs };',
        mutated: 'position = { stream: created, sequence, index: batch.commands.length - 1, publishedAtMs };',
      },
    ],
  },
  {
    name: 'the barrier drops the position of the last record',
    changes: [
      {
        file: 'actors/runtime/term/take-over.ts',
        original: 'const { position, configRevision } =',
        mutated: 'const position = null; const { configRevision } =',
      },
    ],
  },
  {
    name: 'the owner decides commands whose deadline has passed',
    changes: [
      {
        file: 'actors/runtime/term/build-commit.ts',
        original: "if (command.deadlineAt < nowMs) return 'mayDiffer';",
        mutated: "if (command.deadlineAt < 0) return 'mayDiffer';",
      },
    ],
  },
  {
    name: 'the owner records no Idempotency-Key',
    changes: [
      {
        file: 'actors/idempotency/remember.ts',
        original: "draft.emit({ kind: 'IdempotencyKeyUsed', entityId: holderId, game, environment, at, ...used });",
        mutated: 'void [game, environment, at, used];',
      },
    ],
  },
  {
    name: 'the owner decides commands again that gateways stored again after REQUESTS was lost',
    faults: ['requests lost'],
    changes: [
      {
        file: 'actors/runtime/term/request-feed.ts',
        original: 'return mark !== undefined && numberOf(command) <= mark.command;',
        mutated: 'return mark === undefined && false;',
      },
    ],
  },
  {
    name: 'the owner sends replies without a record although it skipped commands',
    changes: [
      {
        file: 'actors/runtime/term/partition-owner.ts',
        original: '!commit.needsAppend && !mayDiffer &&',
        mutated: '!commit.needsAppend &&',
      },
    ],
  },
  {
    name: 'the owner sends its normal replies after FACTS refused the append',
    changes: [
      {
        file: 'actors/runtime/term/build-commit.ts',
        original: "return replies.map((reply) => ({ ...reply, reply: failure('SERVICE_UNAVAILABLE') }));",
        mutated: 'return replies;',
      },
    ],
  },
  {
    name: "the store's mark covers entities that the batch did not write",
    changes: [
      {
        file: 'actors/runtime/store/hot-entities.ts',
        original: 'if (entity !== undefined) batch.push(entity);',
        mutated: 'if (entity !== undefined && batch.length < 1) batch.push(entity);',
      },
    ],
  },
  {
    name: 'repeats of events in blocks are counted again',
    changes: [
      {
        file: 'actors/events/recent-events.ts',
        original: 'return findIn(olderEvents.client, isOne) ?? findIn(olderEvents.server, isOne);',
        mutated: 'return isOne.inBlock(new Uint8Array(10)) ? findIn(olderEvents.client, isOne) : undefined;',
      },
    ],
  },
  {
    name: 'the snapshot mark covers one record too many',
    changes: [
      {
        file: 'actors/runtime/store/snapshot-queue.ts',
        original: 'Math.min(appliedSeq, oldest.sinceSeq - 1)',
        mutated: 'Math.min(appliedSeq, oldest.sinceSeq)',
      },
    ],
  },
  {
    name: 'the trimmer ignores the rebuild marks',
    changes: [
      {
        file: 'streams/facts/facts-trimmer.ts',
        original: 'bounds.push(1 + (await rebuildableTo(positions, partition, created)));',
        mutated: '',
      },
    ],
  },
  {
    name: 'the webhook matcher moves its position before the deliveries are stored',
    changes: [
      {
        file: 'streams/sinks/webhooks/matching/facts/match-window.ts',
        original: 'return first === undefined ? taken : first.sequence - 1;',
        mutated: 'return first === undefined ? taken : taken;',
      },
    ],
  },
  {
    name: 'the acknowledgement of an earlier append releases queries that arrived after it was sent',
    faults: ['handover'],
    changes: [
      {
        file: 'actors/runtime/term/query-handler.ts',
        original: `for (const query of outcome === 'proved' ? before : []) {`,
        mutated: `for (const query of outcome === 'proved' ? [...before, ...since] : []) {`,
      },
    ],
  },
  {
    name: 'take-over uses a local store although FACTS no longer reaches back to its mark',
    changes: [
      {
        file: 'actors/runtime/rebuild/rebuild.ts',
        original: 'bounds.firstSequence <= mark.appliedSeq + 1 &&',
        mutated: '',
      },
    ],
  },
  {
    name: 'a contender takes the lease from a live holder',
    changes: [
      {
        file: 'streams/leases/lease.ts',
        original: 'found.holder === null || isGone(found.holder)',
        mutated: 'found.holder === null || isGone(found.holder) || true',
      },
    ],
  },
  {
    name: 'commands are handed over while earlier ones wait in REQUESTS',
    changes: [
      {
        file: 'src/gateway/backend/request-publisher.ts',
        original: 'while (published.some(({ requestId }) => isWaiting(requestId))) {',
        mutated: 'while (false) {',
      },
    ],
  },
  {
    name: 'commands are handed over before the backlog in REQUESTS is decided',
    changes: [
      {
        file: 'actors/runtime/term/term-work.ts',
        original: '(feed.backlogTaken ? local.peek() : undefined)',
        mutated: 'local.peek()',
      },
    ],
  },
  {
    name: 'commands of a record in doubt are put back',
    changes: [
      {
        file: 'actors/runtime/term/partition-owner.ts',
        original: `      case 'abandoned':
        return 'deposed';`,
        mutated: `      case 'abandoned':
        handed.putBack(decided);
        return 'deposed';`,
      },
    ],
  },
  {
    name: 'commands of a committed record are put back when the term ends',
    changes: [
      {
        file: 'src/gateway/backend/request-publisher.ts',
        original: `          const settled = taken;
          taken = [];
          return settled;`,
        mutated: 'return taken;',
      },
    ],
  },
  {
    name: 'a watch that catches up gives each entry as it comes',
    changes: [
      {
        file: 'streams/log/whole-states.ts',
        original: 'if (!isSkipping && held.length === 0) {',
        mutated: 'if (!isSkipping || held.length === 0) {',
      },
    ],
  },
  {
    name: 'a sink that fell behind the shared reader continues at its oldest record',
    changes: [
      {
        file: 'streams/log/shared-reader.ts',
        original: 'if (isJoined(sink)) return takeRecent(sink, maxRecords, maxBytes);',
        mutated: `if (sink.own === undefined) {
          sink.place = Math.max(sink.place, recent.first);
          return takeRecent(sink, maxRecords, maxBytes);
        }`,
      },
    ],
  },
  {
    name: 'the sink writes its position without comparing the revision',
    changes: [
      {
        file: 'streams/stored-value.ts',
        original: 'await bucket.put(key, bytes, revision);',
        mutated: 'await bucket.put(key, bytes);',
      },
    ],
  },
  {
    name: 'the sink ends as soon as it cannot trust its lease for a moment',
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
    name: 'the ledgers of one API key share a row in ClickHouse',
    changes: [
      {
        file: 'clickhouse-schema/rows/tables/player-tables.ts',
        original: 'return `${ledgerId}/${partition}`;',
        mutated: 'return partition < 0 ? String(partition) : ledgerId;',
      },
    ],
  },
  {
    name: 'the sink stores a rebuild mark before it inserts the snapshots',
    faults: ['clickhouse trouble', 'empty disk', 'crash'],
    changes: [
      {
        file: 'streams/sinks/clickhouse/batch-writer.ts',
        original: 'const inserted = await Promise.all(',
        mutated: `for (const mark of batch.marks.values()) await noteRebuildMark(mark, position.stream, batch.to);
    const inserted = await Promise.all(`,
      },
    ],
  },
  {
    name: 'the event stream skips one event when a client resumes',
    changes: [
      {
        file: 'streams/sinks/live/position.ts',
        original: 'index: Number(index) + 1 };',
        mutated: 'index: Number(index) + 2 };',
      },
    ],
  },
  {
    name: 'segment transitions land in a later record than the facts that cause them',
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
    name: 'the segment sweep skips players that are only in memory',
    changes: [
      {
        file: 'actors/runtime/sweep/segment-sweep.ts',
        original: `state = 'noted';`,
        mutated: `state = 'running';`,
      },
    ],
  },
  {
    name: 'the segment sweep drops the players of a record that FACTS refused',
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
    name: 'the owner starts no segment sweep after take-over',
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
    name: 'no timer runs for segments that change with time alone',
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
  ...EXPERIMENT_MUTANTS,
  ...IMPORT_MUTANTS,
  ...ERASURE_MUTANTS,
  ...PLAY_MUTANTS,
  ...LIFECYCLE_MUTANTS,
  ...LIST_MUTANTS,
  ...COMPUTED_MUTANTS,
  ...SESSION_MUTANTS,
  ...CAMPAIGN_MUTANTS,
  ...QUARANTINE_MUTANTS,
  ...RARE_MUTANTS,
  ...MERGE_MUTANTS,
];
