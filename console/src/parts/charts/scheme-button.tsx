import { Button, useMantineColorScheme } from '@mantine/core';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.header;
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const;

/** Switches between the system's scheme, light and dark. */
export function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Button
      variant="default"
      size="xs"
      px={8}
      onClick={() => setColorScheme(NEXT[colorScheme])}
      aria-label={texts.scheme[colorScheme]}
      title={texts.scheme[colorScheme]}
    >
      {{ auto: '◐', light: '☀', dark: '☾' }[colorScheme]}
    </Button>
  );
}
