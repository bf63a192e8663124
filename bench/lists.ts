import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError, temporaryFolder, type Bench } from './lib/bench.ts';
import { count, defineCase, on } from './lib/case.ts';
import { watchUsage, type UsageSeen } from './lib/figures/usage.ts';
import { listedId, listUpload, type ListUploaded, type ListUploadSpec } from './lib/load/list-upload.ts';
import { figure, section, tableOf } from './lib/report/table.ts';
import { runCli } from './lib/service/cli.ts';
import { createSegment, evaluated } from './lib/service/segments.ts';
import { startLocalService, type LocalService } from './lib/service/service.ts';

const KEY = 'listed';
/** Lines of one write of a file. */
const WRITTEN = 10_000;

interface Upload {
  way: string;
  seconds: number;
  usage: UsageSeen;
}

export const lists = defineCase({
  name: 'lists',
  description:
    'Replace the list of a static segment: time and memory of an upload with the server SDK, from an iterator and from ' +
    'a file, and of `segments load`.',
  options: {
    players: count('--players <n>', 'players of the list', 1_000_000),
    evaluation: on('--evaluation', 'also wait until all of them are in the segment'),
  },
  async run(bench, { players, evaluation, folder: place }, save) {
    const folder = temporaryFolder(bench, 'lists', place);
    const [playersFile, listFile] = [join(folder, 'players.csv'), join(folder, 'list.csv')];
    writeLines(playersFile, 'external_id,first_seen_at', players, (player) => `${listedId(player)},2026-01-01`);
    writeLines(listFile, 'external_id', players, listedId);
    const service = await startLocalService(bench, { folder: place });
    bench.report(`importing ${figure(players)} players`);
    await runCli(bench, service, ['import', 'players', playersFile, '--game', 'demo']);
    const segmentId = await createSegment(service, { key: KEY, name: 'Listed', kind: 'static' });
    const { baseUrl, key } = service;
    const bySdk = (from: ListUploadSpec['from']) =>
      uploadBySdk(bench, service, { baseUrl, key, segmentId, from }, players);
    const uploads: Upload[] = [
      { way: 'SDK, iterator', ...(await bySdk({ players })) },
      { way: 'SDK, file', ...(await bySdk({ file: listFile })) },
      { way: 'segments load', ...(await uploadByCli(bench, service, listFile)) },
    ];
    let evaluationSeconds: number | undefined;
    if (evaluation) {
      bench.report('waiting until the players are in the segment');
      const begunMs = performance.now();
      await evaluated(service, segmentId, bench.signal);
      evaluationSeconds = (performance.now() - begunMs) / 1_000;
    }
    save({ results: { players, uploads, evaluationSeconds }, tables: tableOfUploads(players, uploads) });
    if (evaluationSeconds !== undefined) bench.report(`in the segment after ${figure(evaluationSeconds)} s`);
  },
});

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
  spec: ListUploadSpec,
  players: number,
): Promise<Omit<Upload, 'way'>> {
  bench.report(`uploading ${'file' in spec.from ? 'a file' : 'an iterator'}`);
  const watch = watchUsage(service.pids());
  const uploaded = await listUpload.use(bench.signal, spec, async (process): Promise<ListUploaded> => {
    watch.add('client', process.pid);
    return process.ask('run');
  });
  const usage = watch.seen();
  watch.stop();
  if (uploaded.members !== players || uploaded.received !== players) {
    throw new BenchError(`the list of ${players} players was loaded as ${JSON.stringify(uploaded)}`);
  }
  return { seconds: uploaded.seconds, usage };
}

async function uploadByCli(bench: Bench, service: LocalService, file: string): Promise<Omit<Upload, 'way'>> {
  bench.report('loading a file');
  const watch = watchUsage(service.pids());
  const onStart = (pid: number): void => watch.add('client', pid);
  const begunMs = performance.now();
  await runCli(bench, service, ['segments', 'load', KEY, file, '--game', 'demo'], onStart);
  const seconds = (performance.now() - begunMs) / 1_000;
  const usage = watch.seen();
  watch.stop();
  return { seconds, usage };
}

function tableOfUploads(players: number, uploads: readonly Upload[]): string {
  const processes = [...new Set(uploads.flatMap(({ usage }) => Object.keys(usage.cpuSeconds)))];
  const others = Math.max(...uploads.map(({ usage }) => usage.othersCpus));
  const table = tableOf(uploads, {
    upload: ({ way }) => way,
    seconds: ({ seconds }) => seconds,
    'ids/s': ({ seconds }) => players / seconds,
    ...Object.fromEntries(
      processes.flatMap((name) => [
        [`${name} µs an id`, ({ usage }: Upload) => ((usage.cpuSeconds[name] ?? Number.NaN) * 1e6) / players],
        [`${name} peak MiB`, ({ usage }: Upload) => usage.peakRssMiB[name] ?? Number.NaN],
      ]),
    ),
  });
  return section(`lists of ${figure(players)} players; other processes used up to ${figure(others)} CPUs`, table);
}
