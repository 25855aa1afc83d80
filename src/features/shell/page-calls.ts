import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { curlCommand } from '@/lib/curl-command';
import { resolveRange } from '../shared/time-range';

/**
 * What a page shows, as a call of the REST API: the page, the call, and the parameters of the page that the call takes as
 * they are; `range` is a span of time that ends now. `{}` in a call is the id of the page.
 */
type PageCall = readonly [page: string, call: string, takes?: string];

const FLOW_FILTERS =
  'range,since,until,workload_id,source_workload_id,destination_workload_id,tenant_id,cluster_id,node_id,conversation_id,address,source,destination,port,protocol,decision';
const WORKLOAD_FILTERS =
  'q,sort,cluster_id,node_id,network_id,project_id,kind,status,tag,pool,template,missing,enforcement,protection,protection_reason,as_of';
const NODE_FILTERS = 'q,sort,cluster_id,status,faulty,missing';
const NETWORK_FILTERS = 'q,sort,cluster_id,kind,zone,missing';
const TEST_FILTERS = 'q,sort,result,expect,tenant_id,project_id,workload_id,policy_id';
const USER_FILTERS = 'q,sort,active,second_factor,role_id,tenant_id';
const ADDRESS_FILTERS =
  'q,sort,cluster_id,network_id,subnet_id,nested,workload_id,state,source,family,within,mac,assigned,as_of';

const CALLS: readonly PageCall[] = [
  ['/', '/dashboard', 'range,since,until,tenant_id'],
  ['/clusters', '/clusters', 'q,sort,sync_status'],
  ['/clusters/[clusterId]', '/clusters/{}'],
  ['/nodes', '/nodes', NODE_FILTERS],
  ['/nodes/[nodeId]', '/nodes/{}'],
  ['/workloads', '/workloads', WORKLOAD_FILTERS],
  ['/workloads/[workloadId]', '/workloads/{}', 'as_of'],
  ['/networks', '/networks', NETWORK_FILTERS],
  ['/networks/[networkId]', '/networks/{}'],
  ['/addresses', '/subnets', 'q,sort,cluster_id,network_id,family,source,within,contains,missing'],
  ['/addresses/[addressId]', '/ip-addresses/{}', 'as_of'],
  ['/addresses/netbox', '/netbox-sources', 'q,sort'],
  ['/addresses/netbox/[sourceId]', '/netbox-sources/{}'],
  ['/addresses/subnets/[subnetId]', '/subnets/{}'],
  ['/security-groups', '/security-groups', 'q,sort,tenant_id,project_id,workload_id,as_of'],
  ['/security-groups/[groupId]', '/security-groups/{}', 'as_of'],
  [
    '/policies',
    '/policies',
    'q,sort,enforcement_mode,enabled,tier,owner,expiry,tenant_id,project_id,deployment_status,shown_status,cluster_id,workload_id,as_of',
  ],
  ['/policies/recertification', '/recertifications', 'q,sort,status,owner,tenant_id'],
  ['/policies/[policyId]', '/policies/{}', 'as_of'],
  ['/policies/[policyId]/edit', '/policies/{}', 'as_of'],
  ['/changes', '/changes', 'q,sort,state,status,policy_id,workload_id'],
  ['/changes/[changeId]', '/changes/{}'],
  ['/impacts/[impactId]', '/impacts/{}'],
  ['/suggestions/[suggestionId]', '/suggestions/{}'],
  ['/drift', '/drift', 'q,sort,kind,status,policy_id,workload_id,cluster_id'],
  ['/policy-tests', '/policy-tests', TEST_FILTERS],
  ['/policy-tests/protected', '/protected-connections'],
  ['/policy-tests/[testId]', '/policy-tests/{}'],
  ['/flows', '/flows', `q,sort,filter,${FLOW_FILTERS}`],
  ['/flows/estimates', '/flow-estimates', 'sort,range,since,until,workload_id,cluster_id,flow_exporter_id'],
  [
    '/flows/escaped',
    '/escaped-conversations',
    'q,sort,days,reason,broken_link,workload_id,cluster_id,tenant_id,project_id',
  ],
  ['/coverage/hygiene', '/hygiene', 'q,sort,kind,harm,policy_id,workload_id,cluster_id'],
  ['/coverage', '/coverage/workloads', 'q,sort,days,workload_id,cluster_id,tenant_id'],
  ['/topology', '/topology', 'q,range,since,until,cluster_id,workload_id,expand,project_id,tag,policy_id'],
  ['/agents', '/agents', 'q,sort,cluster_id,status,outdated,lacking'],
  ['/agents/exporters', '/flow-exporters', 'q,sort,state,cluster_id'],
  ['/agents/[nodeId]', '/agents/{}'],
  ['/users', '/users', USER_FILTERS],
  ['/users/[userId]', '/users/{}'],
  ['/roles', '/roles', 'q,sort,built_in'],
  ['/roles/[roleId]', '/roles/{}'],
  ['/tenants', '/tenants', 'q,sort'],
  ['/tenants/[tenantId]', '/tenants/{}'],
  ['/projects', '/projects', 'q,sort,tenant_id'],
  ['/mapping-rules', '/mapping-rules', 'q,sort,source,project_id,cluster_id'],
  ['/audit', '/audit', 'q,sort,actor_kind,actor_id,action,object_kind,object_id,tenant_id,since,until'],
  ['/notifications', '/notification-incidents', 'q,sort,status,condition,rule_id,tenant_id'],
  ['/settings/forwarding', '/forwarding-destinations', 'q,sort,kind'],
  ['/sign-in-provider', '/settings/sign-in-provider'],
  ['/settings', '/settings'],
];

