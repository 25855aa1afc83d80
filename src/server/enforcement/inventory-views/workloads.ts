import { type ExplainedProtection, PROTECTIONS, UNPROTECTED_REASONS } from '@/domain/firewall/protection';
import type {
  ProtectionCounts,
  ProtectionCountsInput,
  Workload,
  WorkloadDetail,
  WorkloadListInput,
} from '@/domain/inventory';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import * as repository from '../../inventory/queries/workloads';
import { findWorkload } from '../../inventory/queries/workloads';
import { notFound } from '../../lib/refusals';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { explainWorkload, interfaceProtections, workloadEnforcement } from '../policies/firewall-state/views';

const UNREAD: ExplainedProtection = { protection: 'unknown', reasons: ['unknown'] };

type ReadFilters = Pick<WorkloadListInput, 'enforcement' | 'protection' | 'protection_reason'>;

/** Whether a workload fits filters that only the snapshots of firewalls can answer. */
function matchesReadFilters(
  firewall: FirewallState,
  id: string,
  { enforcement, protection, protection_reason }: ReadFilters,
): boolean {
  if (enforcement !== undefined && workloadEnforcement(firewall, id) !== enforcement) return false;
  if (protection === undefined && protection_reason === undefined) return true;
  const found = explainWorkload(firewall, id);
  if (protection && (found.protection === null || !protection.includes(found.protection))) return false;
  return !protection_reason || found.protection_reasons.some((reason) => protection_reason.includes(reason));
}

/** Ids of the workloads that fit such filters; null when none is asked for. */
function listMatchingIds(firewall: FirewallState, input: WorkloadListInput): string[] | null {
  const { enforcement, protection, protection_reason } = input;
  if (enforcement === undefined && protection === undefined && protection_reason === undefined) return null;
  return [...firewall.inputs.workloads.keys()].filter((id) => matchesReadFilters(firewall, id, input));
}

/** One page of the workloads visible to the caller. No cluster is contacted. */
export async function listWorkloads(scope: Scope<'workload:read'>, input: WorkloadListInput): Promise<Page<Workload>> {
  const firewall = await readFirewallState();
  const page = await repository.listWorkloads(scope.reach, input, listMatchingIds(firewall, input));
  const items = page.items.map((row) => ({ ...row, ...explainWorkload(firewall, row.id) }));
  return { ...page, items };
}

const zeros = <W extends string>(words: readonly W[]) =>
  Object.fromEntries(words.map((word) => [word, 0])) as Record<W, number>;

/**
 * How many visible workloads have each protection, and each reason for not being protected. As many queries for any number of
 * workloads.
 */
export async function countProtection(
  scope: Scope<'workload:read'>,
  input: ProtectionCountsInput,
): Promise<ProtectionCounts> {
  const [firewall, ids] = await Promise.all([readFirewallState(), repository.listWorkloadIds(scope.reach, input)]);
  const { enforcement, protection, protection_reason } = input;
  const counts: ProtectionCounts = {
    protection: zeros(PROTECTIONS),
    protection_reason: zeros(UNPROTECTED_REASONS),
    without_interface: 0,
  };
  for (const id of ids) {
    // A filter does not narrow its own values: the others stay in view to be chosen.
    const ofReason = matchesReadFilters(firewall, id, { enforcement, protection });
    const ofProtection = matchesReadFilters(firewall, id, { enforcement, protection_reason });
    const found = explainWorkload(firewall, id);
    if (ofReason) for (const reason of found.protection_reasons) counts.protection_reason[reason] += 1;
    if (!ofProtection) continue;
    if (found.protection === null) counts.without_interface += 1;
    else counts.protection[found.protection] += 1;
  }
  return counts;
}

/**
 * A workload with its interfaces and addresses, and how each interface is protected as last read.
 * @throws AppError `not_found`, also for a workload of a tenant not visible to the caller
 */
export async function readWorkload(scope: Scope<'workload:read'>, id: string): Promise<WorkloadDetail> {
  const [workload, firewall] = await Promise.all([findWorkload(scope.reach, id), readFirewallState()]);
  if (!workload) throw notFound('workload');
  const protections = interfaceProtections(firewall, id);
  return {
    ...workload,
    ...explainWorkload(firewall, id),
    interfaces: workload.interfaces.map((nic) => {
      const { protection, reasons } = protections?.get(nic.name) ?? UNREAD;
      return { ...nic, protection, protection_reasons: [...reasons] };
    }),
  };
}
