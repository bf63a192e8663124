import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  GET: 'blue',
  POST: 'green',
  PUT: 'orange',
  PATCH: 'yellow',
  DELETE: 'red',
};

export function Method({ method }: { method: string }) {
  return (
    <Badge size="xs" radius="sm" variant="outline" color={COLORS[method] ?? 'gray'} className="method">
      {method}
    </Badge>
  );
}
