import { afterEach, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../../support/in-memory/http-gateway.ts';
import { type ReverseProxy, startReverseProxy } from '../../../support/servers/reverse-proxies.ts';
import { until } from '../../../support/until.ts';

/* Two gateways behind the shipped files for two: one that ends takes no request with it, and nobody is left out. */

let gateways: Gateway[] = [];
let proxy: ReverseProxy | undefined;
afterEach(async () => {
  await proxy?.stop();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  gateways = [];
});

test.each(['nginx', 'haproxy'] as const)('%s checks both gateways, and leaves out the one that ended', async (name) => {
  const [one, two] = await Promise.all([startGateway(), startGateway()]);
  gateways = [one, two];
  const running = await startReverseProxy(name, one.port, two.port);
  proxy = running;
  const statuses = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await fetch(`http://127.0.0.1:${running.port}/healthz`, { headers: { Connection: 'close' } });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
  // Checks have run several times: a check that the service refuses would have taken both out.
  const sinceMs = performance.now();
  await until('checks were made', async () => {
    expect(new Set(await statuses(4))).toEqual(new Set([200]));
    return performance.now() - sinceMs > CHECKS_MS;
  });
  gateways = [two];
  await one.close();
  expect(new Set(await statuses(20))).toEqual(new Set([200]));
});

/** Longer than two checks of HAProxy fail. */
const CHECKS_MS = 6_000;
