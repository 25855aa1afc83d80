import { expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Drift } from '@/domain/change/drift';
import type { Policy } from '@/domain/policies';
import { drive, readLive } from '@/server/enforcement/changes/rollout/testing/rollout-lab.fixture';
import {
  apply,
  at,
  create,
  DEFINITION,
  get,
  lab,
  lines,
  policyRuleLines,
  post,
  prepareDeploymentLab,
  unmanagedRuleLines,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { newId } from '@/server/lib/ids';
import { bearer, makeTenant, makeUser } from '@/test/factories';

prepareDeploymentLab();

type Answer = Change & { errors: { field: string; message: string }[]; given_version: number };
type Policied = Extract<Change['items'][number], { kind: 'policy' }>;

const VMIDS = [100, 101, 102];
const RULES = ['22', '443', '8080'].map((port) => ({ action: 'accept', protocol: 'tcp', destination_ports: [port] }));

function edit(vmid: number, change: (lines: string[]) => string[]): void {
  const file = lab.control.firewall.guestFile(vmid) ?? '';
  lab.control.firewall.setFile(
    `firewall/${vmid}.fw`,
    file.replace(lines(vmid).join('\n'), change(lines(vmid)).join('\n')),
  );
}
const withoutMarkers = (list: readonly string[]) => list.map((line) => line.replace(/\[fabric [^\]]*\]/, ''));
const propose = (items: object[]) => post<Answer>('/changes', { title: 'adopt', items });
const listOpen = async () => (await get<{ items: Drift[] }>('/drift?status=open&sort=workload_name')).items;

/** A policy on three workloads, two of which were edited manually, and another policy that was not. */
async function prepare(): Promise<{ policy: Policy; other: Policy; found: Drift[]; ids: string[] }> {
  edit(100, (list) => ['IN ACCEPT -p udp -dport 53 # by hand', ...list]);
  const policy = await create({ definition: { ...DEFINITION, targets: VMIDS.map(at) }, rules: RULES });
  const other = await create({ definition: { ...DEFINITION, targets: [at(100)] }, rules: RULES.slice(0, 1) });
  await apply(policy);
  await apply(other);
  const ofPolicy = (line: string) => line.includes(`p=${policy.id} `);
  edit(100, (list) => {
    const [first, , third] = list.filter(ofPolicy);
    return list.flatMap((line) => (line === third ? [] : line === first ? line.replace('ACCEPT', 'DROP') : line));
  });
  edit(101, (list) => list.map((line) => (line.includes('443') ? `|${line}` : line)));
  await lab.observe();
  const found = await listOpen();
  const ids = await Promise.all(VMIDS.map((vmid) => lab.id(vmid)));
  return { policy, other, found, ids };
}

/** Applies a change, and reads the workloads again. */
async function carryOut({ id }: Pick<Change, 'id'>): Promise<void> {
  expect((await post(`/changes/${id}/submit`)).status).toBe(200);
  expect((await post(`/changes/${id}/apply`)).status).toBe(202);
  expect(await drive(id)).toBe('awaiting_confirmation');
  await lab.observe();
}

