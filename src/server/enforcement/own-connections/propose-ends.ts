import type { OwnRole } from '@/domain/own-connections/own-workloads';
import { formatEndpoint } from '@/domain/policy/endpoint';
import type { ProtectedTemplate } from '@/domain/policy-tests/protected-connection';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { KnownRole, KnownRoles } from './own-workloads';

/** The endpoint of a workload, whatever its addresses; empty when it does not exist. */
export function workloadEndpoint({ workloads, clusters }: PolicyInputs, id: string): string[] {
  const workload = workloads.get(id);
  const cluster = workload && clusters.get(workload.cluster_id)?.name;
  return workload && cluster !== undefined ? [formatEndpoint({ kind: 'vmid', vmid: workload.vmid, cluster })] : [];
}

/** What an operator answered, as endpoints; empty until then. */
function answeredEnd(inputs: PolicyInputs, { status, answer, addresses }: KnownRole): string[] {
  if (status === 'outside') return [...addresses];
  return status === 'confirmed' ? (answer?.workload_ids ?? []).flatMap((id) => workloadEndpoint(inputs, id)) : [];
}

type Proposal = {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly ports?: readonly string[];
};

/** Ends and ports of the protected connections that concern Fabric itself, from confirmed answers only. */
export function proposeEnds(
  inputs: PolicyInputs,
  { roles, api }: KnownRoles,
): Partial<Record<ProtectedTemplate, Proposal>> {
  const findOwnRole = (role: OwnRole) => roles.find((one) => one.role === role);
  const listRoleEndpoints = (role: OwnRole) => {
    const known = findOwnRole(role);
    return known ? answeredEnd(inputs, known) : [];
  };
  const toPortFields = (ports: readonly number[] = []) => (ports.length > 0 ? { ports: ports.map(String) } : {});
  const hasEntry = findOwnRole('entry')?.state === 'known';
  const entry = {
    to: listRoleEndpoints(hasEntry ? 'entry' : 'web'),
    ...toPortFields(findOwnRole(hasEntry ? 'entry' : 'web')?.ports),
  };
  const fabric = [...new Set([...listRoleEndpoints('web'), ...listRoleEndpoints('worker')])];
  return {
    browsers_to_fabric: entry,
    agents_to_fabric: entry,
    fabric_to_api: { from: fabric, ...toPortFields(api.ports) },
    fabric_to_database: {
      from: fabric,
      to: listRoleEndpoints('postgres'),
      ...toPortFields(findOwnRole('postgres')?.ports),
    },
    fabric_to_redis: { from: fabric, to: listRoleEndpoints('redis'), ...toPortFields(findOwnRole('redis')?.ports) },
  };
}
