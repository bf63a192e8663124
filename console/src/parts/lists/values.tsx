import { Button, type ButtonProps, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useZone } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { clockText, zoneLabel } from '../zoned-time.ts';

/** A time in the game's zone; the same in UTC and in local time on hover and for screen readers. */
export function Time({ at }: { at: string | number | null | undefined }) {
  const zone = useZone();
  if (at === null || at === undefined) return TEXTS.never;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const utc = zone === 'UTC' ? '' : `${timeText('UTC', date)} · `;
  const local = `${utc}${date.toLocaleString('en-GB')} ${TEXTS.local}`;
  return (
    <Tooltip label={local}>
      <time dateTime={date.toISOString()} title={local} tabIndex={-1}>
        {timeText(zone, date)}
      </time>
    </Tooltip>
  );
}

/** A line breaks between the day and the time only. */
const timeText = (zone: string, date: Date): string =>
  `${clockText(zone, date.getTime())}\u00A0${zoneLabel(zone, date.getTime())}`;

/** Any JSON as text. React escapes it, so no text of a game becomes markup. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
    <pre className="json" tabIndex={0} aria-label={label} role="region">
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

/** Copies a text. Where the browser forbids it, as on pages without https, it says so and shows the text. */
export function Copy({ text, label, size = 'xs' }: { text: string; label?: string; size?: ButtonProps['size'] }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state !== 'copied') return undefined;
    const timer = setTimeout(() => setState('idle'), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => setState((await copied(text)) ? 'copied' : 'refused');
  return (
    <>
      <Button {...(size === undefined ? {} : { size })} variant="default" onClick={() => void copy()}>
        {state === 'copied' ? TEXTS.copied : (label ?? TEXTS.copy)}
      </Button>
      {/* A status within a button would take its name away. */}
      <VisuallyHidden role="status">{state === 'copied' ? TEXTS.copied : ''}</VisuallyHidden>
      {state === 'refused' ? (
        <TextInput
          size="xs"
          readOnly
          value={text}
          label={TEXTS.copyByHand}
          onFocus={(event) => event.currentTarget.select()}
        />
      ) : null}
    </>
  );
}

const COPIED_MS = 1_500;

/** @returns whether the text is on the clipboard; the clipboard exists on https and on this machine only */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const NUMBERS = new Intl.NumberFormat('en-US');
export const number = (value: number): string => NUMBERS.format(value);

const MONEY = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** An amount of the game's currency. */
export const money = (value: number): string => MONEY.format(value);
