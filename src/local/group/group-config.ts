import { Type } from 'typebox';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Log } from '../../../streams/log/log.ts';
import { configSeenSubject } from '../../../streams/subjects.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';
import type { ProcessGroup } from '../../settings/config.ts';
import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import { LOCAL_LIMITS } from '../limits.ts';

/** One message between the processes of a group. */
const Message = Type.Object({
  from: Type.Integer({ description: 'Number of the sending process.' }),
  to: Type.Optional(Type.Integer({ description: 'In an answer: the process that asked.' })),
  revision: Type.Integer({ description: 'The revision of CONFIG that is asked for, or that was seen.' }),
});
const check = compile(Message);

export interface GroupConfigOptions {
  store: ConfigStore;
  group: Pick<ProcessGroup, 'number' | 'count'>;
  /** A name that only the processes of this group know. */
  groupName: string;
  log: Pick<Log, 'publish' | 'subscribe'>;
  clock: Clock;
}

/**
 * The config store of a process whose callers may reach another process of the group with their next request: a write
 * resolves once all of them have seen it, at most after `configGroupMs`.
 */
export function createGroupConfig({ store, group, groupName, log, clock }: GroupConfigOptions): ConfigStore {
  const subject = configSeenSubject(groupName);
  const waiting = new Set<{ revision: number; missing: Set<number>; finish: () => void }>();
  const send = (message: { to?: number; revision: number }): void =>
    log.publish(subject, Buffer.from(JSON.stringify({ from: group.number, ...message })));

  async function onMessage(data: Uint8Array): Promise<void> {
    const message = read(data);
    if (!check.accepts(message) || message.from === group.number) return;
    const { from, to, revision } = message;
    if (to === undefined) {
      if (await store.seen(revision, LOCAL_LIMITS.configGroupMs)) send({ to: from, revision });
      return;
    }
    if (to !== group.number) return;
    for (const waiter of waiting) {
      if (waiter.revision <= revision) waiter.missing.delete(from);
      if (waiter.missing.size === 0) waiter.finish();
    }
  }

  function seenByAll(revision: number): Promise<void> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const others = Array.from({ length: group.count }, (_, place) => place + 1).filter(
        (each) => each !== group.number,
      );
      const waiter = {
        revision,
        missing: new Set(others),
        finish() {
          cancel();
          waiting.delete(waiter);
          resolve();
        },
      };
      waiting.add(waiter);
      cancel = clock.timer(LOCAL_LIMITS.configGroupMs, () => waiter.finish());
      send({ revision });
    });
  }

  const unsubscribe = log.subscribe(subject, (data) => void onMessage(data));
  return {
    get revision() {
      return store.revision;
    },
    targetingRevision: (game, environment) => store.targetingRevision(game, environment),
    get: (address) => store.get(address),
    ended: (address) => store.ended(address),
    list: (kind, game, environment) => store.list(kind, game, environment),
    async put(address, document, revision) {
      const written = await store.put(address, document, revision);
      if (written.kind === 'written') await seenByAll(written.entry.revision);
      return written;
    },
    async delete(address, revision) {
      const deleted = await store.delete(address, revision);
      // This process has seen its own deletion, so its revision covers it.
      if (deleted) await seenByAll(store.revision);
      return deleted;
    },
    onChange: (listener) => store.onChange(listener),
    seen: (revision, timeoutMs) => store.seen(revision, timeoutMs),
    outdatedSecrets: () => store.outdatedSecrets(),
    stop() {
      unsubscribe();
      store.stop();
    },
  };
}

function read(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
