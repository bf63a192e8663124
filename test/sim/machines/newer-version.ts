import { encodeFrame } from '../../../core/codec/frame.ts';
import { commandToTuple } from '../../../core/codec/messages/command-layout.ts';
import { playerIdOf } from '../clients/player-ids.ts';
import type { Random } from '../random.ts';

/** The name by which the gateway of a newer version gets replies. */
const NEWER_GATEWAY = 'newer';

/** The messages of a gateway of a newer version: commands of unknown kinds, or a message of an unknown layout. */
export function createNewerGateway(random: Random): (nowMs: number) => Uint8Array {
  let requests = 0;

  function newerCommand(nowMs: number): unknown[] {
    requests += 1;
    const tuple: unknown[] = commandToTuple({
      requestId: requests.toString(36),
      replyTo: NEWER_GATEWAY,
      game: 'demo',
      environment: 'live',
      receivedAt: nowMs,
      deadlineAt: nowMs + 5_000,
      configRevision: 0,
      body: { kind: 'ErasePlayer', playerId: playerIdOf(1) },
    });
    tuple[7] = random.pick([{ kind: 'FreezePlayer', playerId: playerIdOf(1) }, ['freeze', playerIdOf(1)], null]);
    return [...tuple, 'a later field'];
  }

  return (nowMs) => {
    if (random.chance(0.2)) return packed(9, []);
    if (random.chance(0.2)) return packed(1, { a: 'message that is no list' });
    return packed(
      1,
      Array.from({ length: random.int(1, 3) }, () => newerCommand(nowMs)),
    );
  };
}

const packed = (version: number, value: unknown): Uint8Array =>
  Buffer.concat([Buffer.from([version]), encodeFrame([value]).subarray(1)]);
