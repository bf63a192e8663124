import type { HandedCommands, LocalGateway } from '../../../core/vocabulary/commands/local-gateway.ts';
import { NO_HANDED_COMMANDS } from '../../../core/vocabulary/commands/local-gateway.ts';
import type { Command } from '../../../core/vocabulary/commands/commands.ts';
import type { History } from '../history.ts';
import type { World } from '../world.ts';

/** A command that an owner took from the gateway of its process. */
export interface TakenCommand {
  command: Command;
  tick: number;
  atMs: number;
}

/** What was handed over and decided since the previous record of an owner. */
export interface HandedRecord {
  /** In turns that gave no record. */
  earlier: readonly TakenCommand[];
  /** In the turn of the record, after the commands that were read from REQUESTS. */
  last: readonly TakenCommand[];
}

const NOTHING: HandedRecord = { earlier: [], last: [] };

/** The commands that the owners of one process took from its gateway. */
export interface Handed {
  /** The gateway as its owners see it. */
  watch(local: LocalGateway): LocalGateway;
  /** An owner sends a record of a partition to the log, perhaps not for the first time. */
  sends(partition: number, data: Uint8Array): void;
}

/** What was handed over in each record, by the record's content, which no two records share. */
export interface HandedByRecord {
  of(data: Uint8Array): HandedRecord;
  /** For one process; `hands`: whether its gateway hands over at all. */
  process(world: World, history: History, hands: boolean): Handed;
}

export function createHandedByRecord(): HandedByRecord {
  const byRecord = new Map<string, HandedRecord>();
  const keyOf = (data: Uint8Array): string => Buffer.from(data).toString('latin1');

  function createHanded(world: World, history: History, hands: boolean): Handed {
    /** In no record yet, by partition. */
    const decided = new Map<number, HandedRecord>();

    function watchPartition(partition: number, handed: HandedCommands): HandedCommands {
      let taken: TakenCommand[] = [];
      decided.delete(partition);
      return {
        ...handed,
        take() {
          const command = handed.peek();
          handed.take();
          if (command === undefined) return;
          world.cover('command handed over');
          history.sent([command]);
          taken.push({ command, tick: world.tick(), atMs: world.clock.monotonicMs() });
        },
        settle() {
          const { earlier, last } = decided.get(partition) ?? NOTHING;
          decided.set(partition, { earlier: [...earlier, ...last], last: taken });
          taken = [];
          return handed.settle();
        },
        putBack(commands) {
          if (commands.length > 0) world.cover('commands put back');
          handed.putBack(commands);
        },
        stop() {
          if (taken.length > 0) world.cover('commands taken and not settled');
          decided.delete(partition);
          handed.stop();
        },
      };
    }

    return {
      watch: (local) => ({
        ...local,
        commands: (partition, onWaiting) =>
          hands ? watchPartition(partition, local.commands(partition, onWaiting)) : NO_HANDED_COMMANDS,
      }),
      sends(partition, data) {
        const record = decided.get(partition);
        decided.delete(partition);
        if (record !== undefined) byRecord.set(keyOf(data), record);
      },
    };
  }

  return { of: (data) => byRecord.get(keyOf(data)) ?? NOTHING, process: createHanded };
}
