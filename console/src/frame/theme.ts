import { createTheme, localStorageColorSchemeManager } from '@mantine/core';

/** The looks of the console and of the API reference. */
export const THEME = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  cursorType: 'pointer',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  // Mantine heads dialogs with a `header` element, which would be a second banner of the page.
  components: {
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** The chosen scheme, which both pages share. */
export const SCHEMES = localStorageColorSchemeManager({ key: 'console-scheme' });
