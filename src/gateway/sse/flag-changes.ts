import { decidesFlags } from '../../../core/vocabulary/documents/document-kinds.ts';
import { type Environment, environmentsOf } from '../../../core/vocabulary/documents/scope.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { LiveReader } from '../../../streams/live-feed.ts';
import type { ChangesRequest } from '../../api/flags/evaluate/changes-request.ts';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { createHeartbeats } from '../../../core/kernel/metrics/heartbeats.ts';
import { FLAG_API_LIMITS } from '../../api/flags/limits.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { ChangesMetrics } from './metrics.ts';
import { changedMessage, connectedMessage, heartbeatMessage } from './change-messages.ts';

/*
 * The streams of changed flags of one process.
 *
 * Owns the readers, by game and environment, and one timer for each game and environment with an unsent change.
 *
 * Invariants
 * 1. A reader that stays connected gets the latest revision: a change starts a timer unless one runs, and once all
 *    readers have a revision, a newer one starts another timer.
 * 2. Games with changes but without readers cost nothing.
 * 3. One turn of the event loop writes to at most `changesAtOnce` readers.
 * 4. A reader that leaves more than `changesReaderBytes` unread is disconnected; it resumes with `Last-Event-ID`.
 */
export interface FlagChanges {
  attach(request: ChangesRequest, reader: LiveReader): () => void;
  readonly readers: number;
  stop(): void;
}

export interface FlagChangesOptions {
  config: Pick<ConfigStore, 'targetingRevision' | 'onChange'>;
  clock: Clock;
  metrics: Pick<ChangesMetrics, 'changeReaders' | 'changeMessages' | 'changeDelay' | 'changeDisconnects'>;
  heartbeatMs: number;
}

interface Member {
  scope: Scope;
  kind: ChangesRequest['kind'];
  reader: LiveReader;
  /** The revision of the last message to the reader. */
  sentRevision: number;
}

/** A game and environment with readers. */
interface Scope {
  game: string;
  environment: Environment;
  members: Set<Member>;
  /** Set from a change until it was sent to every reader. */
  cancel: Cancel | undefined;
}

export function createFlagChanges({ config, clock, metrics, heartbeatMs }: FlagChangesOptions): FlagChanges {
  const scopes = new Map<string, Scope>();
  const heartbeats = createHeartbeats<Member>({ clock, intervalMs: heartbeatMs, beat });
  let readers = 0;
  let opened = 0;
  const revisionOf = ({ game, environment }: Scope): number => config.targetingRevision(game, environment);

  const stopListening = config.onChange(({ address: { game, environment, kind }, entry }) => {
    if (!decidesFlags(kind, entry?.document)) return;
    for (const each of environmentsOf(environment)) {
      const scope = scopes.get(`${game}.${each}`);
      if (scope !== undefined && scope.cancel === undefined) gather(scope);
    }
  });

  function gather(scope: Scope): void {
    const changedMs = clock.monotonicMs();
    scope.cancel = clock.timer(FLAG_API_LIMITS.changesGatherMs, () => sendToAll(scope, changedMs));
  }

  function sendToAll(scope: Scope, changedMs: number): void {
    const revision = revisionOf(scope);
    const messages = messagesOf(scope, revision);
    const due = [...scope.members];
    function sendToSome(): void {
      for (const member of due.splice(0, GATEWAY_LIMITS.changesAtOnce)) {
        if (scope.members.has(member) && member.sentRevision < revision) send(member, revision, messages);
      }
      scope.cancel = due.length > 0 ? clock.timer(0, sendToSome) : undefined;
      if (scope.cancel !== undefined) return;
      metrics.changeDelay.observe((clock.monotonicMs() - changedMs) / 1000);
      if (scope.members.size > 0 && revisionOf(scope) > revision) gather(scope);
    }
    sendToSome();
  }

  /** The message for each kind of key. */
  function messagesOf(scope: Scope, revision: number): Record<Member['kind'], Uint8Array> {
    const spreadMs = Math.ceil((scope.members.size * 1000) / GATEWAY_LIMITS.changesRefetchesPerSecond);
    return {
      client: changedMessage(['flags_changed'], revision, spreadMs),
      server: changedMessage(['flags_changed', 'definitions_changed'], revision, spreadMs),
    };
  }

  function send(member: Member, revision: number, messages: Record<Member['kind'], Uint8Array>): void {
    if (!write(member, messages[member.kind])) return;
    member.sentRevision = revision;
    metrics.changeMessages.inc();
  }

  function beat(member: Member): void {
    write(member, heartbeatMessage(clock.wallMs()));
  }

  /** @returns false if the reader is too slow and was disconnected */
  function write(member: Member, message: Uint8Array): boolean {
    if (member.reader.bufferedBytes() > GATEWAY_LIMITS.changesReaderBytes) {
      metrics.changeDisconnects.inc({ reason: 'slow' });
      detach(member);
      member.reader.end();
      return false;
    }
    member.reader.write(message);
    return true;
  }

  function detach(member: Member): void {
    const { scope } = member;
    if (!scope.members.delete(member)) return;
    heartbeats.remove(member);
    readers -= 1;
    metrics.changeReaders.set(readers);
    if (scope.members.size > 0) return;
    scope.cancel?.();
    scope.cancel = undefined;
    scopes.delete(`${scope.game}.${scope.environment}`);
  }

  function scopeOf({ game, environment }: ChangesRequest): Scope {
    const name = `${game}.${environment}`;
    const held = scopes.get(name);
    if (held !== undefined) return held;
    const made: Scope = { game, environment, members: new Set(), cancel: undefined };
    scopes.set(name, made);
    return made;
  }

  return {
    get readers() {
      return readers;
    },
    attach(request, reader) {
      const scope = scopeOf(request);
      const revision = revisionOf(scope);
      const member: Member = { scope, kind: request.kind, reader, sentRevision: revision };
      scope.members.add(member);
      heartbeats.add(member);
      readers += 1;
      metrics.changeReaders.set(readers);
      // Clients of a gateway that ended reconnect at different times.
      const retryMs = SHARED_LIMITS.streamRetryMs + ((opened++ * RETRY_STEP_MS) % GATEWAY_LIMITS.changesRetrySpreadMs);
      const isCurrent = request.lastEventId === undefined || request.lastEventId === String(revision);
      reader.write(connectedMessage(revision, retryMs, isCurrent));
      // An id of another log is unequal too, and may be higher.
      if (!isCurrent) send(member, revision, messagesOf(scope, revision));
      return () => detach(member);
    },
    stop() {
      stopListening();
      heartbeats.stop();
      for (const { cancel } of scopes.values()) cancel?.();
    },
  };
}

/** A prime, so that consecutive readers get different times in `changesRetrySpreadMs`. */
const RETRY_STEP_MS = 977;
