import type { CompilablePolicy } from './wanted';

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The order in which policies stand on a guest: priority (low first), then creation, then id so that it is total. */
export const comparePolicies = (a: CompilablePolicy, b: CompilablePolicy): number =>
  a.priority - b.priority || compareText(a.created_at, b.created_at) || compareText(a.id, b.id);
