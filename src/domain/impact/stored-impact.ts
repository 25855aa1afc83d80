import { z } from 'zod';
import type { ChangeItem } from '../change/items';
import type { Reach } from '../permissions';
import type { CompilablePolicy } from '../policy/desired';
import type { TenantVisibility } from '../policy/tier';
import { type Impact, ImpactConversation } from './impact';

/** A policy with all changes, and what is done with it: applied, or removed from where it is. */
export type PolicyImpactChange = {
  readonly policy: CompilablePolicy & {
    readonly name: string;
    readonly enabled: boolean;
    readonly tenant_visibility: TenantVisibility;
    readonly project_id: string | null;
  };
  readonly leaves: 'apply' | 'cleanup';
};

/** What an impact is computed of: one policy, or all edits of a change. */
export type ImpactChange = PolicyImpactChange | { readonly items: readonly ChangeItem[] };

/** Where the reader sees policies, policy tests and flows; null: nowhere. */
export type ImpactReader = { readonly policies: Reach; readonly tests: Reach | null; readonly flows: Reach | null };

/** What is computed about a change besides conversations. */
export type ImpactFindings = Pick<
  Impact,
  | 'live_read_at'
  | 'difference'
  | 'difference_left_out'
  | 'workloads_total'
  | 'confidence'
  | 'traffic_visible'
  | 'tests'
  | 'hidden_failing_tests'
  | 'own_connections'
>;

/** A conversation as it is kept: as its reader sees it. */
export const KeptConversation = z.object({ conversation: ImpactConversation });
