import { processState } from '../../../../lib/process-state';
import { BoundedMap } from './bounded-map';
import { CircuitBreaker } from './circuit-breaker';
import { Semaphore } from './semaphore';

/** Requests in flight to one entry node: it has three workers, and one connection burst can pile up on one of them. */
const PER_ENTRY = 4;
/** Calls in flight to the root daemon of one node, which has three workers. */
const PER_DAEMON = 2;
/** Guest agent calls per node: a dead agent holds a worker for 3 to 8 seconds. */
const PER_AGENT_NODE = 1;
/** Concurrent writes to firewall files: each is a locked, replicated rewrite, and two already wait for each other. */
const FIREWALL_WRITES = 2;
const MAX_NODES = 128;
const MAX_CLUSTERS = 1024;

/** Shared by all users of one cluster in this process: concurrency limits, and what is known to be down. */
export class ClusterLimits {
  readonly entries = new BoundedMap(
    MAX_NODES,
    () => new Semaphore(PER_ENTRY),
    (s) => s.idle,
  );
  readonly daemons = new BoundedMap(
    MAX_NODES,
    () => new Semaphore(PER_DAEMON),
    (s) => s.idle,
  );
  readonly agents = new BoundedMap(
    MAX_NODES,
    () => new Semaphore(PER_AGENT_NODE),
    (s) => s.idle,
  );
  /** Keys `entry:<url>` and `node:<name>`. */
  readonly breakers = new BoundedMap(
    2 * MAX_NODES,
    () => new CircuitBreaker(),
    (b) => b.idle,
  );
  readonly firewallWrites = new Semaphore(FIREWALL_WRITES);
  users = 0;
}

const state = processState(() => ({
  clusters: new BoundedMap(
    MAX_CLUSTERS,
    () => new ClusterLimits(),
    (limits) => limits.users === 0,
  ),
}));

/** The limits of a cluster, by its stable key; `release` when the user is closed. */
export function shareClusterLimits(key: string): { limits: ClusterLimits; release: () => void } {
  const limits = state.clusters.get(key);
  limits.users++;
  let released = false;
  return {
    limits,
    release: () => {
      if (released) return;
      released = true;
      limits.users--;
    },
  };
}
