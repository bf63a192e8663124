import type { Stop } from '../log.ts';
import { subjectMatches } from '../subject-match.ts';
import type { Connection } from './connection.ts';

type OnMessage = (data: Uint8Array, subject: string) => void;

interface Listener {
  connection: Connection;
  pattern: string;
  group: string | undefined;
  onMessage: OnMessage;
  /** False until the subscription has reached the broker, and while the connection is broken. */
  live: boolean;
}

/** Plain messages to current subscribers, at most once; in a group, subscribers take turns. */
export interface Messages {
  publish(subject: string, data: Uint8Array): void;
  subscribe(connection: Connection, pattern: string, onMessage: OnMessage, group?: string): Stop;
}

export function createMessages(): Messages {
  const listeners = new Set<Listener>();
  let turn = 0;

  const send = (listener: Listener, subject: string, data: Uint8Array) =>
    listener.connection.toClient(() => {
      if (listeners.has(listener)) listener.onMessage(data, subject);
    });

  return {
    publish(subject, data) {
      const groups = new Map<string, Listener[]>();
      for (const listener of listeners) {
        if (!listener.live || !subjectMatches(listener.pattern, subject)) continue;
        if (listener.group === undefined) {
          send(listener, subject, data);
        } else {
          const group = `${listener.group} ${listener.pattern}`;
          groups.set(group, [...(groups.get(group) ?? []), listener]);
        }
      }
      for (const members of groups.values()) {
        const chosen = members[turn++ % members.length];
        if (chosen !== undefined) send(chosen, subject, data);
      }
    },
    subscribe(connection, pattern, onMessage, group) {
      const listener: Listener = { connection, pattern, group, onMessage, live: false };
      const enter = () =>
        connection.toBroker(() => {
          listener.live = true;
        });
      const stopListening = connection.onChange((connected) => {
        if (connected) enter();
        else listener.live = false;
      });
      listeners.add(listener);
      enter();
      return () => {
        listeners.delete(listener);
        stopListening();
      };
    },
  };
}
