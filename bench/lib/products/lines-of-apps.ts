import { madeId, seconds } from './made-ids.ts';
import type { Play, ProductLine } from './made-play.ts';

/* Firebase, Mixpanel and Amplitude. */

interface Param {
  key: string;
  value: object;
}

const text = (key: string, value: string): Param => ({ key, value: { string_value: value } });
/** BigQuery writes whole numbers as texts. */
const whole = (key: string, value: number): Param => ({ key, value: { int_value: String(value) } });

const FIREBASE_NAMES = {
  start: 'session_start',
  identify: 'login',
  play: 'level_up',
  purchase: 'in_app_purchase',
  end: 'user_engagement',
} as const;

export function firebaseLine(play: Play): ProductLine {
  const { kind, number, atMs, account, device, isSignedIn, sessionStartMs, country, version } = play;
  const name = FIREBASE_NAMES[kind];
  const bought = [
    text('product_id', play.product),
    whole('price', play.priceCents * 10_000),
    whole('quantity', play.quantity),
    text('currency', 'USD'),
  ];
  const line = {
    event_date: new Date(atMs).toISOString().slice(0, 10).replaceAll('-', ''),
    event_timestamp: String(atMs * 1_000),
    event_name: name,
    event_params: [
      whole('ga_session_id', seconds(sessionStartMs)),
      text('firebase_event_origin', 'app'),
      ...(kind === 'play' ? [whole('level', play.level), text('mode', play.mode)] : []),
      ...(kind === 'purchase' ? bought : []),
      // Engagement is what passed since the last event.
      ...(kind === 'start' ? [] : [whole('engagement_time_msec', play.secondsSince * 1_000)]),
      ...(kind === 'play' && number % 3 === 0
        ? [{ key: 'accuracy', value: { double_value: 0.5 + (number % 7) / 16 } }]
        : []),
    ],
    event_previous_timestamp: String((atMs - play.secondsSince * 1_000) * 1_000),
    event_bundle_sequence_id: String(1_000 + number),
    event_server_timestamp_offset: String(number % 5_000),
    ...(isSignedIn && account !== undefined ? { user_id: account } : {}),
    user_pseudo_id: device,
    privacy_info: { analytics_storage: 'Yes', ads_storage: 'Yes', uses_transient_token: 'No' },
    user_properties: [
      { key: 'first_open_time', value: { int_value: String(atMs), set_timestamp_micros: String(atMs) } },
    ],
    user_first_touch_timestamp: String(sessionStartMs * 1_000),
    device: { category: 'mobile', operating_system: play.platform === 'ios' ? 'iOS' : 'Android', language: 'en-us' },
    geo: { country: country[1], city: 'Somewhere', continent: 'Everywhere' },
    app_info: { id: 'com.example.game', version, install_source: 'store' },
    stream_id: '1440',
    platform: play.platform === 'ios' ? 'IOS' : 'ANDROID',
  };
  return { name, line };
}

const MIXPANEL_NAMES = {
  start: 'Game Opened',
  identify: '$identify',
  play: 'Level Up',
  purchase: 'Purchase',
  end: '$ae_session',
} as const;

export function mixpanelLine(play: Play): ProductLine {
  const { kind, atMs, account, device, isSignedIn, country, version, number } = play;
  const name = MIXPANEL_NAMES[kind];
  const user = isSignedIn ? account : undefined;
  const properties = {
    time: seconds(atMs),
    distinct_id: user ?? `$device:${device}`,
    $insert_id: madeId('mixpanel', play).slice(0, 36),
    $device_id: device,
    ...(user === undefined ? {} : { $user_id: user }),
    ...(kind === 'identify' ? { $identified_id: account, $anon_distinct_id: device } : {}),
    ...(kind === 'play' ? { level: play.level, mode: play.mode } : {}),
    ...(kind === 'purchase' ? { amount: play.priceCents / 100, currency: 'USD', product_id: play.product } : {}),
    ...(kind === 'end' ? { $ae_session_length: play.sessionSeconds } : {}),
    $os: play.platform === 'ios' ? 'iOS' : 'Android',
    $app_version_string: version,
    $app_build_number: String(play.build),
    $city: 'Somewhere',
    mp_country_code: country[0],
    mp_lib: 'unity',
    $mp_api_endpoint: 'api.mixpanel.com',
    $mp_api_timestamp_ms: atMs + 500,
    mp_processing_time_ms: atMs + 700 + (number % 90),
  };
  return { name, line: { event: name, properties } };
}

const AMPLITUDE_NAMES = {
  start: 'session_start',
  identify: undefined,
  play: 'level_up',
  purchase: 'shop_purchase',
  end: 'session_end',
} as const;

export function amplitudeLine(play: Play): ProductLine | undefined {
  const { kind, atMs, account, device, isSignedIn, sessionStartMs, country, version, number } = play;
  const name = AMPLITUDE_NAMES[kind];
  if (name === undefined) return undefined;
  const time = new Date(atMs).toISOString().replace('T', ' ').replace('Z', '000');
  // Amplitude gives a device one id before and after its user is known, and another device of the user the same.
  const person = 45_000_000_000 + play.player;
  return {
    name,
    line: {
      $insert_id: `${device}:${number}`,
      $schema: 13,
      amplitude_id: person,
      app: 100_011_471,
      client_event_time: time,
      country: country[1],
      data: { path: '/2/httpapi' },
      device_family: play.platform === 'ios' ? 'Apple iPhone' : 'Android',
      device_id: device,
      event_id: number % 10_000,
      event_properties: {
        ...(kind === 'play' ? { level: play.level, mode: play.mode } : {}),
        ...(kind === 'purchase'
          ? { $price: play.priceCents / 100, $quantity: play.quantity, $productId: play.product }
          : {}),
      },
      event_time: time,
      event_type: name,
      ip_address: '82.20.15.60',
      language: 'English',
      os_name: play.platform,
      platform: play.platform === 'ios' ? 'iOS' : 'Android',
      server_upload_time: time,
      session_id: sessionStartMs,
      user_id: isSignedIn ? (account ?? null) : null,
      user_properties: { level: play.level },
      uuid: madeId('amplitude', play),
      version_name: version,
    },
  };
}
