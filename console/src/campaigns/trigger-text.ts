import { minuteText, zoneLabel } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { type Campaign, triggerKindOf } from './campaign-document.ts';

const texts = TEXTS.campaigns;

/** A time as people read it, in a zone. */
function shortTime(zone: string, at: string): string {
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? at : `${minuteText(zone, atMs)} ${zoneLabel(zone, atMs)}`;
}

/** What starts a campaign, in words. @param segmentName the name of a segment by its id */
export function triggerText(zone: string, trigger: Campaign['trigger'], segmentName: (id: string) => string): string {
  const words = texts.triggerTexts;
  switch (triggerKindOf(trigger)) {
    case 'event':
      return words.event(trigger.event ?? '');
    case 'segment_entered':
      return words.segment_entered(segmentName(trigger.segment_entered ?? ''));
    case 'segment_exited':
      return words.segment_exited(segmentName(trigger.segment_exited ?? ''));
    case 'lifecycle':
      return words.lifecycle(trigger.lifecycle ?? '');
    case 'churn':
      return words.churn();
    case 'schedule':
      return words.schedule(shortTime(zone, trigger.schedule?.at ?? ''));
    case undefined:
      return texts.unknownTrigger;
  }
}

/** When it gives messages, in words. */
export function scheduleText(zone: string, { trigger, start_at: startAt, end_at: endAt }: Campaign): string {
  if (trigger.schedule !== undefined) return texts.at(shortTime(zone, trigger.schedule.at));
  const parts = [
    ...(startAt === null ? [] : [texts.from(shortTime(zone, startAt))]),
    ...(endAt === null ? [] : [texts.until(shortTime(zone, endAt))]),
  ];
  return parts.length === 0 ? texts.always : parts.join(' ');
}
