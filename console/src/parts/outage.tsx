import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useReachable } from '../frame/reachability.ts';
import { TEXTS } from '../texts.ts';

/** Says that the service does not answer. Once it does, everything shown is read again. */
export function Outage() {
  const isReachable = useReachable();
  const wasReachable = useRef(true);
  const queries = useQueryClient();
  useEffect(() => {
    if (isReachable && !wasReachable.current) void queries.invalidateQueries();
    wasReachable.current = isReachable;
  }, [isReachable, queries]);
  if (isReachable) return null;
  return (
    <Alert color="red" variant="filled" title={TEXTS.outage.title} mb="md">
      {TEXTS.outage.help}
    </Alert>
  );
}
