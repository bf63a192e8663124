import type { Socket } from 'node:net';

/** Which sockets may stay open. */
export interface ConnectionPlaces {
  /** Takes a new socket in, and closes the one that has been idle for longest if there is no place left. */
  add(socket: Socket): void;
  /** Keeps a socket open while its statement runs. Returns the function that ends this. */
  hold(socket: Socket): () => void;
  /** Gives a socket one of the reserved places, if one is free: its client has authenticated as the service. */
  reserve(socket: Socket): void;
}

/**
 * Places for open sockets. One client that opens many cannot keep others out.
 *
 * Owns which socket is idle, held or reserved. A new socket always gets a place: the one idle for longest loses its
 * own. Invariants: at most `most` sockets are idle or held, unless more than that run statements; at most `reserved`
 * others are reserved, and these are closed by nobody here.
 */
export function createConnectionPlaces(options: { most: number; reserved: number }): ConnectionPlaces {
  // In the order of their last use; a Set keeps the order of insertion.
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
