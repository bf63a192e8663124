import { App, type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { createArrivalLog, monotonicMs, type Observer } from '../../load/traffic/arrivals.ts';
import type { Owner } from '../../bench.ts';
import { listen, readBody } from '../http-server.ts';
import { defineWorker } from '../worker.ts';

/** How the receiver behaves: the first part of the path. The second part is the webhook's number. */
const BEHAVIOURS = ['well', 'failing', 'hanging', 'dripping'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export interface SickReport {
  /** Attempts that arrived, by behaviour. */
  attempts: Record<Behaviour, number>;
  /** Most exchanges open at the same time: those that hang or drip. */
  mostOpen: number;
  /** Attempts after the first, of deliveries to webhooks that are well. */
  retries: number;
}

/** A receiver of deliveries in a process of its own. */
export interface Receiver extends Observer {
  /** The URL of a webhook of that number and behaviour. */
  urlOf(behaviour: Behaviour, webhook: number): string;
  sick(): Promise<SickReport>;
}

/** Starts a receiver; resolves when it listens. */
export async function startReceiver(owner: Owner): Promise<Receiver> {
  const process = await receiver.start(owner, {});
  const baseUrl = await process.ask('baseUrl');
  return {
    ...process,
    urlOf: (behaviour, webhook) => `${baseUrl}/${behaviour}/${webhook}`,
    sick: () => process.ask('sick'),
  };
}

const DRIP_MS = 1_000;

/** Receives deliveries and records number, webhook and time of each. It parses nothing else, so that it stays fast. */
const receiver = defineWorker(import.meta.url, async () => {
  const log = createArrivalLog();
  const report: SickReport = { attempts: { well: 0, failing: 0, hanging: 0, dripping: 0 }, mostOpen: 0, retries: 0 };
  const open = new Set<HttpResponse>();
  const dripping = new Set<HttpResponse>();

  function keepOpen(res: HttpResponse): void {
    open.add(res);
    report.mostOpen = Math.max(report.mostOpen, open.size);
  }

  const behave: Record<Behaviour, (res: HttpResponse) => void> = {
    well: (res) => void res.end(),
    failing: (res) => void res.writeStatus('500 Internal Server Error').end(),
    hanging: keepOpen,
    dripping(res) {
      res.writeStatus('200 OK').write('.');
      keepOpen(res);
      dripping.add(res);
    },
  };

  function handle(behaviour: Behaviour, res: HttpResponse, req: HttpRequest): void {
    const place = Number(req.getParameter(0));
    res.onAborted(() => {
      open.delete(res);
      dripping.delete(res);
    });
    readBody(res, (body) => {
      const atMs = monotonicMs();
      report.attempts[behaviour] += 1;
      if (behaviour === 'well') {
        log.record(numberAfter(body, NUMBER), place, atMs);
        if (numberAfter(body, ATTEMPT) > 1) report.retries += 1;
      }
      res.cork(() => behave[behaviour](res));
    });
  }

  const app = App();
  for (const behaviour of BEHAVIOURS) app.post(`/${behaviour}/:webhook`, (res, req) => handle(behaviour, res, req));
  setInterval(() => {
    for (const res of dripping) res.cork(() => void res.write('.'));
  }, DRIP_MS);
  const baseUrl = await listen(app);
  return { ...log.methods, sick: () => report, baseUrl: () => baseUrl };
});

const NUMBER = Buffer.from('"n":');
const ATTEMPT = Buffer.from('"delivery_attempt":');
const [ZERO, NINE] = [48, 57];

/** The whole number that stands after a mark; NaN without the mark. */
function numberAfter(body: Buffer, mark: Buffer): number {
  const begin = body.indexOf(mark);
  if (begin < 0) return Number.NaN;
  let value = 0;
  for (let at = begin + mark.length; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    value = value * 10 + (byte - ZERO);
  }
  return value;
}
