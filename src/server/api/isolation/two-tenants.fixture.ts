import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import type { Policy } from '@/domain/policies';
import { sqlClient } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { runSuggestion } from '@/server/enforcement/suggestions/run-suggestion';
import { newId } from '@/server/lib/ids';
import { makeSyncLab, type SyncLab } from '@/server/sync/testing/sync-lab.fixture';
import { makeFlow, makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { storeBatch } from '@/server/traffic/collector/store-batch';
import { makeExporter, makeSampledBatch } from '@/server/traffic/collector/testing/sampled-batch.fixture';
import { freshAddressBook } from '@/server/traffic/flows/address-book';
import { sumTraffic } from '@/server/traffic/flows/upkeep';
import { addFormerPlacements, bearer, makeAgent, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';

/** Everything that carries this text belongs to the other tenant. */
export const THEIR_MARK = 'zzb';

/** Ids of one tenant by kind: `workload`, `policy` … */
export type Ids = Record<string, string>;

export type Side = {
  headers: { authorization: string };
  /** Signs in again: the time of the simulated cluster runs fast, so a token does not live long. */
  signIn: () => Promise<void>;
  ids: Ids;
  /** What endpoints of policies may say to refer to the tenant's things. */
  references: string[];
  /** Texts by which the tenant's things may be searched for. */
  names: string[];
};

export type TwoTenants = {
  ours: Side;
  theirs: Side;
  lab: SyncLab;
  /** The agent that reports about the guests of both, and one whose node has none of them. */
  node: { authorization: string };
  strangerNode: { authorization: string };
};

async function make(path: string, headers: Side['headers'], body: object, method = 'POST'): Promise<never> {
  const response = await call(path, { method, headers, body });
  const answer = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${answer}`);
  return JSON.parse(answer || 'null') as never;
}

const getFirstId = async (rows: PromiseLike<readonly { id?: string }[]>): Promise<string> => {
  const id = (await rows)[0]?.id;
  if (!id) throw new Error('the fixture was not stored');
  return id;
};

/** Guests, addresses and a network of one tenant, on the cluster that both share. */
async function makeTenantInventory(
  lab: SyncLab,
  mark: string,
  project: string,
  vmids: [number, number],
  third: number,
) {
  const cluster = lab.cluster.id;
  const [first, second] = vmids;
  await sqlClient()`update workloads set project_id = ${project}, name = ${mark} || '-guest-' || vmid, pool = ${`${mark}-pool`},
    tags = ${[`${mark}-tag`]} where cluster_id = ${cluster} and vmid in ${sqlClient()(vmids)}`;
  const network =
    await getFirstId(sqlClient()`insert into networks (id, cluster_id, name, kind, source, alias, description)
    values (${newId()}, ${cluster}, ${`${mark}-net`}, 'manual', 'manual', ${`${mark}-alias`}, ${`${mark}-net-text`}) returning id`);
  const subnet =
    await getFirstId(sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source, description)
    values (${newId()}, ${cluster}, ${network}, ${`10.${third}.0.0/24`}, 'manual', ${`${mark}-subnet`}) returning id`);
  const range =
    await getFirstId(sqlClient()`insert into ip_ranges (id, network_id, subnet_id, kind, first_address, last_address, description)
    values (${newId()}, ${network}, ${subnet}, 'reserved', ${`10.${third}.0.100`}, ${`10.${third}.0.110`}, ${`${mark}-range`}) returning id`);
  const guest = (vmid: number) =>
    sqlClient()<{ id: string }[]>`select id from workloads where cluster_id = ${cluster} and vmid = ${vmid}`;
  const workload = await getFirstId(guest(first));
  const other = await getFirstId(guest(second));
  const nic = await getFirstId(
    sqlClient()`select id from workload_interfaces where workload_id = ${workload} order by name limit 1`,
  );
  await sqlClient()`update workload_interfaces set network_id = ${network} where id = ${nic}`;
  const address = async (last: number, holder: string, interfaceId: string | null) =>
    getFirstId(sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, interface_id, source, hostname)
      values (${newId()}, ${cluster}, ${network}, ${subnet}, ${`10.${third}.0.${last}`}, ${holder}, ${interfaceId}, 'manual',
        ${`${mark}-host-${last}`}) returning id`);
  const held = await address(10, workload, nic);
  await address(11, other, null);
  await sqlClient()`insert into address_sightings (id, cluster_id, workload_id, nic, network_id, address, mac, source, seen_on,
      first_seen_at, last_seen_at)
    select ${newId()}, ${cluster}, ${workload}, name, network_id, ${`10.${third}.0.10`}, mac, 'agent', ${`${mark}-eth`}, now(), now()
    from workload_interfaces where id = ${nic}`;
  const conflict =
    await getFirstId(sqlClient()`insert into ipam_conflicts (id, cluster_id, kind, key, ip_address_id, network_id, address,
      workload_id, other_workload_id, note)
    values (${newId()}, ${cluster}, 'duplicate_address', ${`${mark}-key`}, ${held}, ${network}, ${`10.${third}.0.10`},
      ${workload}, ${other}, ${`${mark}-note`}) returning id`);
  return {
    workload,
    other_workload: other,
    network,
    subnet,
    ip_range: range,
    interface: nic,
    ip_address: held,
    conflict,
  };
}

/** An incident of one tenant, told in a notice that went out by its channel. */
async function makeIncident(mark: string, tenant: string, rule: string, channel: string, policy: string): Promise<Ids> {
  const now = new Date().toISOString();
  const incident = await getFirstId(sqlClient()`insert into notification_incidents
      (id, rule_id, condition, key, object_kind, object_id, object_name, detail, status, first_seen_at, opened_at)
    values (${newId()}, ${rule}, 'policy_drifted', ${mark}, 'policy', ${policy}, ${`${mark}-policy`}, ${`${mark}-detail`}, 'open',
      ${now}, ${now}) returning id`);
  const notification = await getFirstId(sqlClient()`insert into notifications
      (id, tenant_id, rule_id, rule_name, event, condition, title, detail, items, items_total, in_app)
    values (${newId()}, ${tenant}, ${rule}, ${`${mark}-notices`}, 'opened', 'policy_drifted', ${`${mark}-title`}, ${`${mark}-detail`},
      '[]', 1, true) returning id`);
  const delivery = await getFirstId(sqlClient()`insert into notification_deliveries
      (id, notification_id, tenant_id, channel_id, channel_name, channel_kind, status, finished_at)
    values (${newId()}, ${notification}, ${tenant}, ${channel}, ${`${mark}-channel`}, 'webhook', 'failed', ${now}) returning id`);
  return { incident, notification, notification_delivery: delivery };
}

/** Of a conversation in an impact, behind those that are found. */
const PLACE = 1_000_000;

/** A tenant with everything that one can have. */
async function makeSide(lab: SyncLab, mark: string, vmids: [number, number], third: number): Promise<Side> {
  const described = { name: `${mark}-tenant`, description: `${mark}-text`, recertification_days: 90 as const };
  const tenant = await makeTenant(described);
  const project = await makeProject(tenant, { name: `${mark}-project`, description: `${mark}-text` });
  const user = await makeUser('admin', tenant, { email: `${mark}-admin@example.org`, name: `${mark}-admin` });
  const headers = await bearer(user);
  /** On a busy machine a token of the lab's fast time ends before all is made. */
  const renew = async () => Object.assign(headers, await bearer(user));
  const things = await makeTenantInventory(lab, mark, project.id, vmids, third);
  // It was theirs before, moved away and came back, so that period has a history to report.
  const then = '2020-01-01T00:00:00Z';
  await sqlClient()`insert into workload_owners (id, workload_id, tenant_id, to_at, workload_name) overriding system value
    values (${-third}, ${things.workload}, ${tenant.id}, ${then}, ${`${mark}-guest-then`})`;
  await sqlClient()`update workload_owners set from_at = ${then} where workload_id = ${things.workload} and to_at is null`;
  const group: { id: string } = await make('/security-groups', await renew(), {
    name: `${mark}-group`,
    description: `${mark}-text`,
    member_tags: [`${mark}-tag`],
  });
  await make(`/security-groups/${group.id}/members`, await renew(), { workload_id: things.workload });
  const policy: Policy = await make('/policies', await renew(), {
    name: `${mark}-policy`,
    description: `${mark}-text`,
    definition: { enforcement_mode: 'enforced', sources: [`10.${third}.0.0/24`], targets: [`sg:${mark}-group`] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'], comment: `${mark}-rule` }],
  });
  await make(
    `/policies/${policy.id}`,
    await renew(),
    { description: `${mark}-text-2`, reason: `${mark}-reason` },
    'PATCH',
  );
  const applied: { deployments?: { id: string }[] } = await make(`/policies/${policy.id}/apply`, await renew(), {
    dry_run: false,
  });
  const deployment = await getFirstId(sqlClient()`select id from deployments where policy_id = ${policy.id} limit 1`);
  await runDeployment(deployment, { signal: new AbortController().signal });
  void applied;
  // Resolved, so that reading the cluster again changes nothing about it.
  const drift = await getFirstId(sqlClient()`insert into drifts
    (id, policy_id, workload_id, kind, subject_key, subject, last_applied, live, live_hash, changed_by, resolved_at)
    values (gen_random_uuid(), ${policy.id}, ${things.workload ?? ''}, 'edited', ${`${mark}-key`}, 'Rule 1', ${`${mark}-applied`},
      ${`${mark}-live`}, 'hash', ${`${mark}-editor`}, now()) returning id`);
  const finding = await getFirstId(sqlClient()`insert into hygiene_findings
    (id, key, kind, score, policy_id, policy_version, rule_id, rule_position, subject, workloads_affected, workloads_total, detail)
    values (gen_random_uuid(), ${`shadowed ${mark}`}, 'shadowed', 40, ${policy.id}, 2, ${policy.rules[0]?.id ?? ''}, 0,
      ${`${mark}-subject`}, 1, 1, ${JSON.stringify({ workload_ids: [things.workload ?? ''], unused: [`${mark}-unused`] })}::text::jsonb) returning id`);
  await sqlClient()`insert into hygiene_findings
    (id, key, kind, score, workload_id, rule_position, subject, workloads_affected, workloads_total, detail)
    values (gen_random_uuid(), ${`redundant ${mark}`}, 'redundant', 30, ${things.workload ?? ''}, 0, ${`${mark}-live-rule`}, 1, 1, '{}')`;
  const token: { id: string } = await make('/account/tokens', await renew(), {
    name: `${mark}-program`,
    permissions: ['policy:read'],
    tenant_id: tenant.id,
  });
  const channel: { id: string } = await make('/notification-channels', await renew(), {
    kind: 'webhook',
    name: `${mark}-channel`,
    url: `https://${mark}-hooks.example.org/x`,
  });
  const rule: { id: string } = await make('/notification-rules', await renew(), {
    name: `${mark}-notices`,
    conditions: ['policy_drifted'],
    channel_ids: [channel.id],
  });
  const notified = await makeIncident(mark, tenant.id, rule.id, channel.id, policy.id);
  const test: { id: string } = await make('/policy-tests', await renew(), {
    name: `${mark}-test`,
    expect: 'deny',
    from: ['any'],
    to: [`sg:${mark}-group`],
    protocol: 'tcp',
    ports: ['443'],
    reason: `${mark}-text`,
    owner: `${mark}-owner`,
  });
  const impact: { id: string } = await make(`/policies/${policy.id}/impact`, await renew(), {});
  const suggestion: { id: string } = await make('/suggestions', await renew(), { scope: { project_id: project.id } });
  await runSuggestion(suggestion.id, { signal: new AbortController().signal });
  const change: { id: string } = await make('/changes', await renew(), {
    title: `${mark}-change`,
    description: `${mark}-text`,
    items: [
      { kind: 'policy', policy_id: policy.id },
      { kind: 'group_members', group_id: group.id, add: [things.other_workload] },
    ],
  });
  const view: { id: string } = await make('/saved-views', await renew(), {
    page: '/flows',
    name: `${mark}-view`,
    query: `q=${mark}-text`,
    tenant_id: tenant.id,
  });
  await make('/saved-views', await renew(), { page: '/flows', name: `${mark}-own-view`, query: `q=${mark}-text` });
  const end = { prefix: '198.51.100.7', addresses: 1, internal: false, tenant: null, project: null };
  const conversation = {
    ...{
      id: PLACE,
      outcome: 'newly_blocked',
      unknown_reason: null,
      protocol: 'tcp',
      port: 443,
      before: null,
      after: null,
    },
    ...{ bytes: 1, packets: 1, flows: 1, last_seen_at: new Date().toISOString() },
    client: { ...end, workload: null },
    server: { ...end, workload: { id: things.workload, name: `${mark}-end` } },
  };
  await sqlClient()`insert into impact_conversations
    (impact_id, id, outcome, server_workload_id, client, server, port, bytes, flows, last_seen_at, conversation)
    values (${impact.id}, ${PLACE}, 'newly_blocked', ${things.workload ?? null}, ${end.prefix}, ${`${mark}-end`}, 443, 1, 1, now(),
      ${JSON.stringify(conversation)}::text::jsonb)`;
  // Of another user: with a passkey of their own the first one could no longer sign in with a password alone.
  const holder = await makeUser('viewer', tenant, { email: `${mark}-holder@example.org`, name: `${mark}-holder` });
  const passkey = newId();
  await sqlClient()`insert into passkeys (id, user_id, name, credential_id, public_key, counter, rp_id, synced)
    values (${passkey}, ${holder.id}, ${`${mark}-key`}, ${`${mark}-credential`}, 'x', 0, 'example.org', false)`;
  const text = (column: string, table: string, where: string) =>
    getFirstId(sqlClient().unsafe(`select ${column} as id from ${table} where ${where} limit 1`));
  const ids: Ids = {
    ...things,
    ...notified,
    notification_channel: channel.id,
    notification_rule: rule.id,
    tenant: tenant.id,
    project: project.id,
    user: user.id,
    security_group: group.id,
    policy: policy.id,
    policy_test: test.id,
    saved_view: view.id,
    impact: impact.id,
    suggestion: suggestion.id,
    change: change.id,
    rule: policy.rules[0]?.id ?? '',
    drift,
    hygiene_finding: finding,
    deployment,
    operation: await text('operation_id', 'deployments', `id = '${deployment}'`),
    api_token: token.id,
    passkey,
    session: await text('family_id', 'refresh_tokens', `user_id = '${user.id}'`),
    assignment: await text('id', 'role_assignments', `user_id = '${user.id}'`),
    audit_record: await text('id', 'audit_records', `object_id = '${policy.id}'`),
    policy_version: await text('id', 'policy_versions', `policy_id = '${policy.id}'`),
  };
  const references = [
    `sg:${mark}-group`,
    `sg:${group.id}`,
    `vmid:${vmids[0]}`,
    `vmid:${lab.cluster.name}/${vmids[0]}`,
    `network:${mark}-net`,
    `tag:${mark}-tag`,
  ];
  const names = [`${mark}-guest-${vmids[0]}`, `10.${third}.0.10`, `10.${third}.0.0/24`, mark];
  const side: Side = {
    headers,
    ids,
    references,
    names,
    async signIn() {
      side.headers = await bearer(user);
    },
  };
  return side;
}

