import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/*
 * Builds what the Dockerfile describes in a folder of this machine, where there may be no Docker: it copies what COPY
 * names and .dockerignore lets through, and runs every RUN. The folder stands for the image's root, so `/app` of the
 * image is `<folder>/app`. The base image, its user and its npm are not tried.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Image {
  /** The folder that stands for WORKDIR. */
  workdir: string;
  /** ENV, with its paths in the folder. */
  env: Record<string, string>;
  /** CMD. */
  command: string[];
}

/** Carries out the instructions of the Dockerfile in an empty folder. Throws the output of a RUN that fails. */
export async function buildImage(root: string): Promise<Image> {
  const image: Image = { workdir: root, env: {}, command: [] };
  /** A path of the image as one of this machine. */
  const place = (path: string): string => (path.startsWith('/') ? join(root, path) : join(image.workdir, path));
  for (const { name, rest } of instructions(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
    if (name === 'WORKDIR') mkdirSync((image.workdir = place(rest)), { recursive: true });
    else if (name === 'COPY') copy(rest.split(' '), place);
    else if (name === 'RUN') await run(rest, root, image);
    else if (name === 'ENV') Object.assign(image.env, environment(rest, place));
    else if (name === 'CMD') image.command = JSON.parse(rest);
    else if (!['FROM', 'USER', 'VOLUME', 'EXPOSE'].includes(name)) throw new Error(`unknown instruction ${name}`);
  }
  return image;
}

function instructions(text: string): { name: string; rest: string }[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }));
}

function copy(paths: string[], place: (path: string) => string): void {
  const [to = '', ...sources] = paths.toReversed();
  const ignored = ignoredBy(readFileSync(join(ROOT, '.dockerignore'), 'utf8'));
  for (const source of sources) {
    if (ignored(source)) throw new Error(`COPY ${source}: .dockerignore leaves it out`);
    const target = to.endsWith('/') ? place(join(to, source)) : place(to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(ROOT, source), target, { recursive: true, filter: (path) => !ignored(relative(ROOT, path)) });
  }
}

/** As the builder reads the file: the last pattern that matches a path, or a folder above it, decides. */
function ignoredBy(text: string): (path: string) => boolean {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    const parts = path.split('/');
    const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    const last = patterns.findLast((pattern) => above.some((each) => matchesGlob(each, pattern.replace(/^!/, ''))));
    return last !== undefined && !last.startsWith('!');
  };
}

/** Runs a command of the image. Its user is the one that runs the test; npm uses its cache, as the mount does. */
async function run(line: string, root: string, { workdir, env }: Image): Promise<void> {
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const command = line
    .replace(/^(--mount=\S+ )+/, '')
    .replaceAll(/(?<= )\/(?=\w)/g, `${root}/`)
    .replaceAll('node:node', `${uid}:${gid}`);
  const { PATH = '', HOME = '' } = process.env;
  await promisify(execFile)('/bin/sh', ['-ec', command], {
    cwd: resolve(workdir),
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, npm_config_prefer_offline: 'true', ...env },
  });
}

function environment(line: string, place: (path: string) => string): Record<string, string> {
  const pairs = line.split(' ').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name, value.startsWith('/') ? place(value) : value]),
  );
}
