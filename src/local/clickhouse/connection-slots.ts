import type { Socket } from 'node:net';

/** A bounded number of open sockets. */
export interface ConnectionSlots {
  /** Adds a new socket. If no slot is free, closes the socket that was idle for longest. */
  add(socket: Socket): void;
  /** Keeps a socket open while its statement runs. Returns the function that ends this. */
  hold(socket: Socket): () => void;
  /** Gives a socket a reserved slot, if one is free, after its client has authenticated as the service. */
  reserve(socket: Socket): void;
}

/**
 * Slots for open sockets, so that a client with many connections cannot exclude others.
 *
 * Owns the state of each socket: idle, held or reserved. A new socket always gets a slot; the socket that was idle for
 * longest is closed for it.
 * Invariants
 * 1. At most `most` sockets are idle or held, unless more than `most` run statements.
 * 2. At most `reserved` other sockets are reserved; they are never closed here.
 */
export function createConnectionSlots(options: { most: number; reserved: number }): ConnectionSlots {
  // In the order of last use: a Set keeps the order of insertion.
  const idle = new Set<Socket>();
  const held = new Map<Socket, number>();
  const reserved = new Set<Socket>();

  function forget(socket: Socket): void {
    idle.delete(socket);
    held.delete(socket);
    reserved.delete(socket);
  }

  return {
    add(socket) {
      socket.once('close', () => forget(socket));
      if (idle.size + held.size >= options.most) {
        const [oldest] = idle;
        if (oldest !== undefined) {
          forget(oldest);
          oldest.destroy();
        }
      }
      idle.add(socket);
    },
    hold(socket) {
      if (reserved.has(socket) || socket.destroyed) return () => {};
      idle.delete(socket);
      held.set(socket, (held.get(socket) ?? 0) + 1);
      return () => {
        const count = held.get(socket);
        if (count === undefined) return;
        if (count > 1) {
          held.set(socket, count - 1);
          return;
        }
        held.delete(socket);
        idle.add(socket);
      };
    },
    reserve(socket) {
      if (reserved.size >= options.reserved || socket.destroyed) return;
      idle.delete(socket);
      held.delete(socket);
      reserved.add(socket);
    },
  };
}
