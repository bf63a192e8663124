import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, temporaryFolder, type Bench } from '../lib/bench.ts';
import { count, defineCase, on } from '../lib/case.ts';
import { watchUsage, type UsageSeen } from '../lib/figures/usage.ts';
import { measureRestart } from '../lib/lives/restarts.ts';
import { liveBeside, liveTable, liveTraffic, type LiveRun } from '../lib/load/traffic/live-traffic.ts';
import { listedId, listUpload, type ListUploaded, type ListUploadSpec } from '../lib/load/traffic/list-upload.ts';
import { figure, section, tableOf } from '../lib/report/table.ts';
import { runCli } from '../lib/service/cli.ts';
import { createSegment, evaluated } from '../lib/service/samples/segments.ts';
import { startLocalService, type LocalService } from '../lib/service/service.ts';

const KEY = 'listed';
/** Lines of one write of a file. */
const WRITTEN = 10_000;
/** The service is at rest this long after a start. */
const REST_MS = 5_000;

interface Upload {
  way: string;
  /** Players of all lists of this row. */
  players: number;
  seconds: number;
  usage: UsageSeen;
}

export const lists = defineCase({
  name: 'lists',
  description:
    'Replace the list of a static segment, after a restart: time and memory of uploads with the server SDK, from an ' +
    'iterator and from a file, of two lists at once, of unknown ids, and of `segments load`.',
  options: {
    players: count('--players <n>', 'players of the list', 1_000_000),
    live: count('--live <n>', 'live events/s during the first upload; 0: none', 0),
    evaluation: on('--evaluation', 'also wait until all of them are in the segment'),
  },
  async run(bench, { players, live, evaluation, folder: place }, save) {
    const folder = temporaryFolder(bench, 'lists', place);
    const [playersFile, listFile] = [join(folder, 'players.csv'), join(folder, 'list.csv')];
    writeLines(playersFile, 'external_id,first_seen_at', players, (player) => `${listedId(player)},2026-01-01`);
    writeLines(listFile, 'external_id', players, (player) => listedId(player));
    const service = await startLocalService(bench, { folder: place });
    bench.report(`importing ${figure(players)} players`);
    await runCli(bench, service, ['import', 'players', playersFile, '--game', 'demo']);
    const traffic = live === 0 ? undefined : await liveTraffic(bench, service, live, { folder: place });
    const [segmentId, otherId] = [
      await createSegment(service, { key: KEY, name: 'Listed', kind: 'static' }),
      await createSegment(service, { key: `${KEY}-too`, name: 'Listed too', kind: 'static' }),
    ];
    // Of what the import left in memory nothing is measured.
    await measureRestart(service, 'stopped', bench.signal);
    await sleep(REST_MS, undefined, { signal: bench.signal });
    const { baseUrl, key } = service;
    const bySdk = (way: string, from: ListUploadSpec['from'], ids = [segmentId], unknown = false) =>
      uploadBySdk(
        bench,
        service,
        { way, players, unknown },
        ids.map((id) => ({ baseUrl, key, segmentId: id, from })),
      );
    const rest = restOf(service);
    const liveRuns: LiveRun[] = [];
    const beside = async (upload: () => Promise<Upload>): Promise<Upload> => {
      if (traffic === undefined) return upload();
      liveRuns.push(['before', await traffic()]);
      const { done: uploaded, runs } = await liveBeside(traffic, upload());
      liveRuns.push(...runs.map((run): LiveRun => ['meanwhile', run]));
      liveRuns.push(['after, players move', await traffic()]);
      return uploaded;
    };
    const uploads: Upload[] = [
      { way: 'none', players, seconds: REST_MS / 1_000, usage: rest },
      await beside(() => bySdk('SDK, iterator', { players })),
      await bySdk('SDK, file', { file: listFile }),
      await bySdk('two lists at once', { players }, [segmentId, otherId]),
      await bySdk('unknown ids', { players, prefix: 'unknown' }, [otherId], true),
      await uploadByCli(bench, service, listFile, players),
    ];
    let evaluationSeconds: number | undefined;
    if (evaluation) {
      bench.report('waiting until the players are in the segment');
      const begunMs = performance.now();
      await evaluated(service, segmentId, bench.signal);
      evaluationSeconds = (performance.now() - begunMs) / 1_000;
    }
    save({
      results: { players, uploads, liveRuns, evaluationSeconds },
      tables: tablesOf(players, uploads, liveRuns),
    });
    if (evaluationSeconds !== undefined) bench.report(`in the segment after ${figure(evaluationSeconds)} s`);
  },
});

