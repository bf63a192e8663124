import { setInterval } from 'node:timers';
import { App, us_socket_local_port, type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { helperSpec, onAsked, tellParent } from '../helpers/helper-process.ts';
import { readBody } from '../helpers/read-body.ts';
import { monotonicMs } from '../measure/monotonic-ms.ts';
import { createArrivalLog } from './arrivals.ts';

/** How the receiver behaves; the first part of the path says which, the second is the webhook's number. */
const BEHAVIOURS = ['well', 'failing', 'hanging', 'dripping'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** What it says when it is asked for the sick. */
export interface SickReport {
  /** Attempts that arrived, by behaviour. */
  attempts: Record<Behaviour, number>;
  /** Exchanges kept open at once, at most: by those that hang or drip. */
  mostOpen: number;
  /** Attempts after the first, of deliveries to webhooks that are well. */
  retries: number;
}

const DRIP_MS = 1_000;

/**
 * Receives deliveries, as the server behind a webhook would. It notes when each arrived with its number and webhook, and
 * parses nothing else: it must never be what is waited for.
 */
function startReceiver(onListening: (port: number) => void): void {
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
        log.note(numberAfter(body, NUMBER), place, atMs);
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
  onAsked((what) => tellParent(what === 'take' ? log.take() : what === 'sick' ? report : { count: log.count }));
  app.listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('the receiver found no port to listen on');
    onListening(us_socket_local_port(socket));
  });
}

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

helperSpec();
startReceiver((port) => tellParent({ port }));
