import { parseArgs } from 'node:util';
import { startService } from '../support/running-service.ts';
import { fuzzService } from './fuzz-service.ts';

/* `npm run fuzz -- --minutes 30 --seed 7`: ends with 1 when something was found. The input of each problem is printed. */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
const timer = setTimeout(() => stop.abort(), Number(values.minutes) * 60_000);

print(`seed ${values.seed}, ${values.minutes} minutes`);
const service = await startService({ LOG_LEVEL: 'error' });
try {
  const report = await fuzzService(service, {
    seed: Number(values.seed),
    rounds: Infinity,
    isOver: () => stop.signal.aborted,
  });
  const answers = [...report.answers].map(([answer, count]) => `${answer} × ${count}`).join(', ');
  print(`${report.requests} requests, ${report.connections} raw connections; answers: ${answers}`);
  print(`longest turn of the main thread: ${report.worst.stallMs.toFixed(1)} ms, by ${report.worst.input}`);
  for (const problem of report.problems) print(`PROBLEM ${problem}`);
  print(report.problems.length === 0 ? 'nothing found' : `${report.problems.length} problems`);
  if (report.problems.length > 0) print(service.supervised.output().slice(-4_000));
  process.exitCode = report.problems.length === 0 ? 0 : 1;
} finally {
  clearTimeout(timer);
  await service.stop();
}
