import { Button, CopyButton, Text, Tooltip } from '@mantine/core';
import { TEXTS } from '../texts.ts';

/** A time in UTC; the same in local time on hover and for screen readers. */
export function Time({ at }: { at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <Text span>{TEXTS.never}</Text>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <Text span>{String(at)}</Text>;
  const local = `${date.toLocaleString('en-GB')} ${TEXTS.local}`;
  return (
    <Tooltip label={local}>
      <time dateTime={date.toISOString()} title={local} tabIndex={-1}>
        {date.toISOString().replace('T', ' ').slice(0, 19)} UTC
      </time>
    </Tooltip>
  );
}

/** The time of day of a message, in UTC. */
export function clockTime(at: string): string {
  return at.slice(11, 23);
}

/** Any JSON as text. React escapes it, so no text of a game becomes markup. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
    <pre className="json" tabIndex={0} aria-label={label} role="region">
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

export function Copy({ text, label }: { text: string; label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? TEXTS.copied : (label ?? TEXTS.copy)}
        </Button>
      )}
    </CopyButton>
  );
}

const NUMBERS = new Intl.NumberFormat('en-US');
export const number = (value: number): string => NUMBERS.format(value);
