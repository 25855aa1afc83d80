/** Query of a page as an object; empty values are left out. */
type Query = Record<string, string | number | boolean | null | undefined>;

function withQuery(path: string, query?: Query): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '' && value !== false) params.set(key, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

const id = encodeURIComponent;

/** Every page of the interface. Links are made here and nowhere else. */
export const paths = {
  home: () => '/',
  setup: () => '/setup',
  login: (query?: { next?: string; signed_out?: string }) => withQuery('/login', query),
  clusters: (query?: Query) => withQuery('/clusters', query),
  cluster: ({ clusterId, ...query }: { clusterId: string; tab?: string }) =>
    withQuery(`/clusters/${id(clusterId)}`, query),
  nodes: (query?: Query) => withQuery('/nodes', query),
  node: ({ nodeId, ...query }: { nodeId: string; tab?: string }) => withQuery(`/nodes/${id(nodeId)}`, query),
  workloads: (query?: Query) => withQuery('/workloads', query),
  workload: ({ workloadId, ...query }: { workloadId: string } & Query) =>
    withQuery(`/workloads/${id(workloadId)}`, query),
  networks: (query?: Query) => withQuery('/networks', query),
  network: ({ networkId, ...query }: { networkId: string; tab?: string }) =>
    withQuery(`/networks/${id(networkId)}`, query),
  addresses: (query?: Query) => withQuery('/addresses', query),
  address: ({ addressId, ...query }: { addressId: string; as_of?: string | undefined }) =>
    withQuery(`/addresses/${id(addressId)}`, query),
  subnet: ({ subnetId, ...query }: { subnetId: string; tab?: string; from?: string }) =>
    withQuery(`/addresses/subnets/${id(subnetId)}`, query),
  netboxSources: (query?: Query) => withQuery('/addresses/netbox', query),
  netboxSource: ({ sourceId, ...query }: { sourceId: string; import?: string }) =>
    withQuery(`/addresses/netbox/${id(sourceId)}`, query),
  importAddresses: (query?: Query) => withQuery('/addresses/import', query),
  securityGroups: (query?: Query) => withQuery('/security-groups', query),
  securityGroup: ({ groupId, ...query }: { groupId: string; tab?: string; as_of?: string | undefined }) =>
    withQuery(`/security-groups/${id(groupId)}`, query),
  policyTests: (query?: Query) => withQuery('/policy-tests', query),
  protectedConnections: () => '/policy-tests/protected',
  policyTest: ({ testId }: { testId: string }) => `/policy-tests/${id(testId)}`,
  policies: (query?: Query) => withQuery('/policies', query),
  recertification: (query?: Query) => withQuery('/policies/recertification', query),
  newPolicy: (query?: Query) => withQuery('/policies/new', query),
  policy: ({ policyId, ...query }: { policyId: string } & Query) => withQuery(`/policies/${id(policyId)}`, query),
  editPolicy: ({ policyId }: { policyId: string }) => `/policies/${id(policyId)}/edit`,
  newSuggestion: (query?: Query) => withQuery('/suggestions/new', query),
  suggestion: ({ suggestionId }: { suggestionId: string }) => `/suggestions/${id(suggestionId)}`,
  changes: (query?: Query) => withQuery('/changes', query),
  change: ({ changeId }: { changeId: string }) => `/changes/${id(changeId)}`,
  drift: (query?: Query) => withQuery('/drift', query),
  impact: ({ impactId, ...query }: { impactId: string } & Query) => withQuery(`/impacts/${id(impactId)}`, query),
  flows: (query?: Query) => withQuery('/flows', query),
  flowEstimates: (query?: Query) => withQuery('/flows/estimates', query),
  escapedTraffic: (query?: Query) => withQuery('/flows/escaped', query),
  coverage: (query?: Query) => withQuery('/coverage', query),
  hygiene: (query?: Query) => withQuery('/coverage/hygiene', query),
  reach: (query?: Query) => withQuery('/reach', query),
  topology: (query?: Query) => withQuery('/topology', query),
  agents: (query?: Query) => withQuery('/agents', query),
  flowExporters: (query?: Query) => withQuery('/agents/exporters', query),
  agent: ({ nodeId }: { nodeId: string }) => `/agents/${id(nodeId)}`,
  users: (query?: Query) => withQuery('/users', query),
  user: ({ userId, ...query }: { userId: string; tab?: string }) => withQuery(`/users/${id(userId)}`, query),
  roles: (query?: Query) => withQuery('/roles', query),
  role: ({ roleId, ...query }: { roleId: string; tab?: string }) => withQuery(`/roles/${id(roleId)}`, query),
  tenants: (query?: Query) => withQuery('/tenants', query),
  tenant: ({ tenantId, ...query }: { tenantId: string; tab?: string }) => withQuery(`/tenants/${id(tenantId)}`, query),
  projects: (query?: Query) => withQuery('/projects', query),
  mappingRules: (query?: Query) => withQuery('/mapping-rules', query),
  notifications: (query?: Query) => withQuery('/notifications', query),
  jobs: (query?: Query) => withQuery('/jobs', query),
  audit: (query?: Query) => withQuery('/audit', query),
  settings: ({ section }: { section?: string } = {}) => (section ? `/settings#${id(section)}` : '/settings'),
  forwarding: (query?: Query) => withQuery('/settings/forwarding', query),
  signInProvider: (query?: Query) => withQuery('/sign-in-provider', query),
  reference: (query?: Query) => withQuery('/reference', query),
  account: (query?: Query) => withQuery('/account', query),
} as const;
