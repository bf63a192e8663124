import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** `silent`: no answer. `unknown`: the name does not exist. Otherwise the name's addresses, IPv4 and IPv6. */
export type DnsAnswer = 'silent' | 'unknown' | readonly string[];

/** A name server on loopback. */
export interface DnsServer {
  /** `address:port` */
  readonly address: string;
  /** The name of every query, in order. */
  readonly queried: string[];
  stop(): void;
}

const A = 1;
const AAAA = 28;

export async function startDnsServer(answerTo: (name: string) => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queried: string[] = [];
  socket.on('message', (query, from) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    queried.push(name);
    const answer = answerTo(name.toLowerCase());
    if (answer === 'silent') return;
    const wanted = answer === 'unknown' ? [] : answer.filter((text) => text.includes(':') === (type === AAAA));
    const records = type === A || type === AAAA ? wanted.map((text) => recordOf(type, text)) : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (answer === 'unknown' ? 3 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queried,
    stop: () => void socket.close(),
  };
}

/** The question's name, and where it ends. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query[place] ?? 0; length > 0; length = query[place] ?? 0) {
    labels.push(query.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.'), end: place + 1 };
}

function recordOf(type: number, address: string): Buffer {
  const data =
    type === A
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(
          address
            .split(':')
            .map((group) => group.padStart(4, '0'))
            .join(''),
          'hex',
        );
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
