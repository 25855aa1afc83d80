import type { Listing, PreflightCheck } from '../../types';
import type { PveClient } from '../client';
import { apiPath } from '../http/encode';
import type { ClusterStatus } from '../inventory/cluster-status';
import type { NodeSummary } from '../inventory/node-summaries';
import { line, ok } from './check-line';

const SUPPORTED = [8, 9];
/** Heartbeats, flows and audit records of different machines are compared by time. */
const MAX_SKEW_SECONDS = 30;
const NEEDS_SYS_AUDIT = 'Grant a role with Sys.Audit on / to the token, for example PVEAuditor.';

export const parseMajorVersion = (version: string): number | null => {
  const major = /^(\d{1,3})\./.exec(version)?.[1];
  return major === undefined ? null : Number(major);
};

export function checkVersion(version: string): PreflightCheck {
  const major = parseMajorVersion(version);
  if (major !== null && SUPPORTED.includes(major)) return ok('version', `Proxmox VE ${version}`);
  return line(
    'version',
    'warning',
    `Proxmox VE ${version} is not a tested version`,
    'Proxmox VE 8 and 9 are supported. Update the cluster, or expect failing API calls.',
  );
}

export function checkQuorum(status: ClusterStatus | null): PreflightCheck {
  if (status === null || status.quorate === null)
    return line(
      'quorum',
      'unknown',
      'The token is not permitted to read whether the cluster has quorum',
      NEEDS_SYS_AUDIT,
    );
  if (!status.quorate)
    return line(
      'quorum',
      'failed',
      'The cluster has no quorum: it can be read, but nothing can be changed',
      'Bring enough nodes back online; `pvecm status` on a node shows the votes.',
    );
  return ok(
    'quorum',
    status.name === null ? 'A single node, which needs no quorum' : `Cluster ${status.name} has quorum`,
  );
}

export function checkFirewall(enabled: boolean | null): PreflightCheck {
  if (enabled === null)
    return line(
      'firewall',
      'unknown',
      'The token is not permitted to read whether the cluster firewall is on',
      NEEDS_SYS_AUDIT,
    );
  if (enabled) return ok('firewall', 'The cluster firewall is on');
  return line(
    'firewall',
    'warning',
    'The cluster firewall is off: rules are stored, but not enforced',
    'Turn it on under Datacenter → Firewall → Options. It also filters the nodes: first make sure that your management networks are allowed.',
  );
}

/** `date` is the server's Date header, `now` the time here when it arrived. */
export function checkClock(date: string | null, now: number): PreflightCheck {
  const server = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(server))
    return line(
      'clock',
      'unknown',
      'The response contains no time',
      'Connect to a node directly, without a proxy in between.',
    );
  const skew = Math.round(Math.abs(server - now) / 1000);
  if (skew <= MAX_SKEW_SECONDS) return ok('clock', 'The clocks are in sync');
  const direction = server > now ? 'ahead of' : 'behind';
  return line(
    'clock',
    'warning',
    `The node's clock is ${skew} seconds ${direction} this service's`,
    'Synchronize both clocks with NTP (`timedatectl` on the node and here).',
  );
}

export function checkGuests({ items, complete, incompleteReason }: Listing<unknown>): PreflightCheck {
  const count = items.length === 1 ? '1 workload is visible' : `${items.length} workloads are visible`;
  if (complete) return ok('guests', count);
  return line(
    'guests',
    'warning',
    `${count}, but the list is incomplete: ${incompleteReason}`,
    'Grant a role with VM.Audit on /vms (propagating) to the token.',
  );
}

/** Which nodes are up, and whether the node asked can reach them. */
export async function checkNodes(client: PveClient, nodes: readonly NodeSummary[]): Promise<PreflightCheck> {
  const problems = await Promise.all(
    nodes.map(async ({ node, status }) => {
      if (status !== 'online') return `${node} is ${status === 'unknown' ? 'in an unknown state' : status}`;
      try {
        // Any token may read this, and it is forwarded to the node.
        await client.get(apiPath`/nodes/${node}/certificates/info`, { node, insist: true });
        return null;
      } catch (error) {
        return `${node}: ${error instanceof Error ? error.message : 'not readable'}`;
      }
    }),
  );
  const found = problems.filter((problem) => problem !== null);
  if (found.length === 0) return ok('nodes', nodes.length === 1 ? '1 node responds' : `${nodes.length} nodes respond`);
  return line(
    'nodes',
    'warning',
    `${found.slice(0, 5).join('; ')}${found.length > 5 ? ` and ${found.length - 5} more` : ''}`,
    'Workloads on these nodes keep their last known state until the node responds again.',
  );
}
