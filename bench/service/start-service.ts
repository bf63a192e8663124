import type { Bench } from '../bench.ts';
import { startLocalService } from './local-service.ts';
import { remoteService } from './remote-service.ts';
import type { Service } from './service.ts';

export interface StartOptions {
  /** Another deployment than one of the bench's own. */
  remote: { url: string; key: string } | undefined;
  /** Where the service's folder is made. */
  folder: string | undefined;
  nodeArguments?: readonly string[];
}

/** The service under test; one of the bench's own ends with the bench. */
export async function startService({ cleanup, signal, report }: Bench, options: StartOptions): Promise<Service> {
  const { remote, folder, nodeArguments } = options;
  if (remote !== undefined) return remoteService(remote.url, remote.key);
  const service = await startLocalService({
    report,
    signal,
    ...(folder === undefined ? {} : { parentFolder: folder }),
    ...(nodeArguments === undefined ? {} : { nodeArguments }),
  });
  cleanup.add(() => service.stop());
  return service;
}
