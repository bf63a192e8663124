export type TenantProgress = readonly [evaluated: number, total: number, done: boolean];