/**
 * Two tenants that share a cluster and nothing else, each with one of everything that a tenant can have. The cluster
 * is simulated, so that firewalls can be read. Data of the other tenant carries `THEIR_MARK` or is in 10.66.0.0/24.
 */
export async function makeTwoFullTenants(): Promise<TwoTenants> {
  const lab = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, 'shared lab');
  const run = await lab.sync();
  if (run.status !== 'ok') throw new Error('the lab could not be synced');
  const ours = await makeSide(lab, 'ours', [100, 103], 65);
  const theirs = await makeSide(lab, THEIR_MARK, [102, 105], 66);
  // Each has a workload that was the other one's before, with rules that are left.
  for (const [side, other, mark] of [
    [ours, theirs, THEIR_MARK],
    [theirs, ours, 'ours'],
  ] as const) {
    await sqlClient()`insert into residual_rules (id, workload_id, policy_id, policy_name, policy_version, tenant_id, workload_name, mode)
      values (${newId()}, ${side.ids.workload ?? ''}, ${other.ids.policy ?? ''}, ${`${mark}-policy`}, 1, ${other.ids.tenant ?? ''},
        ${`${mark}-old-name`}, 'keep')`;
  }
  // Each was denied by a rule of the other's policy, and its peer was the other's workload.
  for (const { ids, other, third } of [
    { ids: ours.ids, other: theirs.ids, third: 65 },
    { ids: theirs.ids, other: ours.ids, third: 66 },
  ]) {
    await sqlClient()`insert into escaped_conversations (id, workload_id, project_id, direction, client_ip, client_port, server_ip,
        server_port, protocol, reason, log_accepted, denied_by, policy_id, peer_workload_id, filter_hash, start_known, watched_since,
        first_seen_at, last_seen_at, found_at)
      select ${newId()}, id, project_id, 'in', ${`203.0.113.${third}`}, 40000, ${`10.${third}.0.10`}, 22, 'tcp', 'not_explained', false,
        'Rule 1', ${other.policy ?? null}, ${other.workload ?? null}, 'hash', true, now(), now(), now(), now()
      from workloads where id = ${ids.workload ?? ''}`;
  }
  const [node, stranger] = await sqlClient()<
    { id: string }[]
  >`select id from nodes where cluster_id = ${lab.cluster.id} order by name`;
  if (!node || !stranger) throw new Error('the lab has no node');
  const agent = await makeAgent(node);
  const guests = await sqlClient()<{ id: string }[]>`select id from workloads
    where cluster_id = ${lab.cluster.id} and vmid in (100, 102, 103, 105)`;
  await addFormerPlacements(node, ...guests);
  const flows = [65, 66].flatMap((third) => [
    makeFlow({ source_ip: `10.${third}.0.10`, destination_ip: `10.${third}.0.11`, destination_port: 5432 }),
    makeFlow({ source_ip: `203.0.113.${third}`, destination_ip: `10.${third}.0.10`, destination_port: 22 }),
  ]);
  await make('/agents/heartbeat', agent, makeHeartbeat(flows));
  // What a switch has sampled of the traffic of each.
  await freshAddressBook();
  for (const [{ ids }, third] of [
    [ours, 65],
    [theirs, 66],
  ] as const) {
    const exporter = await makeExporter(lab.cluster, `192.0.2.${third}`);
    ids.flow_exporter = exporter.id;
    const ends = { source_ip: `203.0.113.${third}`, destination_ip: `10.${third}.0.10` };
    await storeBatch(makeSampledBatch(exporter, [ends, { ...ends, destination_port: 22, bytes: 60 }]));
  }
  for (const [{ ids }, third] of [
    [ours, 65],
    [theirs, 66],
  ] as const) {
    ids.conversation = await getFirstId(
      sqlClient()`select id from traffic_conversations where host(server_ip) = ${`10.${third}.0.10`}`,
    );
  }
  const strangerNode = await makeAgent(stranger);
  await make('/agents/heartbeat', strangerNode, makeHeartbeat());
  await sumTraffic();
  // As if the drafts had been applied just now at workloads that Fabric needs, so that what is watched and undone has data.
  for (const { ids } of [ours, theirs]) {
    await sqlClient()`insert into change_workloads (change_id, workload_id, wave, wave_kind)
      values (${ids.change ?? ''}, ${ids.workload ?? ''}, 1, 'own')`;
    await sqlClient()`update changes set applied_at = now(), written_at = now() where id = ${ids.change ?? ''}`;
  }
  for (const side of [ours, theirs]) Object.assign(side.ids, { cluster: lab.cluster.id, node: node.id });
  return { ours, theirs, lab, node: agent, strangerNode };
}
