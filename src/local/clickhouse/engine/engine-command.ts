import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foldersOf } from './engine.ts';
import { passwordFile } from '../service-password.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const CONFINE = fileURLToPath(new URL('confine.pl', import.meta.url));
const PERL = '/usr/bin/perl';

/** What the engine's process reads besides its own folders: code, libraries, time zones, and the kernel's figures. */
const READ = [
  ...words('src actors core streams clickhouse-schema node_modules package.json').map((name) => join(ROOT, name)),
  ...words('/lib /lib64 /usr/lib /usr/lib64 /usr/local/lib /etc/ld.so.cache'),
  ...words('/usr/share/zoneinfo /etc/localtime /dev/urandom'),
  ...words('/proc/self /proc/meminfo /proc/cpuinfo /sys/devices/system /sys/fs/cgroup'),
];

export interface EngineCommandOptions {
  /** May be relative. */
  dataDir: string;
  /** 0: any port. */
  port: number;
  /** Whether the process may open its own files only. */
  confine: boolean;
  /** LD_LIBRARY_PATH of the process. */
  libraries?: string | undefined;
}

/** How to start the engine's process. */
export interface EngineCommand {
  command: string;
  args: readonly string[];
  /** Why the process can open files other than its own; undefined: it cannot. */
  unconfined: string | undefined;
}

/**
 * The command that starts the engine's process. It is confined by Landlock: a statement that reaches a file by whatever
 * argument finds none but the engine's own. Creates the folders that the process writes, because a confined process
 * may create nothing beside them.
 */
export function engineCommand({ dataDir, port, confine, libraries }: EngineCommandOptions): EngineCommand {
  // Node's own configuration of OpenSSL would be one more file.
  const node = [process.execPath, '--openssl-config=/dev/null', MAIN] as const;
  const [command, ...args] = node;
  const unconfined = confine ? whyUnconfined() : 'EMBEDDED_CLICKHOUSE_CONFINEMENT is off';
  if (unconfined !== undefined) return { command, args, unconfined };
  const folders = foldersOf(dataDir);
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const read = [...READ, process.execPath, passwordFile(resolve(dataDir)), ...(libraries?.split(delimiter) ?? [])];
  const rules = [
    ...read.filter((path) => path !== '').map((path) => `read=${path}`),
    ...[...folders, '/dev/null'].map((path) => `write=${path}`),
    `bind=${port}`,
  ];
  return { command: PERL, args: [CONFINE, ...rules, '--', ...node], unconfined };
}

/** Why this system cannot confine a process; undefined if it can. */
function whyUnconfined(): string | undefined {
  if (!existsSync(PERL)) return `${PERL} is missing; install perl`;
  const check = spawnSync(PERL, [CONFINE, '--check'], { encoding: 'utf8' });
  return check.status === 0 ? undefined : `${check.stdout}${check.stderr}`.trim() || `${PERL} failed`;
}

function words(text: string): string[] {
  return text.split(' ');
}
