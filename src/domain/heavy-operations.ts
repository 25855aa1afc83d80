/**
 * What waits where: `compute` holds a place until the answer is made, `export` until it has been sent, which a slow reader can draw out.
 * `evaluate` is for what takes seconds of a processor here, as the rules of many guests are evaluated: few of those that compute may.
 */
export const LANES = ['compute', 'evaluate', 'export'] as const;
export type Lane = (typeof LANES)[number];

type Operation = { readonly rest: string | null; readonly trpc: readonly string[]; readonly lane?: Lane };

/**
 * Every operation that can take seconds of a processor or of the database, under the names of both surfaces. Anything else is
 * light and is never made to wait. Lists that are answered as a file (`format=csv`, `format=ndjson`) are exports, whichever they are. What
 * is asked about the past (`as_of`) is computed, because nothing of it is kept.
 */
export const HEAVY_OPERATIONS: readonly Operation[] = [
  { rest: 'GET /topology', trpc: ['topology.read'], lane: 'evaluate' },
  { rest: 'GET /dashboard', trpc: ['dashboard.read', 'dashboard.security', 'dashboard.traffic'] },
  { rest: 'GET /flows/groups', trpc: ['flows.groups'] },
  { rest: 'GET /flows/series', trpc: ['flows.series'] },
  {
    rest: 'GET /workloads/{workload_id}/insights',
    trpc: ['insights.summary', 'insights.series', 'insights.flows', 'insights.decisions'],
    lane: 'export',
  },
  { rest: 'POST /workloads/{workload_id}/firewall/test', trpc: ['workloads.testPacket'] },
  { rest: 'POST /nodes/{node_id}/firewall/test', trpc: ['nodes.testPacket'] },
  { rest: 'POST /networks/{network_id}/firewall/test', trpc: ['networks.testPacket'] },
  { rest: 'POST /reach', trpc: ['reach.check'], lane: 'evaluate' },
  { rest: 'GET /conversations/{conversation_id}/why', trpc: ['conversations.why'] },
  { rest: 'GET /workloads/{workload_id}/reachable-from', trpc: ['reach.from'], lane: 'evaluate' },
  { rest: 'GET /workloads/{workload_id}/reaches', trpc: ['reach.to'], lane: 'evaluate' },
  { rest: 'GET /matrix', trpc: ['reach.matrix'], lane: 'evaluate' },
  { rest: 'GET /policies/{policy_id}/coverage', trpc: ['coverage.policy'], lane: 'evaluate' },
  { rest: 'GET /coverage/workloads', trpc: ['coverage.workloads'], lane: 'evaluate' },
  { rest: 'POST /policies/{policy_id}/preview', trpc: ['policies.preview'] },
  { rest: 'GET /policies/{policy_id}/cleanup-preview', trpc: ['policies.previewCleanup'] },
  { rest: 'POST /policy-drafts/preview', trpc: ['policies.previewDraft'] },
  { rest: 'GET /suggestions/{suggestion_id}', trpc: ['suggestions.get'] },
  { rest: 'PATCH /suggestions/{suggestion_id}', trpc: ['suggestions.update'] },
  { rest: 'POST /suggestions/{suggestion_id}/change', trpc: ['suggestions.createChange'] },
  { rest: 'POST /policy-file/plan', trpc: ['policyFile.plan'] },
  { rest: 'POST /mapping-rules/preview', trpc: ['mappingRules.preview'] },
  { rest: null, trpc: ['audit.verify'] },
];

/** Answers of calls are sent as a whole. */
const CALLS = new Map(
  HEAVY_OPERATIONS.flatMap(({ trpc, lane }) =>
    trpc.map((call): [string, Lane] => [call, lane === 'evaluate' ? lane : 'compute']),
  ),
);
const ROUTES = new Map(
  HEAVY_OPERATIONS.flatMap(({ rest, lane = 'compute' }) => (rest === null ? [] : [[rest, lane] as const])),
);
const PATTERNS = [...ROUTES.keys()].map((route) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, path: new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) };
});

/** Whether an input asks about the past. */
const hasTime = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'as_of' in input && input.as_of !== undefined;

const isFile = (format: unknown): boolean => format === 'csv' || format === 'ndjson';

/**
 * Set on `globalThis` where a thread of the process answers heavy requests. Whatever address got past its entry, the event loop that light
 * requests share does nothing heavy then.
 */
export const HEAVY_ELSEWHERE = Symbol.for('fabric.heavy-elsewhere');

/** In which lane a tRPC procedure waits, by its path; null for a light one. */
export const getCallLane = (path: string, input?: unknown): Lane | null =>
  CALLS.get(path) ?? (hasTime(input) ? 'compute' : null);

/** Whether a tRPC procedure is heavy. */
export const isHeavyCall = (path: string, input?: unknown): boolean => getCallLane(path, input) !== null;

/** In which lane a route waits; null for a light one. */
export function getLane(
  { method, path }: { method: string; path: string },
  query: { readonly format?: unknown; readonly as_of?: unknown } | undefined,
): Lane | null {
  if (isFile(query?.format)) return 'export';
  return ROUTES.get(`${method} ${path}`) ?? (hasTime(query) ? 'compute' : null);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a request, by its method and address (path and query), asks for something heavy, however the address is encoded. */
export function isHeavyRequest(method: string, address: string): boolean {
  const [given = '', query = ''] = address.split('?', 2);
  const path = decoded(given);
  const params = new URLSearchParams(query);
  if (path.startsWith('/api/trpc/')) {
    const calls = path.slice('/api/trpc/'.length).split(',');
    return calls.some((call) => isHeavyCall(call)) || params.get('input')?.includes('"as_of":') === true;
  }
  if (!path.startsWith('/api/v1/')) return false;
  if (params.getAll('format').some(isFile) || params.has('as_of')) return true;
  const asked = method === 'HEAD' ? 'GET' : method;
  return PATTERNS.some((pattern) => pattern.method === asked && pattern.path.test(path));
}

/** Calls that one tRPC request may hold. The pages send no more in one; the service takes no more. */
export const MAX_BATCH_CALLS = 12;
