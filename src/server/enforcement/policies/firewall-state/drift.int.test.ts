import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '@/domain/policies';
import { makePolicyLab, type PolicyLab } from '../testing/policy-lab.fixture';

const GUEST = 103;
let lab: PolicyLab;
let policy: Policy;
let applied: string;
let config: string;

beforeAll(async () => {
  lab = await makePolicyLab();
  policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: [`vmid:${GUEST}`, 'vmid:104'],
      default_action: 'drop',
    },
    rules: ['22', '443', '8080'].map((port) => ({
      action: 'accept',
      protocol: 'tcp',
      destination_ports: [port],
      comment: `port ${port}`,
    })),
  });
  await lab.apply(policy);
  applied = lab.control.firewall.guestFile(GUEST) ?? '';
  config = lab.control.guest(GUEST).configText;
}, 60_000);
afterAll(() => lab.close());

beforeEach(() => {
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied);
  lab.control.firewall.setFile(
    'firewall/cluster.fw',
    lab.control.firewall.file('firewall/cluster.fw')?.replace(/^enable: \d/m, 'enable: 1'),
  );
  lab.control.state.change(() => {
    lab.control.guest(GUEST).configText = config;
    lab.control.guest(GUEST).node = 'pve1';
  });
});

const ruleLines = () => applied.split('\n').filter((line) => line.startsWith('IN '));
/** Edits the lines of the guest's rules manually. */
function edit(change: (lines: string[]) => string[]) {
  const ours = ruleLines();
  const rest = applied.split('\n').filter((line) => !ours.includes(line));
  const header = rest.findIndex((line) => line.trim() === '[RULES]');
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, rest.toSpliced(header + 2, 0, ...change(ours)).join('\n'));
}
const editLine = (at: number, change: (line: string) => string) =>
  edit((lines) => lines.map((line, index) => (index === at ? change(line) : line)));
const option = (from: RegExp, to: string) =>
  lab.control.firewall.setFile(`firewall/${GUEST}.fw`, applied.replace(from, to));

/** One read through the service. */
const readStatus = async () => {
  const { deployment_status, deployments } = await lab.fresh(policy.id);
  return { overall: deployment_status, ...deployments.find(({ cluster_id }) => cluster_id === lab.cluster.id) };
};

describe('drift from out-of-band changes is found in one read', () => {
  it('exactly, and no drift is reported without a change', async () => {
    expect(ruleLines()).toHaveLength(3);
    expect(await readStatus()).toMatchObject({
      overall: 'active',
      status: 'active',
      reasons: [],
      expected: 6,
      live: 6,
      missing: 0,
      outdated: 0,
      leftover: 0,
      guests: 2,
      read_at: expect.any(String),
    });
  });

  it.each<[string, () => void, object]>([
    [
      'action edited',
      () => editLine(1, (line) => line.replace('ACCEPT', 'DROP')),
      { status: 'stale', reasons: ['content_differs'], live: 5, outdated: 1 },
    ],
    [
      'port edited',
      () => editLine(1, (line) => line.replace(/-dport \d+/, '-dport 444')),
      { status: 'stale', reasons: ['content_differs'], live: 5 },
    ],
    [
      'comment edited',
      () => editLine(1, (line) => line.replace(/ port \d+/, ' mine')),
      { status: 'stale', reasons: ['content_differs'] },
    ],
    [
      'rule deleted',
      () => edit((lines) => lines.slice(1)),
      { status: 'partial', reasons: ['missing_rule'], live: 5, missing: 1 },
    ],
    [
      'rule duplicated',
      () => edit((lines) => [...lines, ...lines.slice(2)]),
      { status: 'stale', reasons: ['duplicate_rule'], leftover: 1 },
    ],
    [
      'rule disabled',
      () => editLine(1, (line) => `|${line}`),
      { status: 'partial', reasons: ['disabled_rule'], live: 5 },
    ],
    [
      'rules reordered',
      () => edit((lines) => lines.toReversed()),
      { status: 'stale', reasons: ['order_differs'], live: 6 },
    ],
    [
      'shadowed by a rule of others',
      () => edit((lines) => ['IN DROP -p tcp -dport 22 -log nolog # by hand', ...lines]),
      { status: 'stale', reasons: ['foreign_shadow'], live: 6 },
    ],
    [
      'interface flag off',
      () =>
        lab.control.setConfig(GUEST, {
          net0: /^net0: (.*)$/m.exec(config)?.[1]?.replace(/,?firewall=1/, '') ?? '',
        }),
      { status: 'partial', reasons: ['nic_flag_off'], live: 6 },
    ],
    [
      'guest firewall off',
      () => option(/^enable: 1/m, 'enable: 0'),
      { status: 'partial', reasons: ['guest_firewall_off'] },
    ],
    [
      'cluster firewall off',
      () =>
        lab.control.firewall.setFile(
          'firewall/cluster.fw',
          lab.control.firewall.file('firewall/cluster.fw')?.replace(/^enable: 1/m, 'enable: 0'),
        ),
      { status: 'partial', reasons: ['cluster_firewall_off'] },
    ],
    [
      'default policy changed',
      () => option(/^enable: 1/m, 'enable: 1\npolicy_in: ACCEPT'),
      { status: 'partial', reasons: ['default_policy_differs'] },
    ],
    [
      'version in the marker edited',
      () => editLine(1, (line) => line.replace(/ v=\d+ /, ' v=9 ')),
      { status: 'stale', reasons: ['version_behind'], outdated: 1 },
    ],
  ])('%s', async (_, drift, found) => {
    drift();
    expect(await readStatus()).toMatchObject({ ...found, overall: (found as { status: string }).status });
  });

  it('guest moved to another node, which changes nothing', async () => {
    lab.control.migrate(GUEST, 'pve3');
    expect(await readStatus()).toMatchObject({ overall: 'active', reasons: [] });
  });

  it('guest destroyed', async () => {
    const backup = lab.control.backupGuest(104);
    const guest = lab.control.guest(104);
    lab.control.destroyGuest(104);
    await lab.settle();
    try {
      expect(await readStatus()).toMatchObject({ status: 'partial', reasons: ['guest_missing'], missing: 3 });
    } finally {
      lab.control.state.change(() => lab.control.state.guests.set(104, guest));
      lab.control.restoreGuest(104, backup);
      await lab.settle();
    }
  });

  it('rules copied to a guest by a clone', async () => {
    lab.control.cloneGuest(GUEST, 777, 'copy');
    await lab.settle();
    await lab.sync();
    // Found by reading all guests, since nothing was desired there.
    await lab.observe();
    expect(await readStatus()).toMatchObject({
      status: 'stale',
      reasons: ['leftover'],
      leftover: 3,
      live: 6,
      guests: 3,
    });
    lab.control.destroyGuest(777);
    await lab.settle();
    await lab.sync();
    await lab.observe();
  });
});

