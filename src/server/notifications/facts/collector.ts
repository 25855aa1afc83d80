import type { Condition, Fact } from '@/domain/notifications/condition';
import type { TenantReach } from '@/domain/permissions';

/** What one condition looks like now within reach. */
export type Collected = {
  facts: Fact[];
  /** Keys of objects about which nothing can be said now. */
  unknown?: string[];
  /** There is more than was read: what is not among the facts may hold as well. */
  incomplete?: boolean;
};
export type Collector = (reach: TenantReach) => Promise<Collected>;
export type Collectors = Record<Condition, Collector>;
