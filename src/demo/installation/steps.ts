import type { Simulator } from '@fabric/simulator/http-server';
import { addProjectUser } from './accounts';
import { discoverAddresses } from './addresses';
import { addChangeInReview } from './changes';
import { applyPolicies, createPolicyDrift } from './deployments';
import type { Step } from './kept-steps';
import { addNotificationRules } from './notifications';
import { addPolicies } from './policies';
import { addProjects } from './projects';
import { addSavedViews } from './saved-views';
import { addSecurityGroups } from './security-groups';
import { addSubnets } from './subnets';

/** What is set up over the synced clusters, in this order; one file per domain. */
export const listSetupSteps = (simulator: Simulator, password: string): readonly Step[] => [
  { name: 'subnets', take: addSubnets },
  { name: 'addresses', take: (signal) => discoverAddresses(simulator, signal) },
  { name: 'projects', take: addProjects },
  { name: 'project-user', take: () => addProjectUser(password) },
  { name: 'security-groups', take: addSecurityGroups },
  { name: 'policies', take: addPolicies },
  { name: 'deployments', take: applyPolicies },
  { name: 'notifications', take: addNotificationRules },
  { name: 'drift', take: (signal) => createPolicyDrift(simulator, signal) },
  { name: 'change', take: addChangeInReview },
  { name: 'saved-views', take: addSavedViews },
];
