import type { CommandBody, ExposeFlag, ServeFlags } from '../../../core/vocabulary/commands/commands.ts';
import type { DecideReceipt } from '../../../core/vocabulary/commands/recorded.ts';
import { MERGE_COMMANDS, type MergeCommand } from '../../../core/vocabulary/merge/merge-commands.ts';

type NotSimulated = ExposeFlag | ServeFlags | DecideReceipt | MergeCommand;
const NOT_SIMULATED: ReadonlySet<string> = new Set<NotSimulated['kind']>([
  'ExposeFlag',
  'ServeFlags',
  'DecideReceipt',
  ...MERGE_COMMANDS,
]);

/** The owner itself issues the commands that record evaluations; they never go through REQUESTS. */
export function simulated(body: CommandBody): Exclude<CommandBody, NotSimulated> {
  if (isNotSimulated(body)) throw new Error(`${body.kind} is not simulated`);
  return body;
}

function isNotSimulated(body: CommandBody): body is NotSimulated {
  return NOT_SIMULATED.has(body.kind);
}
