import type { HypervisorEdit } from '@fabric/agent-contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Drift } from '@/domain/change/drift';
import { DRIFT_KINDS, type DriftKind } from '@/domain/change/drift-kinds';
import type { Impact } from '@/domain/impact/impact';
import type { Policy } from '@/domain/policies';
import { db, sqlClient } from '@/server/db/client';
import { clusterAccess } from '@/server/inventory/cluster-access';
import { type ClusterRow, findClusterRow } from '@/server/inventory/queries/clusters';
import { clock } from '@/server/lib/clock';
import { makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { call } from '@/test/request';
import { runImpact } from '../impact/run-impact';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

const FIRST = 600;
let lab: PolicyLab;
let policy: Policy;
/** Files and configurations as they were applied, by VMID. */
const files = new Map<number, string>();
const configs = new Map<number, string>();

const RULE = /^\|?IN /;
const write = (vmid: number, text: string) => lab.control.firewall.setFile(`firewall/${vmid}.fw`, text);
/** Edits the lines of a workload's rules manually. */
function edit(vmid: number, change: (lines: string[]) => string[]) {
  const file = (files.get(vmid) ?? '').split('\n');
  const rules = file.filter((line) => RULE.test(line));
  const at = file.findIndex((line) => RULE.test(line));
  write(
    vmid,
    file
      .filter((line) => !RULE.test(line))
      .toSpliced(at, 0, ...change(rules))
      .join('\n'),
  );
}
const editLine = (vmid: number, at: number, change: (line: string) => string) =>
  edit(vmid, (lines) => lines.map((line, index) => (index === at ? change(line) : line)));
const editFile = (vmid: number, from: RegExp, to: string) => write(vmid, (files.get(vmid) ?? '').replace(from, to));

/** Every kind, with its cause and fields of what is found. */
const CASES: [DriftKind, string, (vmid: number) => void, object][] = [
  ['edited', 'action', (vmid) => editLine(vmid, 1, (line) => line.replace('ACCEPT', 'DROP')), { subject: 'Rule 2' }],
  [
    'edited',
    'port',
    (vmid) => editLine(vmid, 1, (line) => line.replace(/-dport \d+/, '-dport 444')),
    { live: expect.stringContaining('444'), last_applied: expect.stringContaining('443') },
  ],
  [
    'edited',
    'comment',
    (vmid) => editLine(vmid, 1, (line) => line.replace(/ port \d+/, ' mine')),
    { subject: 'Rule 2' },
  ],
  ['deleted', 'rule', (vmid) => edit(vmid, (lines) => lines.slice(1)), { subject: 'Rule 1', live: null }],
  ['disabled', 'rule', (vmid) => editLine(vmid, 1, (line) => `|${line}`), { live: expect.stringMatching(/^\|IN/) }],
  ['reordered', 'rules', (vmid) => edit(vmid, (lines) => lines.toReversed()), { live: 'Rule 3, Rule 2, Rule 1' }],
  ['duplicated', 'rule', (vmid) => edit(vmid, (lines) => [...lines, ...lines.slice(2)]), { subject: 'Rule 3' }],
  [
    'duplicated',
    'and edited copy',
    (vmid) => edit(vmid, (lines) => [...lines, ...lines.slice(2).map((line) => line.replace('ACCEPT', 'DROP'))]),
    { subject: 'Rule 3' },
  ],
  [
    'shadowed',
    'by a rule of others',
    (vmid) => edit(vmid, (lines) => ['IN DROP -p tcp -dport 22 -log nolog # by hand', ...lines]),
    { live: 'IN DROP -p tcp -dport 22 # by hand' },
  ],
  [
    'set_changed',
    'entry deleted',
    (vmid) => editFile(vmid, /^fd00:\S+:103:8000\/113.*\n/m, ''),
    { last_applied: expect.stringContaining('103:8000/113') },
  ],
  [
    'set_changed',
    'entry added',
    (vmid) => editFile(vmid, /^fd00:\S+:103:8000\/113/m, 'fd01::1\n$&'),
    { live: expect.stringContaining('fd01::1') },
  ],
  [
    'switch_changed',
    'interface',
    (vmid) =>
      lab.control.setConfig(vmid, {
        net0: /^net0: (.*)$/m.exec(configs.get(vmid) ?? '')?.[1]?.replace(/,?firewall=1/, '') ?? '',
      }),
    { subject: 'net0', live: 'off' },
  ],
  ['switch_changed', 'guest', (vmid) => editFile(vmid, /^enable: 1/m, 'enable: 0'), { subject: 'Guest firewall' }],
  [
    'default_changed',
    'input policy',
    (vmid) => editFile(vmid, /^enable: 1/m, 'enable: 1\npolicy_in: ACCEPT'),
    { subject: 'Input policy', live: 'ACCEPT', desired: 'DROP' },
  ],
  [
    'marker_forged',
    'version',
    (vmid) => editLine(vmid, 1, (line) => line.replace(/ v=\d+ /, ' v=9 ')),
    { subject: 'Rule 2' },
  ],
  [
    'marker_forged',
    'another installation',
    (vmid) => edit(vmid, (lines) => [...lines, (lines[2] ?? '').replace(/i=[^ ]+/, 'i=elsewhere')]),
    { subject: 'Marker', last_applied: null },
  ],
  [
    'workload_moved',
    'rules of another workload',
    (vmid) => edit(vmid, (lines) => [...lines, (lines[0] ?? '').replace(/g=\d+/, 'g=555')]),
    { subject: 'Workload 555', desired: null },
  ],
  [
    'leftover',
    'rules that came back after they were removed',
    (vmid) => write(vmid, (files.get(vmid - 1) ?? '').replaceAll(`g=${vmid - 1}]`, `g=${vmid}]`)),
    { last_applied: null },
  ],
];
/** The last workload is none of the policy's. */
const VMIDS = CASES.map((_, at) => FIRST + at);

beforeAll(async () => {
  lab = await makePolicyLab();
  for (const vmid of VMIDS) lab.control.cloneGuest(103, vmid, `w${vmid}`);
  await lab.settle();
  await lab.sync();
  const definition = { enforcement_mode: 'enforced', direction: 'in', default_action: 'drop' };
  const rules = ['22', '443', '8080'].map((port) => ({
    action: 'accept',
    protocol: 'tcp',
    destination_ports: [port],
    comment: `port ${port}`,
  }));
  const withSets = (vmid: number) => CASES[vmid - FIRST]?.[0] === 'set_changed';
  const targets = VMIDS.slice(0, -1).map((vmid) => `vmid:${vmid}`);
  policy = await lab.create({ definition: { ...definition, sources: ['10.0.0.0/8'], targets }, rules });
  // More addresses than fit into two rules, so that they become a set.
  const sources = Array.from({ length: 30 }, (_, at) => `fd00:1111:2222:3333:4444:5555:${100 + at}:8000/113`);
  const setTargets = VMIDS.filter(withSets).map((vmid) => `vmid:${vmid}`);
  const other = await lab.create({
    definition: { ...definition, sources, targets: setTargets },
    rules: rules.slice(1, 2),
  });
  await lab.apply(other);
  await lab.apply(policy);
  for (const vmid of VMIDS) {
    files.set(vmid, lab.control.firewall.guestFile(vmid) ?? '');
    configs.set(vmid, lab.control.guest(vmid).configText);
  }
}, 120_000);
afterAll(() => lab.close());

const listDrift = async (query = 'status=open'): Promise<Drift[]> => {
  const { status, body } = await lab.json(`/drift?cluster_id=${lab.cluster.id}&limit=200&${query}`);
  expect(status).toBe(200);
  return (body as { items: Drift[] }).items;
};
const toText = (list: readonly Drift[]) => list.map(({ vmid, kind }) => `${vmid} ${kind}`).sort();
const readOverall = async () =>
  ((await lab.json(`/policies/${policy.id}`)).body as Policy).deployments.find(
    ({ cluster_id }) => cluster_id === lab.cluster.id,
  );
/** Calls that wrote something to the cluster since `from`. */
const listWrites = (from: number) =>
  lab.simulator.log
    .entries()
    .slice(from)
    .filter(({ method, path }) => method !== 'GET' && path.includes('/firewall'));
const countCalls = () => lab.simulator.log.entries().length;
const runWaiting = async () => {
  const rows = await sqlClient()<{ id: string }[]>`select id from deployments where status = 'queued' order by id`;
  await lab.carryOut(rows.map(({ id }) => ({ deployment_id: id })));
};

/** Edits as agents read them from access logs, of which only some are what drifted. */
async function reportEdits() {
  const now = clock.now().getTime();
  const nic = FIRST + CASES.findIndex(([, name]) => name === 'interface');
  const { api_token } = clusterAccess((await findClusterRow(db, lab.cluster.id)) as ClusterRow);
  const by = (user: string, seconds: number, vmid: number, object: HypervisorEdit['object'] = 'guest_firewall') => ({
    ...{ user, vmid, object, method: 'PUT' as const, at: new Date(now - seconds * 1000).toISOString() },
  });
  const send = async (headers: { authorization: string }, hypervisor_edits: object[]) => {
    const body = { ...makeHeartbeat([]), sent_at: new Date(now).toISOString(), hypervisor_edits };
    const { status } = await call('/agents/heartbeat', { body, headers });
    return status;
  };
  const [node] = await sqlClient()<{ id: string }[]>`select id from nodes where cluster_id = ${lab.cluster.id}`;
  const edits = [
    by('bob@pve', 30, FIRST),
    by('eve@pve', 20, FIRST),
    // The service itself.
    by(api_token.split('=')[0] ?? '', 10, FIRST),
    // Before the last read, and something else that was edited.
    by('old@pve', 3600, FIRST + 1),
    by('config@pve', 20, FIRST + 2, 'guest_config'),
    by('nic@pve', 20, nic, 'guest_config'),
  ];
  expect(await send(await makeAgent(node as { id: string }), edits)).toBe(200);
  // The same VMID on another cluster.
  const other = await makeAgent(await makeNode(await makeCluster()));
  expect(await send(other, [by('mallory@pve', 5, FIRST), by('mallory@pve', 5, FIRST + 3)])).toBe(200);
  for (const wrong of [{ user: 'no realm' }, { object: 'disk' }, { vmid: -1 }, { body: 'x' }]) {
    expect(await send(other, [{ ...by('mallory@pve', 5, FIRST), ...wrong }])).toBe(400);
  }
  expect(await send(other, Array(101).fill(by('mallory@pve', 5, FIRST)))).toBe(400);
}

describe('drift', () => {
  it('has a case for each kind', () => {
    const cases = new Set(CASES.map(([kind]) => kind));
    expect(DRIFT_KINDS.filter((kind) => !cases.has(kind))).toEqual([]);
  });

  it('finds nothing where nothing was changed', async () => {
    await lab.observe();
    expect(await listDrift()).toEqual([]);
    expect(await readOverall()).toMatchObject({ status: 'active' });
  });

  it('finds every kind in one pass, and who was last to edit', async () => {
    lab.ahead(90_000);
    await reportEdits();
    for (const [at, [, , cause]] of CASES.entries()) cause(FIRST + at);
    await lab.observe();
    const found = await listDrift();
    const leftovers = ['leftover', 'leftover'].map((kind) => `${VMIDS.at(-1)} ${kind}`);
    expect(toText(found)).toEqual([...CASES.map(([kind], at) => `${FIRST + at} ${kind}`), ...leftovers].sort());
    for (const [at, [, , , expected]] of CASES.entries()) {
      expect(found.find(({ vmid }) => vmid === FIRST + at)).toMatchObject(expected);
    }
    const getEditor = (vmid: number) => found.find((one) => one.vmid === vmid)?.changed_by;
    expect([0, 1, 2, 3].map((at) => getEditor(FIRST + at))).toEqual(['eve@pve', null, null, null]);
    const [nic, guest] = CASES.flatMap(([kind], at) => (kind === 'switch_changed' ? [FIRST + at] : []));
    expect([getEditor(nic ?? 0), getEditor(guest ?? 0)]).toEqual(['nic@pve', null]);
    const edited = found.find(({ vmid }) => vmid === FIRST);
    expect(edited?.rule_id).toBe(policy.rules[1]?.id);
    expect(edited?.actions).toEqual(['reconcile', 'adopt', 'accept']);
  });

  it('shows either adoption with its impact, drafts the one asked for, and refuses what no policy expresses', async () => {
    const all = await listDrift();
    const edited = all.find(({ vmid }) => vmid === FIRST);
    const preview = (as: string, id = edited?.id) => lab.json(`/drift/${id}/adopt/preview`, { body: { as } });
    const own = { policy_id: policy.id, name: policy.name };
    const running = { impact: { status: 'running', policy_id: null, change_id: null } };
    expect(await preview('policy')).toMatchObject({ status: 200, body: { items: [own], ...running } });
    const other = { before: null, after: { rules: [{}, { action: 'drop' }, {}] } };
    const exception = await preview('exception');
    expect(exception).toMatchObject({ status: 200, body: { items: [own, other], ...running } });
    expect((await lab.json('/changes')).body).toMatchObject({ items: [] });
    const { impact } = exception.body as { impact: { id: string } };
    await runImpact(impact.id, { signal: new AbortController().signal });
    const { body } = await lab.json(`/impacts/${impact.id}`);
    const { status, difference } = body as Impact;
    // What is live there is what the exception says; elsewhere, applying the rest of the policy repairs what drifted.
    expect([status, difference.length > 0]).toEqual(['done', true]);
    expect(difference.map(({ workload_id }) => workload_id)).not.toContain(edited?.workload_id);
    const duplicated = all.find(({ kind }) => kind === 'duplicated');
    const refused = await preview('policy', duplicated?.id);
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('No policy can express') } });
    const drafted = await lab.json(`/drift/${edited?.id}/adopt`, { body: { as: 'exception' } });
    expect(drafted).toMatchObject({ status: 201, body: { state: 'draft', items: [own, other] } });
  });

  it('keeps what it knew where nothing can be read', async () => {
    const before = await listDrift();
    const fault = lab.simulator.onRequest(
      { path: /\/(600|606|612|617)\/firewall\/(rules|options)$/ },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      lab.ahead(20 * 60_000);
      await lab.observe();
      expect(toText(await listDrift())).toEqual(toText(before));
    } finally {
      fault.remove();
    }
    await lab.observe();
    expect(toText(await listDrift())).toEqual(toText(before));
  });

  it('stays open when the SMBIOS uuid of its workload is removed, which proves no other workload', async () => {
    const before = await listDrift();
    lab.control.setConfig(FIRST, { smbios1: 'serial=abc' });
    await lab.observe();
    expect(toText(await listDrift())).toEqual(toText(before));
    lab.control.guest(FIRST).configText = configs.get(FIRST) ?? '';
    await lab.observe();
  });

  it('hides accepted drift from the status until it expires or something else is live', async () => {
    const all = await listDrift();
    expect(await readOverall()).toMatchObject({ status: 'stale' });
    const until = new Date(clock.now().getTime() + 40 * 60_000).toISOString();
    const body = { drift_ids: all.map(({ id }) => id), until, reason: 'Until the audit' };
    expect(await lab.json('/drift/accept', { body })).toMatchObject({ status: 200, body: { accepted: all.length } });
    expect(await listDrift()).toEqual([]);
    expect(await readOverall()).toMatchObject({ status: 'active', reasons: [] });
    editLine(FIRST, 1, (line) => line.replace('ACCEPT', 'REJECT'));
    await lab.observe();
    expect(toText(await listDrift())).toEqual([`${FIRST} edited`]);
    expect(await readOverall()).toMatchObject({ status: 'stale', reasons: ['content_differs'] });
    const [other] = await listDrift(`status=accepted&workload_id=${await lab.id(FIRST + 3)}`);
    expect(other).toMatchObject({
      accepted_reason: 'Until the audit',
      actions: expect.arrayContaining(['withdraw_acceptance']),
    });
    expect((await lab.json(`/drift/${other?.id}/accept`, { method: 'DELETE' })).status).toBe(204);
    expect(toText(await listDrift())).toEqual([`${FIRST} edited`, `${FIRST + 3} deleted`]);
    lab.ahead(60 * 60_000);
    expect(await listDrift()).toHaveLength(all.length);
    expect(await readOverall()).toMatchObject({ status: 'stale' });
  });

  it('reconciles one workload only', async () => {
    const from = countCalls();
    const [one] = await listDrift(`status=open&workload_id=${await lab.id(FIRST + 1)}`);
    expect(await lab.json(`/drift/${one?.id}/reconcile`, { method: 'POST' })).toMatchObject({ status: 202 });
    await runWaiting();
    const writes = listWrites(from);
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter(({ path }) => !path.includes(`/${FIRST + 1}/`))).toEqual([]);
  });

  it('reconciles in bulk, and writes nothing a second time', async () => {
    const body = { drift_ids: (await listDrift()).map(({ id }) => id) };
    expect((await lab.json('/drift/reconcile', { body })).status).toBe(202);
    await runWaiting();
    const from = countCalls();
    expect((await lab.json('/drift/reconcile', { body })).status).toBe(202);
    await runWaiting();
    expect(listWrites(from)).toEqual([]);
    await lab.observe();
    expect(toText(await listDrift())).toEqual([]);
    expect((await lab.json(`/drift/${body.drift_ids[0]}/reconcile`, { method: 'POST' })).status).toBe(422);
  });
});
