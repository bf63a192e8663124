import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import type { Fcm } from './fcm-client.ts';
import type { Players } from './players.ts';
import { pushMessage, type Triggered } from './push-message.ts';

/*
 * A receiver of webhooks that sends campaigns as push messages. It answers once FCM has answered, and 503 while FCM
 * cannot take the message: the retries of the webhook are its queue, so a crash loses nothing.
 */

export interface ReceiverOptions {
  /** Of the webhook. */
  secret: string;
  players: Players;
  fcm: Fcm;
  now?: () => number;
  log: (line: string) => void;
}

const MOST_BODY_BYTES = 1024 * 1024;
/** The longest pause that a webhook takes from `Retry-After`. */
const MOST_SECONDS = 7_200;
/** Ids of deliveries that were sent, so that a repeat sends nothing. */
const MOST_IDS = 10_000;

interface Answer {
  status: number;
  retryAfter?: number;
}

export function createReceiver({ secret, players, fcm, now = Date.now, log }: ReceiverOptions): RequestListener {
  const done = new Set<string>();

  async function forward(id: string, triggered: Triggered): Promise<Answer> {
    const { player_id: player, held_until: held, expires_at: expires } = triggered;
    if (Date.parse(expires) <= now()) return { status: 200 };
    if (held !== null && Date.parse(held) > now()) return later((Date.parse(held) - now()) / 1_000);
    const token = await players.pushToken(player);
    const message = token === undefined ? undefined : pushMessage(triggered, token, now());
    if (message === undefined) return { status: 200 };
    const result = await fcm.send(message);
    switch (result.kind) {
      case 'later':
        return later(result.seconds);
      case 'unregistered':
        await players.forgetToken(player);
        break;
      case 'refused':
        log(`FCM refused ${triggered.intervention_id}: ${result.reason}`);
        break;
      case 'sent':
        break;
    }
    if (done.size >= MOST_IDS) done.clear();
    done.add(id);
    return { status: 200 };
  }

  async function answerOf(request: IncomingMessage): Promise<Answer> {
    const body = await bodyOf(request);
    if (body === undefined) return { status: 413 };
    if (!isGenuine(request.headers, body, secret)) return { status: 401 };
    const { id, type, data }: { id: string; type: string; data: Triggered } = JSON.parse(body.toString());
    if (type !== 'campaign.triggered' || done.has(id)) return { status: 200 };
    return forward(id, data);
  }

  return (request, response) => {
    answerOf(request)
      .catch((error: unknown): Answer => {
        log(String(error));
        return { status: 500 };
      })
      .then(({ status, retryAfter }) => {
        if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
        response.writeHead(status).end();
      })
      .catch((error: unknown) => log(String(error)));
  };
}

const later = (seconds: number): Answer => ({
  status: 503,
  retryAfter: Math.min(MOST_SECONDS, Math.max(1, Math.ceil(seconds))),
});

/** The bytes of a body; undefined: they are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

/** Whether the service signed the body, with the secret of now or, for a day after a rotation, the one before. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return ['x-service-signature', 'x-service-signature-previous'].some((name) => {
    const signature = Buffer.from(String(headers[name] ?? ''));
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}
