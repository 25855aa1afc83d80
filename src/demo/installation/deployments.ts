import type { Simulator } from '@fabric/simulator/http-server';
import { ClusterListInput } from '@/domain/cluster';
import { PolicyChange, PolicyListInput, type PolicyListItem } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { applyPolicy } from '@/server/enforcement/deployments/request';
import { clearSnapshotCaches } from '@/server/enforcement/guest-firewall/live-reader';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { listPolicies, updatePolicy } from '@/server/enforcement/policies/policies';
import { listClusters } from '@/server/inventory/queries/clusters';
import { getGuestByName } from '../inventory/company';

const BALANCERS = 'Customers reach the load balancers';
const POSTGRES = 'Applications reach PostgreSQL';
const CACHE = 'Applications reach the cache';

async function getPolicyByName(name: string): Promise<PolicyListItem> {
  const { items } = await listPolicies(systemScope('policy:read', 'demo data'), PolicyListInput.parse({ q: name }));
  const found = items.find((item) => item.name === name);
  if (!found) throw new Error(`the demo has no policy ${name}`);
  return found;
}

async function apply(name: string, signal: AbortSignal): Promise<void> {
  const { id } = await getPolicyByName(name);
  const result = await applyPolicy(
    systemScope('policy:apply', 'demo data'),
    id,
    { dry_run: false },
    { wait: true, signal },
  );
  if (!result.success) throw new Error(`the policy ${name} was not applied: ${result.message}`);
}

/** Enforces three policies. */
export async function applyPolicies(signal: AbortSignal): Promise<void> {
  for (const name of [BALANCERS, POSTGRES, CACHE]) await apply(name, signal);
}

/** Creates drift: changes a policy without applying it again, and manually deletes a rule of another one. */
export async function createPolicyDrift(simulator: Simulator, signal: AbortSignal): Promise<void> {
  const cache = await getPolicyByName(CACHE);
  if (cache.version === 1) {
    const rules = [
      { action: 'accept', protocol: 'tcp', destination_ports: ['6379', '26379'], comment: 'Sessions, sentinel' },
    ];
    const change = PolicyChange.parse({ rules, version: 1, reason: 'Sentinel comes with the next release' });
    await updatePolicy(systemScope('policy:write', 'demo data'), cache.id, change);
  }
  const { id } = await getPolicyByName(POSTGRES);
  const { site, guest } = getGuestByName('pg-02');
  const { firewall } = simulator.cluster(site.name);
  const path = `firewall/${guest.vmid}.fw`;
  const lines = (firewall.file(path) ?? '').split('\n');
  firewall.setFile(path, lines.filter((line) => !line.includes(id)).join('\n'));
  const { items } = await listClusters(ClusterListInput.parse({}));
  // Otherwise the pages would show for some minutes what was read in between.
  clearSnapshotCaches();
  for (const cluster of items) await observeCluster(cluster.id, signal);
}
