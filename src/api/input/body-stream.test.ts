import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { INPUT_LIMITS } from './limits.ts';
import { openBodyStream, type BodySource } from './body-stream.ts';

const MIB = 1024 * 1024;
/** The library closes after 10 s, which it measures in steps of 4 s. */
const IDLE_MS = 8_000;

/** A request as uWebSockets.js has it: what starts and stops its idle timer. */
function setUp(mostBytes = 100 * MIB) {
  const clock = createFakeClock();
  let onData = (_chunk: ArrayBuffer, _isLast: boolean): void => {};
  let isPaused = false;
  let isClosed = false;
  let cancel = (): void => {};
  const stopTimer = () => cancel();
  const startTimer = () => {
    stopTimer();
    cancel = clock.timer(IDLE_MS, () => {
      isClosed = true;
      body.release();
    });
  };
  const source: BodySource = {
    onData(handler) {
      onData = handler;
    },
    pause() {
      isPaused = true;
      stopTimer();
    },
    resume() {
      isPaused = false;
      startTimer();
    },
  };
  const body = openBodyStream(source, clock, mostBytes);
  startTimer();
  const reader = body.chunks[Symbol.asyncIterator]();
  return {
    clock,
    body,
    receive(bytes: number, isLast = false) {
      if (isLast) stopTimer();
      else startTimer();
      onData(new ArrayBuffer(bytes), isLast);
    },
    async read(bytes: number): Promise<void> {
      for (let left = bytes; left > 0;) {
        const { value } = await reader.next();
        if (value === undefined) return;
        left -= value.length;
      }
    },
    get isPaused() {
      return isPaused;
    },
    get isClosed() {
      return isClosed;
    },
  };
}

const LONG_MS = 120_000;

describe('a body that is read while it arrives', () => {
  it('keeps its connection while the sender waits for the reader', async () => {
    const request = setUp();
    request.receive(2 * MIB);
    // The library has read more than one chunk.
    request.receive(MIB);
    await request.clock.advance(LONG_MS);
    expect(request).toMatchObject({ isPaused: true, isClosed: false });
    await request.read(2.5 * MIB);
    expect(request.isPaused).toBe(false);
    await request.clock.advance(IDLE_MS);
    expect(request.isClosed).toBe(true);
    expect(request.body).toMatchObject({ complete: false, released: true });
  });

  it('keeps its connection until the response, although it ended while the sender waited', async () => {
    const request = setUp();
    request.receive(2 * MIB);
    request.receive(10, true);
    await request.clock.advance(LONG_MS);
    await request.read(2 * MIB);
    await request.clock.advance(LONG_MS);
    expect(request).toMatchObject({ isPaused: false, isClosed: false });
    await request.body.discard();
    request.body.release();
    expect(request.body.complete).toBe(true);
    await request.clock.advance(LONG_MS);
    expect(request.clock.timers).toBe(0);
  });

  it('holds little more than its bound', () => {
    const request = setUp();
    request.receive(INPUT_LIMITS.listWaitingBytes);
    expect(request.isPaused).toBe(false);
    request.receive(1);
    expect(request.isPaused).toBe(true);
  });
});