/** What a tab shows instead. */
const TABS: readonly (readonly [page: string, tab: string, call: string, takes?: string])[] = [
  ['/addresses', 'addresses', '/ip-addresses', ADDRESS_FILTERS],
  ['/addresses', 'whose', '/ipam/search', 'q'],
  ['/addresses', 'history', '/ip-address-holders', 'q,sort,cluster_id,network_id,workload_id,within,since,until'],
  ['/addresses', 'conflicts', '/ipam/conflicts', 'q,sort,cluster_id,kind,status,ip_address_id,address,workload_id'],
  ['/addresses', 'imports', '/ipam/imports', 'q,sort,kind,status'],
  ['/addresses/subnets/[subnetId]', 'grid', '/subnets/{}/grid', 'from'],
  ['/addresses/subnets/[subnetId]', 'addresses', '/ip-addresses?subnet_id={}&nested=true', ADDRESS_FILTERS],
  ['/addresses/subnets/[subnetId]', 'ranges', '/ip-ranges?subnet_id={}', 'q,sort,subnet_id,network_id,kind'],
  ['/clusters/[clusterId]', 'nodes', '/nodes?cluster_id={}', NODE_FILTERS],
  ['/clusters/[clusterId]', 'workloads', '/workloads?cluster_id={}', WORKLOAD_FILTERS],
  ['/clusters/[clusterId]', 'networks', '/networks?cluster_id={}', NETWORK_FILTERS],
  ['/clusters/[clusterId]', 'firewall', '/clusters/{}/firewall'],
  ['/clusters/[clusterId]', 'runs', '/clusters/{}/sync-runs', 'q,sort,kind,status'],
  ['/mapping-rules', 'conflicts', '/mapping-rules/conflicts', 'q,sort,cluster_id'],
  ['/networks/[networkId]', 'firewall', '/networks/{}/firewall'],
  ['/nodes/[nodeId]', 'firewall', '/nodes/{}/firewall'],
  ['/notifications', 'rules', '/notification-rules', 'q,sort,condition,channel_id,tenant_id'],
  ['/notifications', 'channels', '/notification-channels', 'q,sort,kind,tenant_id'],
  ['/notifications', 'deliveries', '/notification-deliveries', 'q,sort,status,event,channel_id,tenant_id'],
  ['/notifications', 'email', '/settings/notifications'],
  ['/policies/[policyId]', 'rules', '/policies/{}/rules'],
  ['/policies/[policyId]', 'coverage', '/policies/{}/coverage', 'days'],
  ['/policies/[policyId]', 'hygiene', '/hygiene?policy_id={}', 'q,sort,kind,harm,policy_id,workload_id,cluster_id'],
  ['/policies/[policyId]', 'tests', '/policy-tests?policy_id={}', TEST_FILTERS],
  ['/policies/[policyId]', 'versions', '/policies/{}/versions', 'q,sort'],
  [
    '/policies/[policyId]',
    'deployments',
    '/deployments?policy_id={}',
    'q,sort,policy_id,cluster_id,workload_id,operation_id,change_id,kind,status',
  ],
  ['/roles/[roleId]', 'users', '/users?role_id={}', USER_FILTERS],
  ['/security-groups/[groupId]', 'members', '/security-groups/{}/members', 'q,sort,source,as_of'],
  ['/security-groups/[groupId]', 'policies', '/security-groups/{}/usage'],
  ['/tenants/[tenantId]', 'users', '/users?tenant_id={}', USER_FILTERS],
  ['/users/[userId]', 'access', '/users/{}/access'],
  ['/users/[userId]', 'tokens', '/users/{}/tokens'],
  ['/workloads/[workloadId]', 'firewall', '/workloads/{}/firewall', 'as_of'],
  ['/workloads/[workloadId]', 'traffic', '/workloads/{}/insights', 'traffic_mode,range,since,until'],
];

