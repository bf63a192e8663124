import { madeId, seconds, sessionUuid, steadyId } from './made-ids.ts';
import type { Play, ProductLine } from './made-play.ts';

/* Unity, GameAnalytics, PostHog and Segment. */

const UNITY_NAMES = {
  start: 'appStart',
  identify: undefined,
  play: 'LevelComplete',
  purchase: 'transaction',
  end: 'appRunning',
} as const;

export function unityLine(play: Play): ProductLine | undefined {
  const { kind, atMs, number } = play;
  const name = UNITY_NAMES[kind];
  if (name === undefined) return undefined;
  return {
    name,
    line: {
      ts: atMs,
      appid: 'aa43ae0a-a7a7-4016-ae96-e253bb126aa8',
      type: kind === 'play' ? 'custom' : `analytics.${name}.v1`,
      userid: steadyId(play),
      sessionid: sessionUuid(play),
      remote_ip: '203.0.113.7',
      platform: play.platform === 'ios' ? 'IPhonePlayer' : 'Android',
      sdk_ver: 'u2018.1',
      debug_device: false,
      user_agent: 'UnityPlayer/2018.1',
      submit_time: atMs + 1_000 + (number % 900),
      ...(kind === 'play' ? { name, custom_params: { level: String(play.level), mode: play.mode } } : {}),
      ...(kind === 'end' ? { duration: play.sessionSeconds } : {}),
      ...(kind === 'purchase'
        ? {
            currency: 'USD',
            amount: Math.fround(play.priceCents / 100),
            transactionid: 7_000_000 + number,
            productid: play.product,
          }
        : {}),
    },
  };
}

const GAME_ANALYTICS_CATEGORIES = {
  start: 'user',
  identify: undefined,
  play: 'design',
  purchase: 'business',
  end: 'session_end',
} as const;

export function gameAnalyticsLine(play: Play): ProductLine | undefined {
  const { kind, atMs, country, version, number } = play;
  const category = GAME_ANALYTICS_CATEGORIES[kind];
  if (category === undefined) return undefined;
  const own = `Level:${play.level % 5}:${play.mode}`;
  const data = {
    category,
    client_ts: seconds(atMs),
    user_id: steadyId(play),
    session_id: sessionUuid(play),
    session_num: play.session + 1,
    build: version,
    platform: play.platform,
    device: 'phone',
    os_version: 'android 14',
    sdk_version: 'unity 7.3.1',
    v: 2,
    ...(kind === 'play' ? { event_id: own, value: play.level } : {}),
    ...(kind === 'end' ? { length: play.sessionSeconds } : {}),
    ...(kind === 'purchase'
      ? {
          event_id: `Packs:${play.product}`,
          amount: play.priceCents,
          currency: 'USD',
          transaction_num: 1 + (number % 1_000),
          cart_type: 'shop',
        }
      : {}),
  };
  return {
    name: kind === 'play' ? own : category,
    line: {
      arrival_ts: seconds(atMs) + 3,
      country_code: country[0],
      data,
      game_id: 1_440,
      ip: '82.20.15.0',
      user_meta: { install_ts: seconds(play.sessionStartMs), first_build: version },
    },
  };
}

const POSTHOG_NAMES = {
  start: 'game_opened',
  identify: '$identify',
  play: 'level_up',
  purchase: 'pack_bought',
  end: 'game_closed',
} as const;

export function posthogLine(play: Play): ProductLine {
  const { kind, atMs, account, device, isSignedIn, country, version } = play;
  const name = POSTHOG_NAMES[kind];
  return {
    name,
    line: {
      uuid: madeId('posthog', play),
      event: name,
      distinct_id: isSignedIn && account !== undefined ? account : device,
      person_id: madeId('person', { ...play, number: play.player }),
      team_id: 2,
      timestamp: new Date(atMs).toISOString().replace('Z', '000+00:00'),
      created_at: new Date(atMs + 900).toISOString(),
      elements_chain: '',
      person_properties: { plan: 'free' },
      properties: {
        $session_id: sessionUuid(play),
        $os: play.platform === 'ios' ? 'iOS' : 'Android',
        $app_version: version,
        $app_build: String(play.build),
        $geoip_country_code: country[0],
        $lib: 'posthog-unity',
        ...(kind === 'identify' ? { $anon_distinct_id: device } : {}),
        ...(kind === 'play' ? { level: play.level, mode: play.mode } : {}),
        ...(kind === 'purchase' ? { revenue: play.priceCents / 100, currency: 'USD', product_id: play.product } : {}),
      },
    },
  };
}

const SEGMENT_NAMES = {
  start: 'Application Opened',
  identify: 'identify',
  play: 'Level Up',
  purchase: 'Order Completed',
  end: 'Application Backgrounded',
} as const;

export function segmentLine(play: Play): ProductLine {
  const { kind, atMs, account, device, isSignedIn, version, country, number } = play;
  const name = SEGMENT_NAMES[kind];
  const at = new Date(atMs).toISOString();
  const bought = {
    order_id: `order-${number}`,
    revenue: play.priceCents / 100,
    currency: 'USD',
    product_id: play.product,
  };
  return {
    name,
    line: {
      type: kind === 'identify' ? 'identify' : 'track',
      ...(kind === 'identify'
        ? { traits: { level: play.level, email: `${account ?? ''}@example.com` } }
        : { event: name }),
      messageId: `ajs-${madeId('segment', play)}`,
      anonymousId: device,
      userId: isSignedIn ? (account ?? null) : null,
      timestamp: at,
      originalTimestamp: new Date(atMs - 2_000).toISOString(),
      sentAt: new Date(atMs + 1_000).toISOString(),
      receivedAt: new Date(atMs + 1_500).toISOString(),
      context: {
        sessionId: seconds(play.sessionStartMs),
        app: { name: 'Game', version, build: String(play.build) },
        device: { type: play.platform },
        os: { name: play.platform === 'ios' ? 'iOS' : 'Android', version: '17' },
        location: { country: country[0] },
        library: { name: 'analytics-kotlin', version: '1.16' },
      },
      integrations: {},
      ...(kind === 'identify'
        ? {}
        : { properties: kind === 'purchase' ? bought : { level: play.level, mode: play.mode } }),
      writeKey: 'abc',
    },
  };
}
