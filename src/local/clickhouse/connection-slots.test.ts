import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnectionSlots } from './connection-slots.ts';

describe('slots for connections', () => {
  it('close the socket that was idle for longest for a new one', () => {
    const connections = createConnectionSlots({ most: 2, reserved: 1 });
    const [first, second, third] = [new Socket(), new Socket(), new Socket()];
    for (const socket of [first, second]) connections.add(socket);
    connections.hold(first)();
    connections.add(third);
    expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  });

  it('are kept while a statement runs, and for the service', () => {
    const connections = createConnectionSlots({ most: 2, reserved: 1 });
    const [running, service, idle, newest] = [new Socket(), new Socket(), new Socket(), new Socket()];
    connections.add(service);
    connections.reserve(service);
    connections.add(running);
    connections.hold(running);
    connections.add(idle);
    connections.add(newest);
    expect([running, service, idle, newest].map(({ destroyed }) => destroyed)).toEqual([false, false, true, false]);
  });

  it('are reserved up to a bound', () => {
    const connections = createConnectionSlots({ most: 1, reserved: 1 });
    const sockets = [new Socket(), new Socket()];
    for (const socket of sockets) {
      connections.add(socket);
      connections.reserve(socket);
    }
    connections.add(new Socket());
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  });
});