/** Flows that are grouped are another call. */
const GROUPED: PageCall = ['/flows', '/flows/groups', `q,sort,filter,${FLOW_FILTERS}`];

/** What Flows lists unless single flows are asked for. */
const CONVERSATIONS: PageCall = ['/flows', '/conversations', `q,sort,action,${FLOW_FILTERS}`];

export const PAGE_CALLS = { pages: [...CALLS, GROUPED, CONVERSATIONS], tabs: TABS } as const;

/** Which of its calls the page of flows makes. */
function chooseFlowCall(search: URLSearchParams, single: PageCall): PageCall {
  if (search.get('group')) return GROUPED;
  const isSingle = search.get('view') === 'flows' || ['live', 'conversation_id', 'q'].some((name) => search.get(name));
  return isSingle ? single : CONVERSATIONS;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in the address of a page, empty where it has none; null for another page. */
function matchPage(pattern: string, pathname: string): string | null {
  const parts = pattern.split('/');
  const given = pathname.split('/');
  if (parts.length !== given.length) return null;
  let id = '';
  for (const [i, part] of parts.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith('[') && UUID.test(value)) id = value;
    else if (part !== value) return null;
  }
  return id;
}

/** Parameters that the page has in another form than the call. */
function convertParameters(call: string, search: URLSearchParams): Record<string, string> {
  if (call === '/flows/groups') return { group_by: search.get('group') ?? '' };
  // A list of conversations has the filter language as its search.
  if (call === '/conversations') return search.get('filter') ? { q: search.get('filter') ?? '' } : {};
  if (call !== '/topology') return {};
  const hidden = search.get('hide')?.split(',') ?? [];
  return {
    group_by: search.get('group') ?? 'auto',
    // Of a focused workload, everything is shown.
    ...(search.has('workload_id') && { expand: 'all' }),
    ...(hidden.length > 0 && { verdict: EDGE_VERDICTS.filter((verdict) => !hidden.includes(verdict)).join(',') }),
  };
}

/**
 * The call of the REST API that answers what a page shows, path and query below `/api/v1`; null when there is none.
 * Parameters of the page that the call does not know are left out.
 */
export function getPageCall(pathname: string, search: URLSearchParams, now: number): string | null {
  const page = CALLS.find(([pattern]) => matchPage(pattern, pathname) !== null);
  if (!page) return null;
  const tab = TABS.find(([pattern, name]) => pattern === page[0] && name === search.get('tab'));
  const shown = page[0] === '/flows' ? chooseFlowCall(search, page) : page;
  const [call, takes] = tab ? [tab[2], tab[3]] : [shown[1], shown[2]];
  const names = takes?.split(',') ?? [];
  const [path = '', fixed] = call.replace('{}', matchPage(page[0], pathname) ?? '').split('?');
  const asked = new URLSearchParams(fixed);
  for (const name of names) {
    for (const value of search.getAll(name)) if (value !== '' && name !== 'range') asked.append(name, value);
  }
  if (names.includes('range') && (search.get('range') || search.get('until'))) {
    const at = (name: string) => search.get(name) || null;
    const times = resolveRange({ range: at('range'), since: at('since'), until: at('until') }, now);
    for (const [name, value] of Object.entries(times)) asked.set(name, value);
  }
  for (const [name, value] of Object.entries(convertParameters(call, search))) asked.set(name, value);
  const text = asked.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** What a page shows now, with its search and filters, as a command for a shell; null for a page that no call answers. */
export function formatPageCommand(pathname: string, search: URLSearchParams, origin: string): string | null {
  const path = getPageCall(pathname, search, Date.now());
  return path === null ? null : curlCommand({ method: 'GET', path }, origin);
}
