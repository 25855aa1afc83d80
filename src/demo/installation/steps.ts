import { discoverAddresses } from './addresses';
import type { Step } from './kept-steps';
import { addPolicies } from './policies';
import { addProjects } from './projects';
import { addSecurityGroups } from './security-groups';
import { addSubnets } from './subnets';

/** What is set up over the synced clusters, in this order; one file per domain. */
export const STEPS: readonly Step[] = [
  { name: 'subnets', take: addSubnets },
  { name: 'addresses', take: discoverAddresses },
  { name: 'projects', take: addProjects },
  { name: 'security-groups', take: addSecurityGroups },
  { name: 'policies', take: addPolicies },
];
