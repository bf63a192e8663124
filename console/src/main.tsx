import '@mantine/core/styles.css';
import './console.css';
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './frame/api.ts';
import { App, preloadScreen } from './app.tsx';
import { mount } from './frame/mount.tsx';
import { SessionProvider } from './frame/session.tsx';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays a refusal; an outage ends.
      retry: (count, error) => !(error instanceof ApiError && error.status > 0 && error.status < 500) && count < 2,
    },
  },
});

preloadScreen(globalThis.location.pathname.slice('/console'.length));
mount(
  '/console',
  queries,
  <SessionProvider>
    <App />
  </SessionProvider>,
);
