import '@mantine/core/styles.css';
import './console.css';
import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { ApiError } from './api.ts';
import { App } from './app.tsx';
import { NONCE } from './nonce.ts';
import { SessionProvider } from './session.tsx';

const theme = createTheme({
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

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays a refusal; an outage ends.
      retry: (count, error) => !(error instanceof ApiError && error.status > 0 && error.status < 500) && count < 2,
    },
  },
});
const schemes = localStorageColorSchemeManager({ key: 'console-scheme' });
const root = document.getElementById('root');

if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={schemes} getStyleNonce={() => NONCE}>
        <QueryClientProvider client={queries}>
          <Router base="/console">
            <SessionProvider>
              <App />
            </SessionProvider>
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
