import { createServer, type PlayerList } from '../../../../sdk/typescript/server/server.ts';
import { defineWorker } from '../../service/worker.ts';

/** A list of players as a game server sends it, with the server SDK, in a process of its own. */
export interface ListUploadSpec {
  baseUrl: string;
  key: string;
  segmentId: string;
  /** The list: the bench's players from 0 on, made while they are sent, or a file. */
  from: { players: number; prefix?: string } | { file: string };
}

export interface ListUploaded {
  seconds: number;
  received: number;
  members: number;
  duplicates: number;
  unknown: number;
}

/** The external id of a player of the list. */
export const listedId = (player: number, prefix = 'player'): string => `${prefix}-${player}`;

async function* listed(players: number, prefix?: string): AsyncGenerator<string> {
  for (let player = 0; player < players; player++) yield listedId(player, prefix);
}

export const listUpload = defineWorker(import.meta.url, ({ baseUrl, key, segmentId, from }: ListUploadSpec) => ({
  async run(): Promise<ListUploaded> {
    const server = createServer({ baseUrl, key, flags: false });
    const list: PlayerList = 'file' in from ? from : () => listed(from.players, from.prefix);
    const begunMs = performance.now();
    const { received, members, duplicates, unknown } = await server.replaceMembers(segmentId, list);
    const seconds = (performance.now() - begunMs) / 1_000;
    await server.shutdown();
    return { seconds, received, members, duplicates, unknown };
  },
}));
