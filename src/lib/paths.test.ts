import { expect, test } from 'vitest';
import { paths } from './paths';

test('each path of the interface matches its URL', () => {
  const ids = {
    cluster: 'clusterId',
    node: 'nodeId',
    workload: 'workloadId',
    network: 'networkId',
    address: 'addressId',
    subnet: 'subnetId',
    netboxSource: 'sourceId',
    agent: 'nodeId',
    securityGroup: 'groupId',
    policy: 'policyId',
    suggestion: 'suggestionId',
    editPolicy: 'policyId',
    change: 'changeId',
    impact: 'impactId',
    user: 'userId',
    role: 'roleId',
    tenant: 'tenantId',
  };
  const all = Object.entries(paths).map(([name, make]) => {
    const path = make as (p: Record<string, string>) => string;
    const id = ids[name as keyof typeof ids];
    return `${name}: ${path(id ? { [id]: 'x1', tab: 'nodes' } : name === 'login' ? { next: '/clusters?q=a b' } : {})}`;
  });
  expect(all).toMatchInlineSnapshot(`
    [
      "home: /",
      "setup: /setup",
      "login: /login?next=%2Fclusters%3Fq%3Da+b",
      "clusters: /clusters",
      "cluster: /clusters/x1?tab=nodes",
      "nodes: /nodes",
      "node: /nodes/x1?tab=nodes",
      "workloads: /workloads",
      "workload: /workloads/x1?tab=nodes",
      "networks: /networks",
      "network: /networks/x1?tab=nodes",
      "addresses: /addresses",
      "address: /addresses/x1?tab=nodes",
      "subnet: /addresses/subnets/x1?tab=nodes",
      "netboxSources: /addresses/netbox",
      "netboxSource: /addresses/netbox/x1?tab=nodes",
      "importAddresses: /addresses/import",
      "securityGroups: /security-groups",
      "securityGroup: /security-groups/x1?tab=nodes",
      "policyTests: /policy-tests",
      "protectedConnections: /policy-tests/protected",
      "policyTest: /policy-tests/undefined",
      "policies: /policies",
      "recertification: /policies/recertification",
      "newPolicy: /policies/new",
      "policy: /policies/x1?tab=nodes",
      "editPolicy: /policies/x1/edit",
      "newSuggestion: /suggestions/new",
      "suggestion: /suggestions/x1",
      "changes: /changes",
      "change: /changes/x1",
      "drift: /drift",
      "impact: /impacts/x1?tab=nodes",
      "flows: /flows",
      "flowEstimates: /flows/estimates",
      "escapedTraffic: /flows/escaped",
      "coverage: /coverage",
      "hygiene: /coverage/hygiene",
      "reach: /reach",
      "topology: /topology",
      "agents: /agents",
      "flowExporters: /agents/exporters",
      "agent: /agents/x1",
      "users: /users",
      "user: /users/x1?tab=nodes",
      "roles: /roles",
      "role: /roles/x1?tab=nodes",
      "tenants: /tenants",
      "tenant: /tenants/x1?tab=nodes",
      "projects: /projects",
      "mappingRules: /mapping-rules",
      "notifications: /notifications",
      "jobs: /jobs",
      "audit: /audit",
      "settings: /settings",
      "forwarding: /settings/forwarding",
      "signInProvider: /sign-in-provider",
      "reference: /reference",
      "account: /account",
    ]
  `);
});

test('an id cannot leave its segment and empty filters leave no trace', () => {
  expect(paths.cluster({ clusterId: '../x?y' })).toBe('/clusters/..%2Fx%3Fy');
  expect(paths.workloads({ q: '', cluster_id: undefined, status: 'running' })).toBe('/workloads?status=running');
});
