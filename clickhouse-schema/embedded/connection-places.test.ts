import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnectionPlaces } from './connection-places.ts';

describe('places for connections', () => {
  it('go to a new socket; the one idle for longest is closed', () => {
    const places = createConnectionPlaces({ most: 2, reserved: 1 });
    const [first, second, third] = [new Socket(), new Socket(), new Socket()];
    for (const socket of [first, second]) places.add(socket);
    places.hold(first)();
    places.add(third);
    expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
  });

  it('are kept while a statement runs, and by the service', () => {
    const places = createConnectionPlaces({ most: 2, reserved: 1 });
    const [running, service, idle, newest] = [new Socket(), new Socket(), new Socket(), new Socket()];
    places.add(service);
    places.reserve(service);
    places.add(running);
    places.hold(running);
    places.add(idle);
    places.add(newest);
    expect([running, service, idle, newest].map(({ destroyed }) => destroyed)).toEqual([false, false, true, false]);
  });

  it('are not reserved without bound', () => {
    const places = createConnectionPlaces({ most: 1, reserved: 1 });
    const sockets = [new Socket(), new Socket()];
    for (const socket of sockets) {
      places.add(socket);
      places.reserve(socket);
    }
    places.add(new Socket());
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  });
});