describe('the list', () => {
  it('returns what was last read without contacting a cluster', async () => {
    await lab.observe();
    const calls = lab.simulator.log.entries().length;
    const { body } = await lab.json(`/policies?cluster_id=${lab.cluster.id}&deployment_status=active`);
    expect(body).toMatchObject({
      total: 1,
      items: [{ id: policy.id, deployment_status: 'active', last_deployment: { kind: 'apply', status: 'ok' } }],
    });
    expect((await lab.json(`/policies?workload_id=${await lab.id(100)}`)).body).toMatchObject({ total: 0 });
    expect((await lab.json(`/policies/${policy.id}`)).body).toMatchObject({
      deployments: [{ status: 'active', read_at: expect.any(String) }],
    });
    expect(lab.simulator.log.entries()).toHaveLength(calls);
  });

  it('tells that a guest was never read', async () => {
    await lab.sql`delete from guest_firewall_snapshots where workload_id = ${await lab.id(GUEST)}`;
    expect((await lab.json(`/policies/${policy.id}`)).body).toMatchObject({
      deployment_status: 'partial',
      deployments: [{ reasons: ['unreadable'], live: 3, missing: 0, read_at: null }],
    });
  });
});

describe('what cannot be read', () => {
  it('shows as unreadable, neither off nor missing, and the list keeps the earlier snapshot', async () => {
    expect(await readStatus()).toMatchObject({ status: 'active' });
    const fault = lab.simulator.onRequest(
      { path: new RegExp(`/${GUEST}/firewall/(rules|options)$`) },
      { kind: 'respond', status: 500, reason: 'out of order' },
    );
    try {
      expect(await readStatus()).toMatchObject({ status: 'partial', reasons: ['unreadable'], missing: 0, live: 3 });
      const { body } = await lab.json(`/policies?q=${policy.name}`);
      expect(body).toMatchObject({ items: [{ id: policy.id, deployment_status: 'active' }] });
    } finally {
      fault.remove();
    }
  });
});

describe('the three ways of looking at one guest', () => {
  it('show what is intended, what was last applied and what is live', async () => {
    editLine(1, (line) => line.replace(/-dport \d+/, '-dport 444'));
    const { status, body } = await lab.json(`/policies/${policy.id}/guests/${await lab.id(GUEST)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      vmid: GUEST,
      status: 'stale',
      reasons: ['content_differs'],
      policy_version: 1,
      intended: [{ destination_port: '22' }, { destination_port: '443' }, { destination_port: '8080' }],
      last_applied: {
        policy_version: 1,
        drop_in: true,
        applied_at: expect.any(String),
        rules: [{ destination_port: '22' }, { destination_port: '443' }, { destination_port: '8080' }],
      },
      live_rules: [
        { destination_port: '22', owner: 'this_installation' },
        { destination_port: '444' },
        { destination_port: '8080' },
      ],
      difference: {
        missing: [{ destination_port: '443' }],
        surplus: [{ destination_port: '444', reason: 'content_differs' }],
        misplaced: [],
      },
      interfaces: [{ name: 'net0', status: 'on', reasons: [] }],
    });
    const { body: other } = await lab.json(`/policies/${policy.id}/guests/${await lab.id(100)}`);
    expect(other).toMatchObject({ code: 'not_found' });
    const { body: list } = await lab.json(`/policies/${policy.id}/guests?limit=1`);
    expect(list).toMatchObject({
      total: 2,
      items: [{ vmid: GUEST, status: 'stale' }],
      next_cursor: expect.any(String),
    });
  });
});

describe('a policy out of force', () => {
  it('shows as stale while its rules are live, and has no status when they are gone', async () => {
    const { body } = await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { enabled: false } });
    const changed = body as { cleanup: { deployment_id: string }[] };
    expect(await readStatus()).toMatchObject({ overall: 'stale', reasons: ['leftover'], leftover: 6, expected: 0 });
    await lab.carryOut(changed.cleanup);
    const after = await lab.fresh(policy.id);
    expect(after.deployment_status).toBeNull();
    expect(lab.control.firewall.guestFile(GUEST) ?? '').not.toContain('[fabric');
  });
});
