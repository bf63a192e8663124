/* Definitions of every kind, over HTTP. */

interface Calls {
  /** Creates a definition, which must succeed. */
  made: (path: string, body: unknown) => Promise<Record<string, unknown>>;
  call: (method: string, path: string, body?: unknown) => Promise<unknown>;
}

const EXPERIMENTS = '/v1/experiments/experiments';
const labels = { owner: 'economy', tags: ['shop'], note: 'Ask first' };

/** One or more of each kind. No value is the default or that of another field. */
export async function makeEachKind({ made, call }: Calls): Promise<void> {
  await made('/v1/events/schemas', {
    ...labels,
    event_name: 'level up/ü',
    description: 'Levels',
    mode: 'warn',
    schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  });
  await made('/v1/properties/properties', {
    ...labels,
    key: 'bosses',
    name: 'Bosses beaten',
    description: 'Of all sizes',
    event: 'boss_beaten',
    where: { 'properties.size': { $gte: 2 } },
    aggregate: 'sum',
    value: 'properties.points',
    within_days: 9,
  });
  const payers = await made('/v1/segments/segments', {
    ...labels,
    key: 'payers',
    name: 'Payers',
    description: 'They paid',
    conditions: { is_payer: true, 'computed.bosses': { $gte: 3 } },
    enabled: true,
  });
  const listed = await made('/v1/segments/segments', { key: 'listed', name: 'From a list', kind: 'static' });
  await made('/v1/segments/segments', {
    key: 'off',
    name: 'Off',
    conditions: { is_payer: false },
    enabled: false,
  });
  await made('/v1/flags/flags', {
    ...labels,
    key: 'shop',
    name: 'The shop',
    description: 'Prices',
    flag_type: 'number',
    ends_at: '2027-01-02T03:04:05.678Z',
    client_visible: false,
    default_value: 0.99,
    default_serve: {
      weights: [
        { key: 'low', weight: 3 },
        { key: 'high', weight: 7 },
      ],
    },
    bucket_by: 'device',
    variants: [
      { key: 'low', value: 1.99, weight: 20 },
      { key: 'high', value: 4.99, weight: 80 },
    ],
    targeting_rules: [
      {
        name: 'Payers',
        segment_id: payers['segment_id'],
        conditions: { 'context.version': { $vgte: '2.0.0' } },
        serve: { variant: 'high' },
        salt: 'together',
        bucket_by: 'attribute:guild',
        percentage: 37.5,
        priority: 4,
        start_at: '2026-01-01T00:00:00.000Z',
        end_at: '2028-01-01T00:00:00.000Z',
      },
      { segment_id: listed['segment_id'], value: false },
    ],
    // Made after this one in the order of keys.
    prerequisites: [],
  });
  await made('/v1/flags/flags', { key: 'zone', flag_type: 'boolean', enabled: false });
  await made('/v1/flags/flags', { key: 'Zone', flag_type: 'boolean', targeting_rules: [{ percentage: 12 }] });
  await call('PATCH', '/v1/flags/flags/shop', { prerequisites: [{ flag_key: 'zone', value: true }] });
  await made('/v1/flags/flags', { key: 'past', flag_type: 'boolean' });
  await call('DELETE', '/v1/flags/flags/past');
  const shares = [
    { key: 'high', weight: 3 },
    { key: 'low', weight: 5 },
  ];
  await made(EXPERIMENTS, {
    ...labels,
    key: 'prices',
    name: 'Prices',
    hypothesis: 'Payers pay more',
    flag_key: 'shop',
    mode: 'aa',
    audience: {
      segment_id: payers['segment_id'],
      conditions: { $not: { $inSegment: ['listed'] }, 'context.version': { $vgte: '3.0.0' } },
    },
    traffic: 45.5,
    variants: shares,
    bucket_by: 'attribute:household',
    layer: { key: 'shop-layer', from: 12.5, to: 62.5 },
    primary: { aggregate: 'revenue', winsorize: 0.98, cuped: true },
    guardrails: [
      { metric: { aggregate: 'retention', day: 6 }, worse: 'lower', margin: 0.04, action: 'pause' },
      { metric: { metric: 'app_crashed' }, worse: 'higher', margin: 0, action: 'roll_back' },
    ],
    plan: { alpha: 0.02, power: 0.9, mde: 0.07, ends_at: '2027-03-01T00:00:00.000Z' },
  });
  const halves = [
    { key: 'false', weight: 1 },
    { key: 'true', weight: 1 },
  ];
  // What runs is a file like a draft; what has ended is none.
  await made(EXPERIMENTS, { key: 'zones', flag_key: 'Zone', variants: halves });
  await call('POST', `${EXPERIMENTS}/zones/start`);
  await made(EXPERIMENTS, { key: 'over', flag_key: 'zone', variants: halves });
  await call('POST', `${EXPERIMENTS}/over/discard`);
  await made('/v1/campaigns/campaigns', {
    ...labels,
    key: 'comeback',
    name: 'Come back',
    enabled: false,
    trigger: { segment_entered: payers['segment_id'] },
    audience: listed['segment_id'],
    content: { title: 'T', body: 'B', cta: 'Go' },
    display_rules: { priority: 'high', dismiss_after_seconds: 31 },
    caps: { total: 5, per_day: 2 },
    cooldown_seconds: 3_601,
    quiet_hours: { from: '22:00', to: '08:00' },
    holdout_percentage: 11,
    expires_after_seconds: 604_801,
    start_at: '2026-02-01T00:00:00.000Z',
    end_at: '2029-02-01T00:00:00.000Z',
  });
  await made('/v1/analytics/saved-queries', {
    ...labels,
    key: 'levels',
    name: 'Levels',
    description: 'Weekly',
    query: { kind: 'trend', metric: 'players', by: 'country' },
    range_days: 29,
  });
  await made('/v1/integrations/webhooks', {
    ...labels,
    name: 'Purchases: EU',
    url: 'https://hooks.example.com/T0/secret-path',
    events: ['purchase_completed'],
    headers: { Authorization: 'Bearer top' },
    retry_policy: { max_retries: 3, backoff: 'linear' },
    filters: { 'properties.amount': { gte: 10 } },
  });
  await call('PATCH', '/v1/settings', {
    time_zone: 'America/Sao_Paulo',
    currency: 'BRL',
    extracted_properties: ['level', 'item.id'],
  });
  await call('PUT', '/v1/settings/exchange-rates', {
    rates: { USD: { '2026-01-15': 5.37, '2026-01-16': 5.38 }, EUR: { '2026-01-15': 6.25 } },
  });
}
