import { sleep } from '../../../core/kernel/clock.ts';
import type { History } from '../history.ts';
import type { Operations } from './operations.ts';
import type { Random } from '../random.ts';
import type { SimProcess } from '../machines/sim-process.ts';
import type { World } from '../world.ts';
import { type ClientOutcome, isQuery, isUnavailable, type Operation, type Send } from './operation.ts';

/** A client gives up after this time, which is longer than any reply may take. */
const PATIENCE_MS = 12_000;
const RETRIES = 3;
const REMEMBERED_OPERATIONS = 12;

export interface ClientsOptions {
  world: World;
  history: History;
  operations: Operations;
  partitionOf: (entityId: string) => number;
  /** The processes that accept requests now. */
  serving: () => readonly SimProcess[];
}

/**
 * Callers of the service. Each sends one request at a time and retries what was not answered, usually through another
 * process.
 */
export interface Clients {
  /** Runs one client until `done`. */
  run(done: () => boolean): Promise<void>;
  /** Performs one operation, through the given process if there is one. */
  perform(operation: Operation, through?: SimProcess): Promise<ClientOutcome>;
}

export function createClients(options: ClientsOptions): Clients {
  const { world, operations, serving } = options;
  const random = world.random('clients');
  const sendVia = createSend(options, random);
  /** Operations that were done before and may be repeated. */
  const earlier: Operation[] = [];

  async function anyServing(): Promise<SimProcess> {
    for (;;) {
      const processes = serving();
      if (processes.length > 0) return random.pick(processes);
      await sleep(world.clock, 100);
    }
  }

  async function perform(operation: Operation, through?: SimProcess): Promise<ClientOutcome> {
    const send: Send = async (...request) => sendVia(through ?? (await anyServing()), ...request);
    let outcome = await operation.run(send);
    for (let retry = 0; retry < RETRIES && operation.safe && isUnavailable(outcome); retry++) {
      await sleep(world.clock, random.between(10, random.chance(0.5) ? 200 : 2_500));
      world.cover('client: repeats what was not answered');
      outcome = await operation.run(send);
    }
    if (operation.safe) earlier.push(operation);
    if (earlier.length > REMEMBERED_OPERATIONS) earlier.shift();
    return outcome;
  }

  return {
    perform,
    async run(done) {
      while (!done()) {
        await sleep(world.clock, random.between(5, random.chance(0.7) ? 250 : 1_500));
        const operation = random.chance(0.12) && earlier.length > 0 ? random.pick(earlier) : operations.next();
        if (operation.abuse !== undefined && random.chance(0.1)) {
          await perform(operation);
          await operation.abuse(async (...request) => sendVia(await anyServing(), ...request));
        } else await perform(operation);
      }
    },
  };
}

/** Sends one request over the network to a process and returns its reply. The connection to a dead process breaks. */
function createSend({ world, history, partitionOf }: ClientsOptions, random: Random) {
  return (
    process: SimProcess,
    ...[entityId, body, environment = 'live', by]: Parameters<Send>
  ): Promise<ClientOutcome> =>
    new Promise((resolve) => {
      const origin = { game: 'demo', environment, receivedAt: 0, ...(by === undefined ? {} : { by }) };
      const attempt = history.begin({ gateway: process.name, partition: partitionOf(entityId), origin, body });
      const finish = (reply: ClientOutcome): void => {
        history.end(attempt, reply);
        resolve(reply);
      };
      void process.gone.then(() => finish('lost'));
      world.clock.timer(PATIENCE_MS, () => finish('lost'));
      process.clock.arrivals.timer(random.between(0.1, 1), () => {
        const { serving } = process;
        if (serving === undefined) {
          finish('lost');
          return;
        }
        history.received(attempt, process.clock.wallMs(), serving.config.revision);
        const reply = isQuery(body)
          ? serving.commandClient.query(attempt.origin, entityId, body)
          : serving.commandClient.send(attempt.origin, entityId, body);
        void reply.then(finish);
      });
    });
}
