import type { GuestFact, Listing } from '../../types';
import { stripControls } from '../answers/fields';
import { toListing } from '../answers/parse-list';
import type { ClusterStatus } from './cluster-status';
import type { InventoryContext } from './context';
import { type GuestResource, plainFacts } from './guest-resources';

const MAX_TAGS = 64;

/** Tags as one text, separated by `;`, `,` or blanks. */
export const splitTags = (text: string): string[] =>
  [...new Set(text.split(/[;,\s]+/).map((tag) => stripControls(tag).slice(0, 128)))].filter(Boolean).slice(0, MAX_TAGS);

/** A paused process exists, with its interfaces, but does not run: these QEMU states have that in common. */
const PAUSED = new Set([
  'paused',
  'prelaunch',
  'inmigrate',
  'postmigrate',
  'finish-migrate',
  'restore-vm',
  'save-vm',
  'io-error',
  'internal-error',
  'guest-panicked',
  'watchdog',
  'debug',
]);

function runState(status: string | undefined): GuestFact['status'] {
  if (status === 'running' || status === 'stopped' || status === 'suspended') return status;
  return status !== undefined && PAUSED.has(status) ? 'paused' : 'unknown';
}

/** What one entry of the overview reports for a guest. */
export function toFact(resource: GuestResource, poolsVisible: boolean): GuestFact {
  const { type, vmid, node, name, tags, pool } = resource;
  // Without runtime data an entry has its identity and nothing else: a new or moved guest, or a dead node.
  const known = name !== undefined;
  return {
    kind: type,
    vmid,
    node,
    external_id: `${type}/${vmid}`,
    runtime_known: known,
    name: name ?? null,
    status: runState(resource.status),
    template: resource.template ?? (known ? false : null),
    tags: tags === undefined ? (known ? [] : null) : splitTags(tags),
    pool: pool ?? null,
    pool_known: pool !== undefined || (known && poolsVisible),
    cpu_count: resource.maxcpu === undefined ? null : Math.ceil(resource.maxcpu),
    memory_bytes: resource.maxmem ?? null,
    uptime_seconds: resource.uptime === undefined ? null : Math.floor(resource.uptime),
    ...plainFacts(resource),
  };
}

/** Two entries for one guest can only be a guest on the move; the one with data is the better one. */
function dedupeGuests(resources: readonly GuestResource[]): GuestResource[] {
  const byVmid = new Map<number, GuestResource>();
  for (const resource of resources) {
    const other = byVmid.get(resource.vmid);
    if (!other || other.name === undefined) byVmid.set(resource.vmid, resource);
  }
  return [...byVmid.values()];
}

/** Why an absence from the list proves nothing as far as quorum goes, or null. */
function describeQuorum(status: ClusterStatus | null): string | null {
  if (status === null)
    return 'the token does not have Sys.Audit on /, so the quorum is unknown and no workload is removed';
  if (status.quorate === null) return 'the queried node does not report its quorum, so no workload is removed';
  return status.quorate ? null : 'the queried node has no quorum and may not have the current state';
}

/** All guests that the token may see, and whether these are all there are. */
export async function listGuests(context: InventoryContext): Promise<Listing<GuestFact>> {
  const [{ items, problem }, permissions, status] = await Promise.all([
    context.resources.get(),
    context.permissions.get(),
    context.clusterStatus.get(),
  ]);
  const seesAll = permissions.hasBelow('VM.Audit', '/vms');
  const guests = dedupeGuests(items).map((resource) => toFact(resource, permissions.hasBelow('Pool.Audit', '/pool')));
  return toListing(guests, [
    context.report(problem),
    seesAll ? null : 'the token does not have VM.Audit on all of /vms, so workloads may be hidden from it',
    describeQuorum(status),
  ]);
}