function restOf(service: LocalService): UsageSeen {
  const watch = watchUsage(service.pids());
  const usage = watch.seen();
  watch.stop();
  return usage;
}

function writeLines(path: string, header: string, lines: number, lineOf: (player: number) => string): void {
  const file = openSync(path, 'w');
  let text = `${header}\n`;
  for (let player = 0; player < lines; player++) {
    text += `${lineOf(player)}\n`;
    if (player % WRITTEN !== 0) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
}

async function uploadBySdk(
  bench: Bench,
  service: LocalService,
  { way, players, unknown }: { way: string; players: number; unknown: boolean },
  specs: readonly ListUploadSpec[],
): Promise<Upload> {
  bench.report(`uploading: ${way}`);
  const watch = watchUsage(service.pids());
  const uploadOne = (spec: ListUploadSpec, place: number) =>
    listUpload.use(bench.signal, spec, async (process): Promise<ListUploaded> => {
      watch.add(place === 0 ? 'client' : `client ${place + 1}`, process.pid);
      return process.ask('run');
    });
  const uploaded = await Promise.all(specs.map(uploadOne));
  const usage = watch.seen();
  watch.stop();
  const wrong = uploaded.find((one) => one.received !== players || (unknown ? one.unknown : one.members) !== players);
  if (wrong !== undefined) throw new BenchError(`the list of ${players} ids was loaded as ${JSON.stringify(wrong)}`);
  const seconds = Math.max(...uploaded.map((one) => one.seconds));
  return { way, players: players * specs.length, seconds, usage };
}

async function uploadByCli(bench: Bench, service: LocalService, file: string, players: number): Promise<Upload> {
  bench.report('loading a file');
  const watch = watchUsage(service.pids());
  const onStart = (pid: number): void => watch.add('client', pid);
  const begunMs = performance.now();
  await runCli(bench, service, ['segments', 'load', KEY, file, '--game', 'demo'], onStart);
  const seconds = (performance.now() - begunMs) / 1_000;
  const usage = watch.seen();
  watch.stop();
  return { way: 'segments load', players, seconds, usage };
}

function tablesOf(players: number, uploads: readonly Upload[], liveRuns: readonly LiveRun[]): string {
  const processes = [...new Set(uploads.flatMap(({ usage }) => Object.keys(usage.cpuSeconds)))];
  const others = Math.max(...uploads.map(({ usage }) => usage.othersCpus));
  const table = tableOf(uploads, {
    upload: ({ way }) => way,
    seconds: ({ seconds }) => seconds,
    'ids/s': ({ players: ids, seconds, way }) => (way === 'none' ? Number.NaN : ids / seconds),
    ...Object.fromEntries(
      processes.flatMap((name) => [
        [`${name} µs an id`, ({ usage, players: ids }: Upload) => ((usage.cpuSeconds[name] ?? Number.NaN) * 1e6) / ids],
        [`${name} peak MiB`, ({ usage }: Upload) => usage.peakRssMiB[name] ?? Number.NaN],
        [`${name} peak MiB without files`, ({ usage }: Upload) => usage.peakOwnMiB[name] ?? Number.NaN],
      ]),
    ),
  });
  return (
    section(`lists of ${figure(players)} players; other processes used up to ${figure(others)} CPUs`, table) +
    (liveRuns.length === 0 ? '' : section('live, ms', liveTable(liveRuns)))
  );
}
