import { isDeepStrictEqual } from 'node:util';
import type { ConfigStore } from '../../streams/config/config-store.ts';
import { shapeOf, type StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import type { JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';
import { agreeOnDeployment, readDeployment, type Deployment, type DeploymentSettings } from './deployment.ts';
import { sleep, type Clock } from '../../core/kernel/clock.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

export interface JoinOptions {
  log: Pick<JetStreamLog, 'held' | 'ensure'>;
  configStore: ConfigStore;
  settings: DeploymentSettings;
  clock: Clock;
  logger: Logger;
}

/**
 * Makes this process part of the deployment: compares its settings with the deployment's document, and raises streams
 * that have less than it. It follows later changes of the document by an operator.
 * @returns `refused` if a setting contradicts the deployment
 */
export async function joinDeployment(
  options: JoinOptions,
): Promise<{ kind: 'joined'; deployment: Deployment } | { kind: 'refused'; message: string }> {
  const { log, configStore, settings, clock, logger } = options;
  for (;;) {
    const held = shapeOf(await log.held());
    const found = await agreeOnDeployment(configStore, settings, held, clock);
    if (found.kind === 'refused') return found;
    if (found.kind === 'agreed') {
      for (const warning of found.warnings) logger.warn(warning);
      // Before the streams are raised: what an operator changes meanwhile applies, too.
      follow(options, found.deployment);
      await raise(options, found.deployment);
      return { kind: 'joined', deployment: found.deployment };
    }
    await sleep(clock, SHARED_LIMITS.leaseRenewMs);
  }
}

function follow(options: JoinOptions, { replicas, factsMaxBytes }: Deployment): void {
  const { configStore, logger } = options;
  let shape: StreamShape = { replicas, factsMaxBytes };
  configStore.onChange(({ address, entry }) => {
    if (address.kind !== 'deployment' || entry?.kind !== 'deployment') return;
    const found = readDeployment(entry.document);
    if (found.kind === 'invalid') {
      logger.error({ fault: found.message }, DOCUMENT_INVALID);
      return;
    }
    const { deployment } = found;
    const changed = { replicas: deployment.replicas, factsMaxBytes: deployment.factsMaxBytes };
    if (isDeepStrictEqual(changed, shape)) return;
    shape = changed;
    logger.info(shape, 'an operator changed the deployment');
    void raise(options, shape);
  });
}

const DOCUMENT_INVALID = "the deployment's document is invalid; this process keeps the values before";

/** A broker that is down may keep a stream from being raised. That must not keep a process from starting. */
async function raise({ log, logger }: JoinOptions, shape: StreamShape): Promise<void> {
  try {
    await log.ensure(shape);
  } catch (error) {
    logger.error(
      { err: error },
      'a stream has less than the deployment and cannot be raised; the next attempt follows',
    );
  }
}
