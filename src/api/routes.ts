import type { Config } from '../settings/config.ts';
import { explainCampaignRoute } from './campaigns/campaign-explanation.ts';
import { getCampaignResults } from './campaigns/campaign-results.ts';
import { campaignRoutes, patchCampaign } from './campaigns/campaigns.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { turnOff } from './approvals/turn-off.ts';
import { listAudit } from './audit/audit.ts';
import { listDeploymentAudit } from './console/deployment-audit.ts';
import { keyRoutes } from './console/keys.ts';
import { userRoutes } from './console/users/user-management.ts';
import { listScheduled } from './definitions/schedule/game-schedule.ts';
import { openIdRoutes } from './console/sign-in/openid-sign-in.ts';
import { passkeyRoutes } from './console/sign-in/passkeys.ts';
import { setPassword } from './console/sign-in/password.ts';
import { sessionRoutes } from './console/sign-in/sessions.ts';
import { runSql } from './console/sql/sql.ts';
import { getChurnRisk } from './players/state/churn-risk.ts';
import { erasureRoutes } from './players/erasure.ts';
import { mergeRoutes } from './players/merge-player.ts';
import { trackEvents } from './events/event-batch.ts';
import { eventDictionary } from './events/event-dictionary.ts';
import { queryEvents } from './events/event-query.ts';
import { traceEventRoute } from './events/event-trace.ts';
import { eventSchemaRoutes } from './event-schemas/event-schemas.ts';
import { dryRunEventSchema } from './event-schemas/schema-dry-run.ts';
import { listSchemaFaults } from './event-schemas/schema-faults.ts';
import { makeStreamToken } from './stream/event-stream-tokens.ts';
import { streamEvents } from './stream/event-stream.ts';
import { trackEvent } from './events/events.ts';
import { experimentRoutes } from './experiments/experiments.ts';
import { lifeRoutes, stopExperiment } from './experiments/life-routes.ts';
import { getExperimentResults } from './experiments/results/experiment-results.ts';
import { getExperimentDays } from './experiments/results/day-results.ts';
import { getHoldoutResults } from './experiments/results/holdout-results.ts';
import { shipRoutes } from './experiments/ship-routes.ts';
import { findPlayers } from './players/find-players.ts';
import { getPlayerCampaigns } from './players/state/player-campaigns.ts';
import { getPlayerFlags } from './players/state/player-flags.ts';
import { getPlayerSegments } from './players/state/player-segments.ts';
import { getPlayerTimeline } from './players/state/player-timeline.ts';
import { exportPlayer } from './players/export.ts';
import { evaluateFlag, evaluateFlags } from './flags/evaluate/flag-evaluation.ts';
import { streamFlagChanges } from './flags/evaluate/flag-changes.ts';
import { exposeFlags } from './flags/results/flag-exposures.ts';
import { getFlagDefinitions } from './flags/flag-definitions.ts';
import { overrideRoutes } from './flags/flag-overrides.ts';
import { listOverrides } from './flags/overridden-players.ts';
import { explainFlags } from './flags/evaluate/flag-explanation.ts';
import { flagUsageRoutes } from './flags/results/flag-usage.ts';
import { queryFlagResults } from './flags/results/flag-readout.ts';
import { getFlagResults } from './flags/results/flag-results.ts';
import { getPower } from './flags/results/power.ts';
import { flagRoutes, patchFlag } from './flags/flags.ts';
import { previewFlag } from './flags/preview-flag.ts';
import { describeAnalyticsQuery, runAnalyticsQuery } from './analytics/queries.ts';
import { annotationRoutes } from './analytics/annotations/annotations.ts';
import { listPlayersBehind } from './analytics/players/players.ts';
import { putMembersOfQuery } from './analytics/players/segment-of-players.ts';
import { savedQueryRoutes } from './analytics/saved-queries.ts';
import { getFreshness } from './operations/freshness.ts';
import { gameEndSession } from './game/game-end-session.ts';
import { gameInit } from './game/game-init.ts';
import { exchangeRatesRoutes } from './settings/exchange-rates.ts';
import { gameSettingsRoutes } from './settings/game-settings.ts';
import { storeSettingsRoutes } from './settings/store-settings.ts';
import { storeNotificationRoutes } from './stores/store-notifications.ts';
import { gameSync } from './game/game-sync.ts';
import { ofrepEvaluateFlag, ofrepEvaluateFlags } from './ofrep/ofrep.ts';
import { getLifecycle } from './players/state/lifecycle.ts';
import { openApiText } from './route/openapi.ts';
import { healthz, metrics, openApiRoute, readyz } from './operations/ops.ts';
import { getPlayer, getPlayerByExternalId, patchPlayer, registerPlayer } from './players/players.ts';
import { replayQuarantine } from './event-schemas/quarantine-replay.ts';
import { listQuarantine } from './event-schemas/quarantine.ts';
import { propertyRoutes } from './properties/properties.ts';
import { recordPurchase } from './players/purchases/record-purchase.ts';
import { refundPurchase } from './players/purchases/refund-purchase.ts';
import { recordSession } from './players/record-session.ts';
import type { Route } from './route/route.ts';
import { getOpsStatus } from './operations/status.ts';
import { getScoringReport } from './scoring/scoring-report.ts';
import { scoringRoutes } from './scoring/scoring.ts';
import { segmentRoutes as segmentClientRoutes } from './segment-clients/segment-routes.ts';
import { segmentMembersRoutes } from './segments/segment-members.ts';
import { explainSegment } from './segments/segment-explanation.ts';
import { previewSegment } from './segments/segment-preview.ts';
import { segmentPlayersRoutes } from './segments/segment-players.ts';
import { segmentRoutes } from './segments/segments.ts';
import { getWebhookHealth } from './webhooks/webhook-health.ts';
import { getDeliveryPayload } from './webhooks/webhook-payload.ts';
import { listWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { webhookRecoveryRoutes } from './webhooks/webhook-recovery.ts';
import { redeliverToWebhook } from './webhooks/webhook-redelivery.ts';
import { testWebhookRoute } from './webhooks/webhook-test-delivery.ts';
import { patchWebhook as webhookPatch, webhookRoutes } from './webhooks/webhooks.ts';

const PLAYER_ROUTES: readonly Route[] = [
  gameSync,
  gameEndSession,
  ...erasureRoutes,
  ...mergeRoutes,
  findPlayers,
  getPlayerFlags,
  getPlayerSegments,
  getPlayerCampaigns,
  getPlayerTimeline,
  exportPlayer,
];

const EVENT_ROUTES: readonly Route[] = [
  trackEvent,
  trackEvents,
  queryEvents,
  eventDictionary,
  traceEventRoute,
  ...eventSchemaRoutes,
  dryRunEventSchema,
  listSchemaFaults,
  listQuarantine,
  replayQuarantine,
  streamEvents,
  makeStreamToken,
];

const TARGETING_ROUTES: readonly Route[] = [
  evaluateFlag,
  evaluateFlags,
  ofrepEvaluateFlag,
  ofrepEvaluateFlags,
  ...propertyRoutes,
  ...segmentRoutes,
  ...segmentPlayersRoutes,
  ...segmentMembersRoutes,
  putMembersOfQuery,
  previewSegment,
  explainSegment,
  ...flagRoutes,
  previewFlag,
  getFlagResults,
  getPower,
  queryFlagResults,
  explainFlags,
  ...flagUsageRoutes,
  getFlagDefinitions,
  streamFlagChanges,
  exposeFlags,
  listOverrides,
  ...overrideRoutes,
  ...experimentRoutes,
  getExperimentResults,
  getExperimentDays,
  getHoldoutResults,
  ...lifeRoutes,
  ...shipRoutes,
  ...campaignRoutes,
  getCampaignResults,
  explainCampaignRoute,
  listScheduled,
  ...scoringRoutes,
  getScoringReport,
];

const CONSOLE_ROUTES: readonly Route[] = [
  ...segmentClientRoutes,
  getFreshness,
  getOpsStatus,
  runAnalyticsQuery,
  describeAnalyticsQuery,
  listPlayersBehind,
  ...savedQueryRoutes,
  ...annotationRoutes,
  ...gameSettingsRoutes,
  ...storeSettingsRoutes,
  ...storeNotificationRoutes,
  ...exchangeRatesRoutes,
  ...sessionRoutes,
  setPassword,
  ...passkeyRoutes,
  ...openIdRoutes,
  runSql,
  listAudit,
  listDeploymentAudit,
  ...userRoutes,
  ...keyRoutes,
];

/** All endpoints of the service. To add an endpoint, add its route here or to its group above. */
export function routes(config: Pick<Config, 'webhookAllowPrivateHosts' | 'sessionTtlSeconds'>): readonly Route[] {
  const patchWebhook = webhookPatch(config.webhookAllowPrivateHosts);
  const all: Route[] = [
    registerPlayer,
    getPlayer,
    getPlayerByExternalId,
    patchPlayer,
    getLifecycle,
    getChurnRisk,
    recordSession,
    recordPurchase,
    refundPurchase,
    gameInit(config.sessionTtlSeconds),
    ...PLAYER_ROUTES,
    ...EVENT_ROUTES,
    ...TARGETING_ROUTES,
    ...webhookRoutes(patchWebhook, config.webhookAllowPrivateHosts),
    testWebhookRoute(),
    listWebhookDeliveries,
    getDeliveryPayload,
    getWebhookHealth,
    redeliverToWebhook,
    ...webhookRecoveryRoutes,
    ...CONSOLE_ROUTES,
    ...operationRoutes(),
  ];
  all.push(
    turnOff({ flag: patchFlag, experiment: stopExperiment, campaign: patchCampaign, webhook: patchWebhook }),
    ...approvalRoutes(all),
  );
  all.push(openApiRoute((turns) => openApiText(all, turns)));
  return all;
}

/** The endpoints that every process serves, whatever its roles. */
export function operationRoutes(): readonly Route[] {
  return [healthz, readyz, metrics];
}
