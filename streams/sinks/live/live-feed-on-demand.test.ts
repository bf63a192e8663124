import { beforeEach, describe, expect, it } from 'vitest';
import { LIVE_LIMITS } from './limits.ts';
import { setUp, typesOf } from './testing-readers.ts';

describe('a live stream on demand', () => {
  let world: ReturnType<typeof setUp>;
  /** Readers of FACTS that were opened, and those among them that were stopped. */
  let opened: number;
  let stopped: number;

  beforeEach(async () => {
    world = setUp(undefined, true);
    [opened, stopped] = [0, 0];
    const { log } = world;
    const read = log.read.bind(log);
    log.read = (stream, terms) => {
      const reader = read(stream, terms);
      opened += 1;
      const stop = reader.stop.bind(reader);
      reader.stop = () => {
        stopped += 1;
        stop();
      };
      return reader;
    };
    await world.feed.start();
  });

  it('does not read the log without readers', async () => {
    await world.track('e1');
    await world.clock.advance(60_000);
    expect(opened).toBe(0);
  });

  it('sends its first reader connected, and every event from then on', async () => {
    const { clock, attach, track } = world;
    await track('before');
    const { reader } = attach();
    const { reader: second } = attach();
    await clock.flush();
    await track('e1', 'e2');
    await clock.flush();
    for (const each of [reader, second]) {
      expect(typesOf(each)[0]).toBe('connected');
      expect(each.eventIds()).toEqual(['e1', 'e2']);
    }
    expect(opened).toBe(1);
  });

  it('stops reading some time after its last reader left, and opens again for the next', async () => {
    const { clock, attach, track } = world;
    const first = attach();
    await clock.flush();
    first.detach();
    await clock.advance(LIVE_LIMITS.streamIdleMs / 2);
    const second = attach();
    await clock.advance(2 * LIVE_LIMITS.streamIdleMs);
    expect([opened, stopped]).toEqual([1, 0]);
    second.detach();
    await clock.advance(LIVE_LIMITS.streamIdleMs);
    expect([opened, stopped]).toEqual([1, 1]);
    await track('unseen');
    const third = attach();
    await clock.flush();
    await track('e1');
    await clock.flush();
    expect(third.reader.eventIds()).toEqual(['e1']);
    expect(opened).toBe(2);
  });

  it('stops reading when its only reader left while it opened', async () => {
    const { clock, attach } = world;
    attach().detach();
    await clock.advance(LIVE_LIMITS.streamIdleMs);
    expect(stopped).toBe(opened);
  });

  it('misses nothing for a reader that resumes after it was closed', async () => {
    const { clock, attach, track } = world;
    const first = attach();
    await clock.flush();
    await track('e1');
    await clock.flush();
    first.detach();
    await clock.advance(LIVE_LIMITS.streamIdleMs);
    await track('e2', 'e3');
    const lastEventId = first.reader.lastId();
    const { reader } = attach(lastEventId === undefined ? {} : { lastEventId });
    await clock.advance(1_000);
    await track('e4');
    await clock.advance(1_000);
    expect(reader.eventIds()).toEqual(['e2', 'e3', 'e4']);
    expect(typesOf(reader)).not.toContain('gap');
  });
});
