import { z } from 'zod';
import * as account from '@/domain/account';
import * as agent from '@/domain/agent';
import * as audit from '@/domain/audit';
import * as auth from '@/domain/auth';
import * as change from '@/domain/change/change';
import * as changeDrift from '@/domain/change/drift';
import * as changeItems from '@/domain/change/items';
import * as changeRecord from '@/domain/change/record';
import * as changeWatch from '@/domain/change/watch';
import * as cluster from '@/domain/cluster';
import * as flowEstimate from '@/domain/collector/estimate';
import * as flowExporter from '@/domain/collector/exporter';
import * as coverage from '@/domain/coverage';
import * as dashboard from '@/domain/dashboard/dashboard';
import * as securityPosture from '@/domain/dashboard/security-posture';
import * as suspiciousTraffic from '@/domain/dashboard/suspicious-traffic';
import * as deployments from '@/domain/deployments';
import * as directory from '@/domain/directory';
import * as escaped from '@/domain/enforcement-chain/escaped';
import * as workloadChain from '@/domain/enforcement-chain/workload-chain';
import * as ruleView from '@/domain/firewall/rule-view';
import * as conversation from '@/domain/flow/conversation';
import * as flow from '@/domain/flow/flow';
import * as flowSums from '@/domain/flow/flow-sums';
import * as trafficSums from '@/domain/flow/traffic-sums';
import * as forwardingDestination from '@/domain/forwarding/destination';
import * as guestFirewall from '@/domain/guest-firewall';
import * as hostFirewall from '@/domain/host-firewall';
import * as hygiene from '@/domain/hygiene/finding';
import * as evidence from '@/domain/impact/evidence';
import * as impact from '@/domain/impact/impact';
import * as insights from '@/domain/insights';
import * as inventory from '@/domain/inventory';
import * as addressPolicies from '@/domain/ipam/address-policies';
import * as conflict from '@/domain/ipam/conflict';
import * as csvImport from '@/domain/ipam/csv-import';
import * as discovery from '@/domain/ipam/discovery';
import * as ipAddress from '@/domain/ipam/ip-address';
import * as ipRange from '@/domain/ipam/ip-range';
import * as network from '@/domain/ipam/network';
import * as search from '@/domain/ipam/search';
import * as subnet from '@/domain/ipam/subnet';
import * as mappingRule from '@/domain/mapping-rule';
import * as netboxSource from '@/domain/netbox/source';
import * as notificationChannel from '@/domain/notifications/channel';
import * as notificationDelivery from '@/domain/notifications/delivery';
import * as incident from '@/domain/notifications/incident';
import * as notification from '@/domain/notifications/notification';
import * as notificationRule from '@/domain/notifications/rule';
import * as notificationSettings from '@/domain/notifications/settings';
import * as ownWorkloads from '@/domain/own-connections/own-workloads';
import * as passkeys from '@/domain/passkeys';
import * as policies from '@/domain/policies';
import * as policy from '@/domain/policy/policy';
import * as policyDeployment from '@/domain/policy-deployment';
import * as policyDraft from '@/domain/policy-draft';
import * as policyEndpoints from '@/domain/policy-endpoints';
import * as policyFile from '@/domain/policy-file/document';
import * as policyFilePlan from '@/domain/policy-file/plan';
import * as policyGuests from '@/domain/policy-guests';
import * as policyPreview from '@/domain/policy-preview';
import * as policyTest from '@/domain/policy-tests/definition';
import * as protectedConnection from '@/domain/policy-tests/protected-connection';
import * as project from '@/domain/project';
import * as reach from '@/domain/reach/reach';
import * as recertification from '@/domain/recertification';
import * as role from '@/domain/role';
import * as savedView from '@/domain/saved-view';
import * as secondFactor from '@/domain/second-factor';
import * as securityGroup from '@/domain/security-group';
import * as settings from '@/domain/settings';
import * as setup from '@/domain/setup';
import * as signInProvider from '@/domain/sign-in-provider';
import * as suggestion from '@/domain/suggestion/suggestion';
import * as sync from '@/domain/sync';
import * as tenant from '@/domain/tenant';
import * as topology from '@/domain/topology/topology';
import * as user from '@/domain/user';

/** Modules whose exported object schemas have their own names in the API document. */
const MODULES: readonly Record<string, unknown>[] = [
  account,
  agent,
  audit,
  auth,
  change,
  changeDrift,
  changeItems,
  changeRecord,
  changeWatch,
  cluster,
  coverage,
  hygiene,
  dashboard,
  securityPosture,
  suspiciousTraffic,
  deployments,
  directory,
  escaped,
  workloadChain,
  ruleView,
  conversation,
  flow,
  flowSums,
  trafficSums,
  guestFirewall,
  hostFirewall,
  evidence,
  impact,
  insights,
  inventory,
  addressPolicies,
  conflict,
  csvImport,
  discovery,
  ipAddress,
  ipRange,
  network,
  search,
  flowEstimate,
  flowExporter,
  forwardingDestination,
  subnet,
  mappingRule,
  netboxSource,
  notificationChannel,
  notificationDelivery,
  incident,
  notification,
  notificationRule,
  notificationSettings,
  ownWorkloads,
  policies,
  policy,
  policyDeployment,
  policyDraft,
  policyEndpoints,
  policyFile,
  policyFilePlan,
  policyGuests,
  policyPreview,
  policyTest,
  protectedConnection,
  recertification,
  project,
  reach,
  role,
  savedView,
  passkeys,
  secondFactor,
  securityGroup,
  settings,
  setup,
  signInProvider,
  suggestion,
  sync,
  tenant,
  topology,
  user,
];

type Components = z.core.$ZodRegistry<{ id: string }>;

/** The names of the schemas of `MODULES`: a schema's name is that of its export. */
export function namedSchemas(): Components {
  const registry = z.registry<{ id: string }>();
  const names = new Set<string>();
  for (const [name, value] of MODULES.flatMap((one) => Object.entries(one))) {
    if (!(value instanceof z.ZodObject) || registry.has(value)) continue;
    // Two schemas of one name in different modules: the second is written out where it stands.
    if (names.has(name)) continue;
    names.add(name);
    registry.add(value, { id: name });
  }
  return registry;
}
