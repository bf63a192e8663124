import { Command, Option } from 'commander';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { createEventTraceSource } from '../../../clickhouse-schema/queries/events/event-trace.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { traceEvent } from '../../trace/trace-event.ts';
import { notFoundText, traceLines } from '../../trace/trace-lines.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';

interface TraceOptions {
  game?: string;
  environment?: 'live' | 'test';
  json?: true;
}

/** `trace <event id>` */
export function traceCommand(context: CliContext): Command {
  return new Command('trace')
    .description(
      'Print where an event went: the log, its row in ClickHouse, the event stream, webhooks. Exit code 1: none.',
    )
    .argument('<event id>', 'the `event_id` of its answer')
    .option('--game <id>', 'only events of this game')
    .addOption(new Option('--environment <name>', 'only events of this environment').choices(['live', 'test']))
    .option('--json', 'print JSON: one object for each event with the id')
    .action((eventId: string, options: TraceOptions) => runTrace(eventId, options, context));
}

function runTrace(eventId: string, { game, environment, json }: TraceOptions, context: CliContext): Promise<void> {
  return context.withDeployment(async (store, log) => {
    const client = openClient(context.clickhouse(), 'trace', (EVENT_QUERY_LIMITS.traceSeconds + 5) * 1000);
    try {
      const source = createEventTraceSource(client);
      const traces = await traceEvent({ log, clock: context.clock, source }, eventId, { game, environment });
      if (traces.found.length === 0) throw new CliError(notFoundText(eventId, traces));
      for (const trace of traces.found) {
        if (json === true) {
          context.print(JSON.stringify(trace));
          continue;
        }
        const scope = {
          game: trace.row.game,
          environment: trace.row.environment === 'test' ? 'test' : 'live',
        } as const;
        const nameOf = (key: string) => store.get({ ...scope, kind: 'webhook', key })?.document.name ?? 'deleted';
        for (const line of traceLines(trace, nameOf)) context.print(line);
      }
    } finally {
      await client.close();
    }
  });
}
