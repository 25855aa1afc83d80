import { buildPolicyInputs } from '@/server/enforcement/policies/policy-inputs';
import type { InputWorkload } from '@/server/enforcement/queries/policy-inputs';

const CLUSTER = '00000000-0000-7000-8000-0000000000c1';
const NODES = 10;
const uuid = (kind: string, n: number) => `00000000-0000-7000-8000-${kind}${String(n).padStart(11, '0')}`;

/** Address of the workload with a number. */
export const toAddress = (n: number) => `10.${Math.floor(n / 250) + 1}.${Math.floor(n / 20) % 50}.${(n % 250) + 1}`;

type Size = { workloads: number; groups: number; isNftables?: (n: number) => boolean };

/** Workloads on ten nodes of one cluster, dealt out to groups in turn. */
export function createGroupedGuests({ workloads: count, groups, isNftables = () => false }: Size) {
  const toGroup = (n: number) => n % groups;
  const workloads = Array.from(
    { length: count },
    (_, n): InputWorkload => ({
      id: uuid('a', n),
      cluster_id: CLUSTER,
      vmid: 100 + n,
      name: `guest-${n}`,
      tenant_id: null,
      project_id: null,
      template: false,
      tags: [],
      addresses: [toAddress(n)],
      node_name: `pve${n % NODES}`,
      nftables: isNftables(n),
      kind: 'qemu',
      external_id: String(n),
      status: 'running',
      lock: null,
      creation_fingerprint: null,
      missing_since: null,
    }),
  );
  const listMembers = (group: number) => workloads.filter((_, n) => toGroup(n) === group);
  const nodes = Object.fromEntries(
    Array.from({ length: NODES }, (_, n) => [
      `pve${n}`,
      { options: { nftables: n % 2 }, networks: [`10.0.0.${n + 1}/24`], rules: [] },
    ]),
  );
  return {
    workloads,
    toGroup,
    listMembers,
    clusterId: CLUSTER,
    nodes,
    cluster: {
      read_at: '2026-11-24T00:00:00.000Z',
      state: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, nodes, unreadable: [] },
    },
    /** @param extra more members of the first group */
    buildInputs: (extra: readonly string[] = []) =>
      buildPolicyInputs('bench', {
        policies: [],
        clusters: [
          {
            id: CLUSTER,
            name: 'bench',
            rule_placement: 'above',
            firewall_enabled: true,
            missing_write_privileges: [],
            has_api_token: true,
          },
        ],
        workloads,
        groups: Array.from({ length: groups }, (_, n) => ({
          id: uuid('b', n),
          name: `group-${n}`,
          tenant_id: null,
          project_id: null,
          member_tags: [],
          member_tags_match: 'any' as const,
          added: [...listMembers(n).map(({ id }) => id), ...(n === 0 ? extra : [])],
        })),
        networks: [],
        gone: [],
        logs: [],
      }),
  };
}
