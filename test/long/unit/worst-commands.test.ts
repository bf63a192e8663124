import { expect, test } from 'vitest';
import { worstCommands } from '../../../actors/conditions/testing-worst-commands.ts';

/* Steps are a model of the time. Work that pays no steps shows only here. */

test.each(worstCommands())('$name takes about as long as its steps say', ({ prepare }) => {
  const run = prepare();
  // Others use this machine too: only a command that is slow every time is slow.
  const turnsMs = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  });
  // 2 to 40 ms each.
  expect(Math.min(...turnsMs)).toBeLessThan(1_000);
});