it('adopts differences of several workloads as one edit, however they are asked for', async () => {
  const { policy, other, found, ids } = await prepare();
  expect(found.map(({ vmid, kind }) => `${vmid} ${kind}`).sort()).toEqual([
    '100 deleted',
    '100 edited',
    '101 disabled',
  ]);
  const adopt = (workload_id: string, drift_ids?: string[]) => ({
    ...{ kind: 'adopt', policy_id: policy.id, workload_id, as: 'policy', base_version: 1 },
    ...(drift_ids && { drift_ids }),
  });
  const together = await propose(ids.slice(0, 2).map((id) => adopt(id)));
  const single = await propose(
    [...found].sort((a, b) => a.vmid - b.vmid).map(({ id, workload_id }) => adopt(workload_id, [id])),
  );
  const bulk = await post<Answer>('/drift/adopt', { drift_ids: found.map(({ id }) => id), as: 'policy' });
  expect([together, single, bulk].map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(single.body.content_hash).toBe(together.body.content_hash);
  const [item, ...more] = together.body.items as Policied[];
  expect([item?.policy_id, item?.adopted_from?.map(({ id }) => id), more]).toEqual([policy.id, ids.slice(0, 2), []]);
  expect(bulk.body).toMatchObject({ title: `Adopt 3 differences of ${policy.name}`, items: [{ after: item?.after }] });
  // Sent again with an edit of something else, it is still known what it adopts.
  const sent = {
    kind: 'policy',
    policy_id: policy.id,
    policy: { ...item?.after, rules: item?.after.rules.map(toInput) },
  };
  const items = [sent, { kind: 'policy', policy_id: other.id }];
  const again = await lab.json(`/changes/${bulk.body.id}`, { method: 'PATCH', body: { items } });
  expect(again).toMatchObject({ status: 200, body: { items: [{ adopted_from: [{}, {}] }, { adopted_from: null }] } });
  expect((await post(`/changes/${bulk.body.id}/withdraw`)).status).toBe(200);

  const [unmanaged, others] = [unmanagedRuleLines(100), policyRuleLines(100, other)];
  await carryOut(together.body);
  for (const vmid of VMIDS) {
    expect(policyRuleLines(vmid, policy).map((line) => /^\S+ (\S+).* -dport (\d+)/.exec(line)?.slice(1))).toEqual([
      ['DROP', '22'],
    ]);
  }
  expect([unmanagedRuleLines(100), policyRuleLines(100, other)]).toEqual([unmanaged, others]);
  expect(await listOpen()).toEqual([]);
});

const toInput = ({ id: _, position: __, ...rule }: Policy['rules'][number]) => rule;

it('adopts differences as exceptions that keep what is live, and changes no other workload', async () => {
  const { policy, other, ids } = await prepare();
  const before = VMIDS.map((vmid) => withoutMarkers(lines(vmid)));
  const untouched = readLive(102).rules;
  const items = ids.slice(0, 2).map((workload_id) => ({
    ...{ kind: 'adopt', policy_id: policy.id, workload_id, as: 'exception' },
  }));
  const { body } = await propose(items);
  const edits = body.items as Policied[];
  expect(edits.map(({ adopted_from }) => adopted_from?.map(({ id }) => id))).toEqual([
    ids.slice(0, 2),
    ids.slice(0, 1),
    ids.slice(1, 2),
  ]);
  const others = policyRuleLines(100, other);
  await carryOut(body);
  const isOn = (line: string) => !line.startsWith('|');
  expect(VMIDS.map((vmid) => withoutMarkers(lines(vmid)).filter(isOn))).toEqual(
    before.map((list) => list.filter(isOn)),
  );
  expect([policyRuleLines(100, other), readLive(102).rules]).toEqual([others, untouched]);
  expect(await listOpen()).toEqual([]);
});

it('refuses what cannot be combined or adopted, and names the item', async () => {
  const { policy, other, found, ids } = await prepare();
  const [first = '', second = '', third = ''] = ids;
  const adopt = (workload_id = first, changes: object = {}) => ({
    ...{ kind: 'adopt', policy_id: policy.id, workload_id, as: 'policy', ...changes },
  });
  const same = found.filter(({ workload_id }) => workload_id === second).map(({ id }) => id);
  const cases: [object[], number, string | undefined][] = [
    [[{ kind: 'policy', policy_id: policy.id }, adopt()], 422, 'items.1.policy_id'],
    [[adopt(), { kind: 'policy_delete', policy_id: policy.id }], 422, 'items.0.policy_id'],
    [[adopt(), adopt(second, { as: 'exception' })], 422, 'items.1.as'],
    [[adopt(first, { base_version: 7 })], 409, undefined],
    [[adopt(), adopt(third)], 404, 'items.1.workload_id'],
    [[adopt(newId())], 404, 'items.0.workload_id'],
    [[adopt(first, { policy_id: newId() })], 404, 'items.0.policy_id'],
    [[adopt(first, { policy_id: other.id })], 404, 'items.0.workload_id'],
    [[adopt(first, { drift_ids: same })], 404, 'items.0.drift_ids'],
  ];
  for (const [items, status, field] of cases) {
    const { status: got, body } = await propose(items);
    expect([got, body.errors?.[0]?.field], JSON.stringify(items)).toEqual([status, field]);
  }
  // The other workload has another content of the same rule.
  edit(101, (list) => list.map((line) => (line.includes('-dport 22') ? line.replace('ACCEPT', 'REJECT') : line)));
  await lab.observe();
  const { status, body } = await propose([adopt(), adopt(second)]);
  expect([status, body.errors[0]?.field, body.errors[0]?.message]).toEqual([
    ...[422, 'items.1.workload_id', expect.stringContaining('in another way')],
  ]);
  const tenant = await makeTenant();
  const headers = await bearer(await makeUser('security_engineer', tenant));
  const ask = async (policy_id: string): Promise<{ status: number; body: Answer }> =>
    lab.json('/changes', { method: 'POST', headers, body: { title: 'x', items: [adopt(first, { policy_id })] } });
  const [theirs, unknown] = [await ask(policy.id), await ask(newId())];
  expect([theirs.status, theirs.body.errors]).toEqual([404, unknown.body.errors]);
});
