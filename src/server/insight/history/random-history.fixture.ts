import { eq } from 'drizzle-orm';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { SecurityRule } from '@/domain/policies';
import { completeSnapshot } from '@/domain/policy/snapshot';
import { db } from '@/server/db/client';
import { projects } from '@/server/db/schema/access';
import { ipAddresses } from '@/server/db/schema/addresses';
import { policyPlacements } from '@/server/db/schema/deployments';
import { networks, subnets } from '@/server/db/schema/networks';
import { securityGroupMembers, securityGroups } from '@/server/db/schema/policies';
import { workloadInterfaces, workloads } from '@/server/db/schema/workloads';
import { hashSnapshot } from '@/server/enforcement/guest-firewall/live-reader';
import { storeClusterSnapshot, storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { deletePolicy, insertPolicy, replaceRules, updatePolicy } from '@/server/enforcement/queries/policies';
import { newId } from '@/server/lib/ids';
import { makeCluster, makeNode, makeProject, makeTenant } from '@/test/factories';

/** A sequence of numbers from 0 to 1 that is the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Readings have times in milliseconds.
const wait = () => new Promise((resolve) => setTimeout(resolve, 2));
const TAGS = ['web', 'db', 'prod'];

/** Changes an installation with two tenants step by step, each step another kind of change. */
export async function makeRandomHistory(random: () => number) {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.5);
  const cluster = await makeCluster();
  const nodes = [await makeNode(cluster), await makeNode(cluster)];
  const tenants = [await makeTenant(), await makeTenant()];
  const owned = await Promise.all(tenants.flatMap((tenant) => [makeProject(tenant), makeProject(tenant)]));
  const network = { id: newId(), cluster_id: cluster.id, name: 'vmbr0', kind: 'bridge', source: 'provider' } as const;
  const prefix = { cluster_id: cluster.id, network_id: network.id, source: 'provider' } as const;
  const prefixes = ['10.0.0.0/24', '10.0.1.0/24'].map((cidr) => ({ id: newId(), cidr, ...prefix }));
  await db.insert(networks).values(network);
  await db.insert(subnets).values(prefixes);

  const known = {
    workloads: new Map<string, number>(),
    groups: new Set<string>(),
    policies: new Map<string, number>(),
    addresses: new Set<string>(),
  };
  const anyWorkload = () => pick([...known.workloads.keys()]);
  const anyGroup = () => pick([...known.groups]);
  const anyAddress = () => pick([...known.addresses]);
  const anyPolicy = () => pick([...known.policies.keys()]);
  const anyOwner = () => {
    const project = random() < 0.8 ? pick(owned) : undefined;
    return { tenant_id: project?.tenant_id ?? null, project_id: project && random() < 0.3 ? project.id : null };
  };
  let serial = 0;
  const name = (stem: string) => `${stem}-${++serial}`;

  const setWorkload = async (values: Partial<typeof workloads.$inferInsert>) => {
    const id = anyWorkload();
    if (id) await db.update(workloads).set(values).where(eq(workloads.id, id));
  };
  const content = (tenantId: string | null) => {
    const group = anyGroup();
    const rules: SecurityRule[] = Array.from({ length: Math.floor(random() * 3) }, (_, position) => ({
      id: newId(),
      position,
      action: pick(['accept', 'drop'] as const) ?? 'drop',
      protocol: 'tcp',
      destination_ports: [String(pick([22, 80, 443]))],
      source_ports: [],
      icmp_type: null,
      log: 'nolog',
      enabled: random() < 0.8,
      comment: '',
      ...{ owner: '', ticket: '', expires_at: null },
    }));
    return completeSnapshot(tenantId, {
      name: name('policy'),
      description: '',
      enabled: random() < 0.8,
      priority: Math.floor(random() * 1000),
      definition: {
        enforcement_mode: pick(['enforced', 'audit'] as const) ?? 'audit',
        direction: 'in',
        sources: ['any'],
        targets: group ? [`sg:${group}`] : ['tag:web'],
        default_action: 'none',
      },
      rules,
    });
  };
  const makeGuest = (id: string): GuestSnapshot => ({
    presence: 'present',
    options: { enable: Number(random() < 0.8), policy_in: pick(['ACCEPT', 'DROP']) ?? 'DROP' },
    rules: Array.from({ length: Math.floor(random() * 3) }, (_, pos) => ({
      ...{ pos, type: 'in', action: pick(['ACCEPT', 'DROP']) ?? 'DROP', enable: 1, proto: 'tcp' },
      dport: String(pick([22, 80, 443])),
    })),
    ipsets: {},
    aliases: {},
    nics: [{ name: 'net0', firewall: random() < 0.8, mac: toMac(known.workloads.get(id) ?? 0), bridge: 'vmbr0' }],
    pending_nics: [],
    unreadable: [],
  });
  const toMac = (vmid: number) => `bc:24:11:00:00:${(vmid % 256).toString(16).padStart(2, '0')}`;
  const now = () => new Date().toISOString();

  /** Kinds of changes; what there is nothing for changes nothing. */
  const steps: Record<string, () => Promise<unknown>> = {
    'add a workload': async () => {
      const vmid = 100 + ++serial;
      const id = newId();
      const node_id = pick(nodes)?.id ?? null;
      await db.insert(workloads).values({
        ...{ id, vmid, node_id, cluster_id: cluster.id, kind: 'qemu', external_id: `qemu/${vmid}` },
        ...{ name: name('guest'), tags: some(TAGS), project_id: pick(owned)?.id ?? null },
      });
      known.workloads.set(id, vmid);
      await db.insert(workloadInterfaces).values({
        ...{ workload_id: id, name: 'net0', network_id: network.id, mac: toMac(vmid), firewall: true, raw: '' },
      });
    },
    'rename a workload': () => setWorkload({ name: name('renamed') }),
    'tag a workload': () => setWorkload({ tags: some(TAGS) }),
    'migrate a workload': () => setWorkload({ node_id: pick(nodes)?.id ?? null }),
    'start or stop a workload': () => setWorkload({ status: pick(['running', 'stopped'] as const) ?? 'unknown' }),
    'read what no answer contains': () => setWorkload({ config_read_at: now(), lock: pick(['backup', null]) ?? null }),
    'move a workload': () => setWorkload({ project_id: random() < 0.8 ? (pick(owned)?.id ?? null) : null }),
    'change an interface': async () => {
      const id = anyWorkload();
      if (id)
        await db
          .update(workloadInterfaces)
          .set({ firewall: random() < 0.5 })
          .where(eq(workloadInterfaces.workload_id, id));
    },
    'delete a workload': async () => {
      const id = known.workloads.size > 8 ? anyWorkload() : undefined;
      if (!id) return;
      known.workloads.delete(id);
      await db.delete(workloads).where(eq(workloads.id, id));
    },
    'assign an address': async () => {
      const at = pick([0, 1]) ?? 0;
      const address = `10.0.${at}.${1 + Math.floor(random() * 12)}`;
      const workload_id = random() < 0.8 ? (anyWorkload() ?? null) : null;
      const state = pick(['active', 'dhcp', 'stale'] as const) ?? 'active';
      const [row] = await db
        .insert(ipAddresses)
        .values({
          ...{ address, workload_id, state, cluster_id: cluster.id, network_id: network.id, source: 'config' },
          subnet_id: prefixes[at]?.id ?? '',
        })
        .onConflictDoUpdate({
          target: [ipAddresses.cluster_id, ipAddresses.network_id, ipAddresses.address],
          set: { workload_id, state, last_seen_at: now() },
        })
        .returning({ id: ipAddresses.id });
      if (row) known.addresses.add(row.id);
    },
    'release an address': async () => {
      const id = anyAddress();
      if (!id) return;
      known.addresses.delete(id);
      await db.delete(ipAddresses).where(eq(ipAddresses.id, id));
    },
    'rename a project': async () => {
      const project = pick(owned);
      if (project)
        await db
          .update(projects)
          .set({ name: name('renamed-project') })
          .where(eq(projects.id, project.id));
    },
    'add a group': async () => {
      const id = newId();
      await db.insert(securityGroups).values({ id, name: name('group'), member_tags: some(TAGS), ...anyOwner() });
      known.groups.add(id);
    },
    'change the tags of a group': async () => {
      const id = anyGroup();
      const match = pick(['any', 'all'] as const) ?? 'any';
      if (id)
        await db
          .update(securityGroups)
          .set({ member_tags: some(TAGS), member_tags_match: match })
          .where(eq(securityGroups.id, id));
    },
    'add a member': async () => {
      const [group, workload_id] = [anyGroup(), anyWorkload()];
      if (group && workload_id)
        await db.insert(securityGroupMembers).values({ security_group_id: group, workload_id }).onConflictDoNothing();
    },
    'remove members': async () => {
      const group = anyGroup();
      if (group) await db.delete(securityGroupMembers).where(eq(securityGroupMembers.security_group_id, group));
    },
    'delete a group': async () => {
      const id = known.groups.size > 4 ? anyGroup() : undefined;
      if (!id) return;
      known.groups.delete(id);
      await db.delete(securityGroups).where(eq(securityGroups.id, id));
    },
    'add a policy': async () => {
      const owner = anyOwner();
      const { rules, ...fields } = content(owner.tenant_id);
      const id = newId();
      await db.transaction(async (tx) => {
        await insertPolicy(tx, { ...fields, id, version: 1, ...owner });
        await replaceRules(tx, id, rules);
      });
      known.policies.set(id, 1);
    },
    'change a policy': async () => {
      const id = anyPolicy();
      if (!id) return;
      const version = (known.policies.get(id) ?? 0) + 1;
      known.policies.set(id, version);
      const { rules, tier: _tier, ...fields } = content(null);
      await db.transaction(async (tx) => {
        await updatePolicy(tx, id, { ...fields, version });
        await replaceRules(tx, id, rules);
      });
    },
    'delete a policy': async () => {
      const id = known.policies.size > 3 ? anyPolicy() : undefined;
      if (!id) return;
      known.policies.delete(id);
      await db.transaction((tx) => deletePolicy(tx, id));
    },
    'place a policy': async () => {
      const [policy_id, workload_id] = [anyPolicy(), anyWorkload()];
      if (!policy_id || !workload_id) return;
      const row = {
        policy_id,
        workload_id,
        policy_version: 1,
        rules: [],
        drop_in: false,
        drop_out: false,
        priority: 1,
      };
      // Before the readings: a later one of the same state proves more than was known live.
      const applied_at = random() < 0.5 ? '2026-01-01T00:00:00Z' : null;
      await db
        .insert(policyPlacements)
        .values({ ...row, tier: 'tenant', applied_at })
        .onConflictDoUpdate({
          target: [policyPlacements.policy_id, policyPlacements.workload_id],
          set: { applied_at },
        });
    },
    'read a guest': async () => {
      const id = anyWorkload();
      if (id) await readGuest(id, makeGuest(id));
    },
    'read a guest again': async () => {
      const id = anyWorkload();
      if (id) await touchGuest(id);
    },
    'read the cluster': async () => {
      await wait();
      await touchCluster();
      await readCluster({
        firewall_enabled: random() < 0.8,
        ...{
          groups: {},
          ipsets: {},
          aliases: {},
          options: null,
          rules: null,
          nodes: null,
          vnets: null,
          unreadable: [],
        },
      });
    },
  };
  // What is read otherwise was read as before until then, so that it is known at every step what was live.
  const states = new Map<string, GuestSnapshot>();
  let shared: ClusterSnapshot | null = null;
  async function touchGuest(workload_id: string) {
    const state = states.get(workload_id);
    if (state) await storeGuestSnapshots(db, [{ workload_id, read_at: now(), state_hash: hashSnapshot(state), state }]);
  }
  async function readGuest(workload_id: string, state: GuestSnapshot) {
    await wait();
    await touchGuest(workload_id);
    states.set(workload_id, state);
    await wait();
    await touchGuest(workload_id);
  }
  async function touchCluster() {
    if (shared)
      await storeClusterSnapshot(db, {
        cluster_id: cluster.id,
        read_at: now(),
        state_hash: hashSnapshot(shared),
        state: shared,
      });
  }
  async function readCluster(state: ClusterSnapshot) {
    shared = state;
    await wait();
    await touchCluster();
  }
  const kinds = Object.keys(steps);
  return {
    tenants,
    known,
    /** Changes something. @returns what */
    async change(): Promise<string> {
      const kind = (known.workloads.size < 5 ? 'add a workload' : pick(kinds)) ?? '';
      await steps[kind]?.();
      return kind;
    },
    anyWorkload,
    anyAddress,
    anyGroup,
    anyPolicy,
  };
}
