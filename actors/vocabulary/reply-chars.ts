import type { ExportedPlayer, Intervention, Reply } from './replies.ts';
import type { SeenFlag } from './player.ts';

/** Names, ids and numbers of a reply, without the texts that are counted. */
const REPLY_CHARS = 400;
/** Separators around each text of a list. */
const ITEM_CHARS = 4;

/** Approximate characters of a reply to a gateway, in a fact, or stored under an Idempotency-Key. */
export function replyChars(reply: Reply): number {
  switch (reply.kind) {
    case 'player':
      return REPLY_CHARS + reply.player.attributes.length;
    case 'tracked':
      return REPLY_CHARS + reply.results.length * REPLY_CHARS;
    case 'flags':
      return reply.evaluations.reduce((sum, { value }) => sum + REPLY_CHARS + value.length, REPLY_CHARS);
    case 'overridden':
      return REPLY_CHARS + (reply.value?.length ?? 0);
    case 'sessionOpened':
      return (
        REPLY_CHARS +
        reply.player.attributes.length +
        seenFlagsChars(reply.flags) +
        charsOfAll(reply.unknownFlags) +
        charsOfAll(reply.segmentKeys)
      );
    case 'sessionSynced':
      return REPLY_CHARS + seenFlagsChars(reply.flags) + charsOfInterventions(reply.interventions);
    case 'sessionEnded':
      return REPLY_CHARS + charsOfAll(reply.achievements);
    case 'exported':
      return REPLY_CHARS + exportedChars(reply.player);
    case 'claimed':
    case 'erased':
    case 'sessionRecorded':
    case 'purchaseRecorded':
    case 'lifecycle':
    case 'churnRisk':
    case 'noted':
    case 'failure':
      return REPLY_CHARS;
  }
}

/** Approximate characters of the flags of a reply. */
function seenFlagsChars(flags: readonly SeenFlag[]): number {
  return flags.reduce((sum, { flagKey, variant }) => sum + flagKey.length + (variant?.length ?? 0) + 2 * ITEM_CHARS, 0);
}

/** Approximate characters of a list of texts. */
export function charsOfAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + ITEM_CHARS, 0);
}

function charsOfInterventions(interventions: readonly Intervention[]): number {
  return interventions.reduce(
    (sum, { content: { title, body, cta } }) => sum + REPLY_CHARS + title.length + body.length + cta.length,
    0,
  );
}

/** Each entry of its lists holds a few short texts and numbers. */
function exportedChars(player: ExportedPlayer): number {
  const entries = Object.values(player).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? value.length : 0),
    0,
  );
  const overrides = player.overrides.reduce((sum, { value }) => sum + value.length, 0);
  return player.attributes.length + overrides + entries * REPLY_CHARS;
}
