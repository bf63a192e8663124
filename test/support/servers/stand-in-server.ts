/**
 * Replaces a supervised child: answers 200 on every path of PORT and appends its own events to TRACE. With
 * IGNORE_SIGTERM=1 it ignores SIGTERM; with EXIT_CODE it exits at once with that code.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { NAME = 'child', PORT = '0', TRACE = '/dev/null', EXIT_CODE, IGNORE_SIGTERM } = process.env;
const trace = (what: string) => appendFileSync(TRACE, `${NAME} ${what} ${process.pid}\n`);

trace('started');
if (EXIT_CODE !== undefined) process.exit(Number(EXIT_CODE));
process.on('SIGTERM', () => {
  trace('terminating');
  if (IGNORE_SIGTERM === undefined) process.exit(0);
});
createServer((_request, response) => response.end('ok\n')).listen(Number(PORT), '127.0.0.1');
