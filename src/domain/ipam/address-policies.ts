import { z } from 'zod';
import { ENFORCEMENT_MODES } from '../policy/choices';
import { DEPLOYMENT_STATUSES } from '../policy/status';
import { POLICY_TIERS } from '../policy/tier';
import { TOUCHED_BY } from '../policy/touches';

const Touch = z.object({ side: z.enum(['source', 'target']), endpoint: z.string(), by: z.enum(TOUCHED_BY) });

/** Policies that touch an address, those that name it or its workload first, then by name. */
export const AddressPolicies = z.object({
  policies: z.array(
    z.object({
      policy_id: z.uuid(),
      name: z.string(),
      enabled: z.boolean(),
      enforcement_mode: z.enum(ENFORCEMENT_MODES),
      deployment_status: z.enum(DEPLOYMENT_STATUSES).nullable(),
      /** The endpoints that resolve to it: through its workload, through addresses that include it, or through any. */
      touches: z.array(Touch),
    }),
  ),
  /** Platform policies with rules on the workload of the address, as far as the platform lets tenants know of them. */
  platform: z.array(z.object({ name: z.string(), tier: z.enum(POLICY_TIERS) })),
  /** Further ones of the platform. */
  hidden: z.int(),
  /** Groups of which its workload is a member; null to users who may not see groups. */
  groups: z.array(z.object({ security_group_id: z.uuid(), name: z.string() })).nullable(),
  /** Policy tests with an end that resolves to it; null to users who may not see tests. */
  tests: z.array(z.object({ policy_test_id: z.uuid(), name: z.string(), touches: z.array(Touch) })).nullable(),
});
export type AddressPolicies = z.output<typeof AddressPolicies>;
