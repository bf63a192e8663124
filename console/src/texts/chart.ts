/* Charts. */

export const chart = {
  table: (label: string) => `${label}, as a table`,
  time: (zone: string) => `Time (${zone})`,
  lines: 'Lines',
  show: 'Show this line',
  hide: 'Hide this line',
  partial: 'partial',
  partialFrom: (time: string) => `${time} is not over; its figures are partial.`,
  keys: 'Point at the chart, or focus it and use the arrow keys.',
} as const;
