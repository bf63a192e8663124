import { TEXTS } from '../texts.ts';
import { type Campaign, triggerKindOf } from './campaign-document.ts';

const texts = TEXTS.campaigns;

/** A time as people read it, in UTC. */
const shortTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

/** What starts a campaign, in words. @param segmentName the name of a segment by its id */
export function triggerText(trigger: Campaign['trigger'], segmentName: (id: string) => string): string {
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
      return words.schedule(shortTime(trigger.schedule?.at ?? ''));
    case undefined:
      return texts.unknownTrigger;
  }
}

/** When it gives messages, in words. */
export function scheduleText({ trigger, start_at: startAt, end_at: endAt }: Campaign): string {
  if (trigger.schedule !== undefined) return texts.at(shortTime(trigger.schedule.at));
  const parts = [
    ...(startAt === null ? [] : [texts.from(shortTime(startAt))]),
    ...(endAt === null ? [] : [texts.until(shortTime(endAt))]),
  ];
  return parts.length === 0 ? texts.always : parts.join(' ');
}
