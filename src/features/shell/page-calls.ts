/** What a page shows, as calls of the REST API: the page's path and the call, with the same parameters in the same order. */
const CALLS: readonly (readonly [page: string, call: string, query?: readonly string[]])[] = [
  ['/', '/dashboard', ['tenant_id']],
  ['/clusters', '/clusters', ['q', 'sort', 'sync_status']],
  ['/clusters/[clusterId]', '/clusters/{cluster_id}'],
  ['/nodes', '/nodes', ['q', 'sort', 'cluster_id', 'status', 'faulty', 'missing']],
  ['/nodes/[nodeId]', '/nodes/{node_id}'],
  [
    '/workloads',
    '/workloads',
    ['q', 'sort', 'status', 'kind', 'cluster_id', 'tag', 'pool', 'project_id', 'template', 'missing', 'enforcement'],
  ],
  ['/workloads/[workloadId]', '/workloads/{workload_id}'],
  ['/networks', '/networks', ['q', 'sort', 'cluster_id', 'kind', 'zone', 'missing']],
  ['/networks/[networkId]', '/networks/{network_id}'],
  ['/addresses', '/subnets', ['q', 'cluster_id', 'network_id', 'family', 'source', 'within', 'missing']],
  ['/addresses/[addressId]', '/ip-addresses/{ip_address_id}'],
  ['/addresses/subnets/[subnetId]', '/subnets/{subnet_id}'],
  ['/security-groups', '/security-groups', ['q', 'sort', 'tenant_id', 'workload_id']],
  ['/security-groups/[groupId]', '/security-groups/{security_group_id}'],
  [
    '/policies',
    '/policies',
    ['q', 'sort', 'enforcement_mode', 'enabled', 'tenant_id', 'deployment_status', 'cluster_id', 'workload_id'],
  ],
  ['/policy-tests', '/policy-tests', ['q', 'sort', 'result', 'expect', 'workload_id', 'policy_id']],
  ['/policy-tests/protected', '/protected-connections'],
  ['/policy-tests/[testId]', '/policy-tests/{policy_test_id}'],
  ['/policies/[policyId]', '/policies/{policy_id}'],
  ['/policies/[policyId]/edit', '/policies/{policy_id}'],
  [
    '/flows',
    '/flows',
    [
      'q',
      'since',
      'until',
      'workload_id',
      'cluster_id',
      'node_id',
      'source',
      'destination',
      'port',
      'protocol',
      'decision',
    ],
  ],
  ['/coverage', '/coverage/workloads', ['q', 'sort', 'days', 'cluster_id', 'tenant_id']],
  ['/topology', '/topology', ['since', 'until', 'cluster_id', 'workload_id']],
  ['/agents', '/agents', ['q', 'sort', 'cluster_id', 'status', 'outdated', 'lacking']],
  ['/agents/[nodeId]', '/agents/{node_id}'],
  ['/users', '/users', ['q', 'sort', 'active', 'role_id', 'tenant_id']],
  ['/users/[userId]', '/users/{user_id}'],
  ['/roles', '/roles', ['q', 'sort', 'built_in']],
  ['/roles/[roleId]', '/roles/{role_id}'],
  ['/tenants', '/tenants', ['q', 'sort']],
  ['/tenants/[tenantId]', '/tenants/{tenant_id}'],
  ['/projects', '/projects', ['q', 'sort', 'tenant_id']],
  ['/mapping-rules', '/mapping-rules', ['q', 'sort']],
  [
    '/audit',
    '/audit',
    ['q', 'sort', 'actor_kind', 'actor_id', 'action', 'object_kind', 'object_id', 'tenant_id', 'since', 'until'],
  ],
  ['/notifications', '/notification-incidents', ['q', 'sort', 'status', 'condition', 'rule_id', 'tenant_id']],
  ['/sign-in-provider', '/settings/sign-in-provider'],
  ['/settings', '/settings'],
];

/** Lists that a tab of a page shows instead of the page's own. */
const TABS: readonly (readonly [page: string, tab: string, call: string, query?: readonly string[]])[] = [
  [
    '/addresses',
    'addresses',
    '/ip-addresses',
    ['q', 'sort', 'cluster_id', 'network_id', 'workload_id', 'state', 'source', 'family', 'within', 'assigned'],
  ],
  ['/addresses', 'conflicts', '/ipam/conflicts', ['q', 'sort', 'cluster_id', 'kind', 'status']],
  ['/addresses', 'imports', '/ipam/imports', ['q', 'sort', 'kind', 'status']],
  ['/clusters/[clusterId]', 'runs', '/clusters/{cluster_id}/sync-runs', ['q', 'sort', 'kind', 'status']],
  ['/notifications', 'rules', '/notification-rules', ['q', 'sort', 'condition', 'channel_id', 'tenant_id']],
  ['/notifications', 'channels', '/notification-channels', ['q', 'sort', 'kind', 'tenant_id']],
  [
    '/notifications',
    'deliveries',
    '/notification-deliveries',
    ['q', 'sort', 'status', 'event', 'channel_id', 'tenant_id'],
  ],
  ['/notifications', 'email', '/settings/notifications'],
  ['/policies/[policyId]', 'rules', '/policies/{policy_id}/rules'],
  ['/policies/[policyId]', 'coverage', '/policies/{policy_id}/coverage', ['days']],
  ['/policies/[policyId]', 'versions', '/policies/{policy_id}/versions', ['q', 'sort']],
  ['/security-groups/[groupId]', 'members', '/security-groups/{security_group_id}/members', ['q', 'sort', 'source']],
  ['/workloads/[workloadId]', 'firewall', '/workloads/{workload_id}/firewall'],
  ['/workloads/[workloadId]', 'traffic', '/workloads/{workload_id}/insights', ['traffic_mode', 'since', 'until']],
];

export const PAGE_CALLS = { pages: CALLS, tabs: TABS } as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The values of a page's parameters, in their order; null for another page. */
function match(pattern: string, pathname: string): string[] | null {
  const parts = pattern.split('/');
  const given = pathname.split('/');
  if (parts.length !== given.length) return null;
  const values: string[] = [];
  for (const [i, part] of parts.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith('[') && UUID.test(value)) values.push(value);
    else if (part !== value) return null;
  }
  return values;
}

/**
 * The call of the REST API that answers what a page shows, path and query below `/api/v1`; null when there is none.
 * Parameters of the page that the call does not know are left out.
 */
export function callOfPage(pathname: string, search: URLSearchParams): string | null {
  const page = CALLS.find(([pattern]) => match(pattern, pathname) !== null);
  if (!page) return null;
  const tab = TABS.find(([pattern, name]) => pattern === page[0] && name === search.get('tab'));
  const [call, query = []] = tab ? [tab[2], tab[3]] : [page[1], page[2]];
  const values = match(page[0], pathname) ?? [];
  let taken = 0;
  const path = call.replace(/\{[^}]*\}/g, () => values[taken++] ?? '');
  const kept = new URLSearchParams();
  for (const name of query) for (const value of search.getAll(name)) if (value !== '') kept.append(name, value);
  const text = kept.toString();
  return text === '' ? path : `${path}?${text}`;
}
