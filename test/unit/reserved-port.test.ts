import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { reservedPort } from '../support/servers/reserved-port.ts';

it('a port is given out once, whoever asks at the same time, and is free to listen on', async () => {
  const here = Promise.all(Array.from({ length: 100 }, reservedPort));
  const others = [portsOfProcess(100), portsOfProcess(100)];
  const elsewhere = await Promise.all(others.map(({ ports }) => ports));
  const ports = [...(await here), ...elsewhere.flat()];
  for (const { end } of others) end();
  expect(ports).toHaveLength(300);
  expect(new Set(ports).size).toBe(300);
  for (const port of ports.slice(0, 20)) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Ports that another process reserves until `end`. */
function portsOfProcess(count: number): { ports: Promise<number[]>; end: () => void } {
  const module = new URL('../support/servers/reserved-port.ts', import.meta.url).href;
  const source =
    `const { reservedPort } = await import(${JSON.stringify(module)});` +
    `console.log(JSON.stringify(await Promise.all(Array.from({ length: ${count} }, reservedPort))));` +
    `await new Promise((resolve) => setTimeout(resolve, 60_000));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source]);
  const ports = new Promise<number[]>((resolve, reject) => {
    let text = '';
    child.on('error', reject);
    child.stdout.on('data', (data) => {
      text += String(data);
      if (text.includes('\n')) resolve(JSON.parse(text));
    });
    child.on('close', () => reject(new Error(`the process ended after: ${text}`)));
  });
  return { ports, end: () => void child.kill('SIGKILL') };
}
