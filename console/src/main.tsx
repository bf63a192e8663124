import '@mantine/core/styles.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { ApiError } from './api.ts';
import { App } from './app.tsx';
import { NONCE } from './nonce.ts';
import { SessionProvider } from './session.tsx';
import { SCHEMES, THEME } from './theme.ts';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays a refusal; an outage ends.
      retry: (count, error) => !(error instanceof ApiError && error.status > 0 && error.status < 500) && count < 2,
    },
  },
});
const root = document.getElementById('root');

if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={THEME} defaultColorScheme="auto" colorSchemeManager={SCHEMES} getStyleNonce={() => NONCE}>
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
