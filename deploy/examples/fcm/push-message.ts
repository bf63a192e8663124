/** `data` of a webhook of the kind `campaign.triggered`. */
export interface Triggered {
  player_id: string;
  campaign_key: string;
  intervention_id: string;
  variant: string | null;
  /** Until when quiet hours hold the message back. */
  held_until: string | null;
  expires_at: string;
  /** null: the message was too large to be kept with the trigger. */
  content: {
    title: string;
    body: string;
    image: string | null;
    deep_link: string | null;
    buttons: { id: string; label: string; action: string }[];
    data: object | null;
  } | null;
}

/** FCM takes no more. */
const MOST_BYTES = 4_096;
const SHORT_BODY = 500;

/**
 * A campaign's message as FCM takes it. A repeat replaces the notification on the device, as both have the id of the
 * intervention. What does not fit is left out: the game gets it with its next sync.
 */
export function pushMessage(triggered: Triggered, token: string, nowMs: number): object | undefined {
  const whole = messageOf(triggered, token, { nowMs, isWhole: true });
  if (whole === undefined || Buffer.byteLength(JSON.stringify(whole)) <= MOST_BYTES) return whole;
  return messageOf(triggered, token, { nowMs, isWhole: false });
}

function messageOf(
  { content, intervention_id: id, campaign_key: campaign, variant, expires_at: expiresAt }: Triggered,
  token: string,
  { nowMs, isWhole }: { nowMs: number; isWhole: boolean },
): object | undefined {
  if (content === null) return undefined;
  const { title, body, image, deep_link: link, buttons, data } = content;
  const expires = Math.floor(Date.parse(expiresAt) / 1_000);
  const seconds = Math.max(0, expires - Math.floor(nowMs / 1_000));
  return {
    token,
    notification: {
      title,
      body: isWhole ? body : body.slice(0, SHORT_BODY).toWellFormed(),
      ...(image === null ? {} : { image }),
    },
    // Values are texts.
    data: {
      intervention_id: id,
      campaign_key: campaign,
      ...(variant === null ? {} : { variant }),
      ...(link === null ? {} : { deep_link: link }),
      ...(isWhole ? { buttons: JSON.stringify(buttons), data: JSON.stringify(data) } : {}),
    },
    // FCM keeps a message for four weeks at most.
    android: { ttl: `${Math.min(seconds, 28 * 86_400)}s`, notification: { tag: id } },
    apns: { headers: { 'apns-collapse-id': id, 'apns-expiration': String(expires) } },
    ...(link?.startsWith('https://') === true ? { webpush: { fcm_options: { link } } } : {}),
  };
}
