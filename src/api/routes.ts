import type { Config } from '../config.ts';
import { campaignRoutes } from './campaigns.ts';
import { getChurnRisk } from './churn-risk.ts';
import { erasureRoutes } from './erasure.ts';
import { trackEvents } from './event-batch.ts';
import { queryEvents } from './event-query.ts';
import { eventSchemaRoutes } from './event-schemas.ts';
import { makeStreamToken } from './event-stream-tokens.ts';
import { streamEvents } from './event-stream.ts';
import { trackEvent } from './events.ts';
import { exportPlayer } from './export.ts';
import { evaluateFlag, evaluateFlags } from './flag-evaluation.ts';
import { overrideRoutes } from './flag-overrides.ts';
import { getFlagResults } from './flag-results.ts';
import { flagRoutes } from './flags.ts';
import { gameEndSession } from './game-end-session.ts';
import { gameInit } from './game-init.ts';
import { gameSync } from './game-sync.ts';
import { ofrepEvaluateFlag, ofrepEvaluateFlags } from './ofrep.ts';
import { getLifecycle } from './lifecycle.ts';
import { openApi } from './openapi.ts';
import { healthz, metrics, openApiRoute, readyz } from './ops.ts';
import { getPlayer, getPlayerByExternalId, patchPlayer, registerPlayer } from './players.ts';
import { replayQuarantine } from './quarantine-replay.ts';
import { listQuarantine } from './quarantine.ts';
import { recordPurchase } from './record-purchase.ts';
import { recordSession } from './record-session.ts';
import type { Route } from './route.ts';
import { scoringRoutes } from './scoring.ts';
import { listSegmentPlayers } from './segment-players.ts';
import { segmentRoutes } from './segments.ts';
import { listWebhookDeliveries } from './webhook-deliveries.ts';
import { webhookRecoveryRoutes } from './webhook-recovery.ts';
import { redeliverToWebhook } from './webhook-redelivery.ts';
import { testWebhookRoute } from './webhook-test-delivery.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every endpoint of the service. Adding one is adding one object here. */
export function routes(config: Pick<Config, 'webhookAllowPrivateHosts' | 'sessionTtlSeconds'>): readonly Route[] {
  const all: Route[] = [
    registerPlayer,
    getPlayer,
    getPlayerByExternalId,
    patchPlayer,
    getLifecycle,
    getChurnRisk,
    recordSession,
    recordPurchase,
    gameInit(config.sessionTtlSeconds),
    gameSync,
    gameEndSession,
    ...erasureRoutes,
    exportPlayer,
    trackEvent,
    trackEvents,
    queryEvents,
    ...eventSchemaRoutes,
    listQuarantine,
    replayQuarantine,
    streamEvents,
    makeStreamToken,
    evaluateFlag,
    evaluateFlags,
    ofrepEvaluateFlag,
    ofrepEvaluateFlags,
    ...segmentRoutes,
    listSegmentPlayers,
    ...flagRoutes,
    getFlagResults,
    ...overrideRoutes,
    ...campaignRoutes,
    ...scoringRoutes,
    ...webhookRoutes(config.webhookAllowPrivateHosts),
    testWebhookRoute(),
    listWebhookDeliveries,
    redeliverToWebhook,
    ...webhookRecoveryRoutes,
    ...operationRoutes(),
  ];
  all.push(openApiRoute(() => JSON.stringify(openApi(all))));
  return all;
}

/** What every process serves, whatever its roles. */
export function operationRoutes(): readonly Route[] {
  return [healthz, readyz, metrics];
}
