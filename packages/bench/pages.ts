import type { Permission } from '@/domain/permissions';
import type { Person } from './person';

/** A page: what it asks for when it is opened, what it asks for again, and how often. */
export type PageVisit = { every_ms: number | null; open(): Promise<unknown>; poll(): Promise<unknown> };
export type Page = {
  name: string;
  weight: number;
  needs: Permission;
  visit(person: Person, random: () => number): PageVisit;
};

/** How often the pages ask again (their own `REFRESH_MS` and `POLL_MS`). */
const [DASHBOARD_MS, AGENTS_MS, TAIL_MS, JOBS_MS, TOPOLOGY_MS] = [10_000, 15_000, 2_000, 5_000, 30_000];

const lastHour = () => ({ since: new Date(Date.now() - 3_600_000).toISOString(), until: new Date().toISOString() });
const runAll = (...calls: readonly Promise<unknown>[]) => Promise.all(calls);
/** A page that is the same whenever it is read, and reads again after `every_ms`. */
const createSteadyVisit = (every_ms: number | null, read: () => Promise<unknown>): PageVisit => ({
  every_ms,
  open: read,
  poll: read,
});

/** The last hour as the dashboard asks for it: in steps (its own `STEP_MS`). */
function lastSteps() {
  const until = Math.floor(Date.now() / DASHBOARD_MS) * DASHBOARD_MS;
  return { since: new Date(until - 3_600_000).toISOString(), until: new Date(until).toISOString() };
}

function dashboard({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(DASHBOARD_MS, () =>
    runAll(
      measure('dashboard.security', () => client.dashboard.security.query({ ...lastSteps(), suspicious_limit: 10 })),
      measure('dashboard.traffic', () => client.dashboard.traffic.query(lastSteps())),
      measure('dashboard.operations', () => client.dashboard.operations.query({})),
    ),
  );
}

function workloads({ client, measure }: Bound): PageVisit {
  let cursor: string | undefined;
  const list = () => measure('workloads.list', () => client.workloads.list.query({ limit: 50, cursor }));
  return {
    every_ms: 10_000,
    open: list,
    // People scroll.
    async poll() {
      const page = await list();
      cursor = page?.next_cursor ?? undefined;
    },
  };
}

function workload({ client, measure, random }: Bound): PageVisit {
  let id: string | undefined;
  const insights = async () => {
    if (!id) return;
    const input = { id, ...lastHour() };
    await runAll(
      measure('insights.summary', () => client.insights.summary.query(input)),
      measure('insights.series', () => client.insights.series.query(input)),
      measure('insights.flows', () => client.insights.flows.query({ ...input, limit: 50 })),
    );
  };
  return {
    every_ms: 60_000,
    async open() {
      const page = await measure('workloads.list', () => client.workloads.list.query({ limit: 50 }));
      id = page?.items[Math.floor(random() * page.items.length)]?.id;
      if (id) await measure('workloads.get', () => client.workloads.get.query({ id: id ?? '' }));
      await insights();
    },
    poll: insights,
  };
}

function flows({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(30_000, () =>
    runAll(
      measure('flows.list', () => client.flows.list.query({ ...lastHour(), limit: 50 })),
      measure('flows.series', () => client.flows.series.query(lastHour())),
    ),
  );
}

function liveFlows({ client, measure }: Bound): PageVisit {
  let after: string | undefined;
  return createSteadyVisit(TAIL_MS, async () => {
    const tail = await measure('flows.tail', () => client.flows.tail.query({ limit: 300, after }));
    after = tail?.next_after ?? after;
  });
}

function agents({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(AGENTS_MS, () =>
    runAll(
      measure('agents.list', () => client.agents.list.query({ limit: 50 })),
      measure('agents.summary', () => client.agents.summary.query({})),
    ),
  );
}

function policies({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(15_000, () => measure('policies.list', () => client.policies.list.query({ limit: 50 })));
}

function addresses({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(15_000, () =>
    runAll(
      measure('ipAddresses.list', () => client.ipAddresses.list.query({ limit: 50 })),
      measure('subnets.list', () => client.subnets.list.query({ limit: 50 })),
    ),
  );
}

function topology({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(TOPOLOGY_MS, () =>
    measure('topology.read', () => client.topology.read.query({ ...lastHour(), group_by: 'auto' })),
  );
}

function clusters({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(15_000, () =>
    runAll(
      measure('clusters.list', () => client.clusters.list.query({ limit: 50 })),
      measure('syncRuns.list', () => client.syncRuns.list.query({ limit: 20 })),
    ),
  );
}

function jobs({ client, measure }: Bound): PageVisit {
  return createSteadyVisit(JOBS_MS, () => measure('jobs.overview', () => client.jobs.overview.query()));
}

type Bound = { client: Person['client']; measure: Person['measure']; random: () => number };
const page = (name: string, weight: number, needs: Permission, make: (bound: Bound) => PageVisit): Page => ({
  name,
  weight,
  needs,
  visit: (person, random) => make({ client: person.client, measure: person.measure.bind(person), random }),
});

/** What people have open, and what share of them. */
export const PAGES: readonly Page[] = [
  page('dashboard', 35, 'flow:read', dashboard),
  page('workloads', 15, 'workload:read', workloads),
  page('workload', 10, 'flow:read', workload),
  page('flows', 6, 'flow:read', flows),
  page('live flows', 4, 'flow:read', liveFlows),
  page('agents', 8, 'agent:read', agents),
  page('policies', 8, 'policy:read', policies),
  page('addresses', 6, 'ipam:read', addresses),
  page('topology', 3, 'flow:read', topology),
  page('clusters', 4, 'cluster:read', clusters),
  page('jobs', 1, 'job:read', jobs),
];
