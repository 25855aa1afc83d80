import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type {
  OwnConnection,
  OwnRole,
  OwnWorkload,
  OwnWorkloads,
  ProcessReport,
} from '@/domain/own-connections/own-workloads';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { ProtectedConnection } from '@/domain/policy-tests/protected-connection';
import { sqlClient } from '@/server/db/client';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { redisUrl } from '@/test/redis';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';
import { assignAddresses } from '../policy-tests/testing/addresses.fixture';
import { GONE_MS, observeProcess, storeReport } from './report-process';

const WEB = 103;
const DATABASE = 104;
const ADDRESSES = { [WEB]: '10.1.0.3', [DATABASE]: '10.1.0.4' };
const NODE = '198.51.100.10';

const HAS_REDIS = inject('redisServerUrl') !== null;
let lab: PolicyLab;
let admin: Record<string, string>;

const report = (local: string, kind: 'web' | 'worker', changes: Partial<ProcessReport> = {}) =>
  storeReport(
    kind,
    {
      database: { local, remote: ADDRESSES[DATABASE] ?? '', port: 5432 },
      redis: null,
      clusters: [{ local, remote: NODE, port: 8006 }],
      listens: kind === 'web' ? { addresses: ['127.0.0.1'], port: 3000 } : null,
      public: null,
      ...changes,
    },
    `${kind} of a test`,
  );
const list = async (headers = admin) => (await lab.json('/own-workloads', { headers })).body as OwnWorkloads;
const readOwnRole = async (role: OwnRole) => (await list()).items.find((item) => item.role === role) as OwnWorkload;
const answer = (role: OwnRole, vmids: number[], headers = admin) =>
  Promise.all(vmids.map(lab.id)).then((workload_ids) =>
    lab.json(`/own-workloads/${role}`, { method: 'PUT', headers, body: { workload_ids } }),
  );
const draft = (port: string, vmid = DATABASE, owner: object = {}) => ({
  definition: { enforcement_mode: 'enforced', sources: ['any'], targets: [`vmid:${vmid}`], default_action: 'drop' },
  rules: [{ action: 'accept', protocol: 'tcp', destination_ports: [port] }],
  ...owner,
});
const previewConnections = async (body: object, headers = admin): Promise<OwnConnection[]> => {
  const preview = await lab.json('/policy-drafts/preview', { headers, body });
  expect(preview.status, JSON.stringify(preview.body)).toBe(200);
  return (preview.body as PolicyPreview).own_connections;
};

beforeAll(async () => {
  if (HAS_REDIS) vi.stubEnv('REDIS_URL', redisUrl());
  lab = await makePolicyLab();
  await assignAddresses(lab, ADDRESSES);
  await lab.observe();
}, 60_000);
afterAll(() => lab.close());
// The time of the lab runs fast: reports of the test before may have expired.
beforeEach(async () => {
  admin = await bearer(await makeUser('admin'));
  await report(ADDRESSES[WEB] ?? '', 'web');
  await report(ADDRESSES[WEB] ?? '', 'worker');
});

describe('a process', () => {
  it.skipIf(!HAS_REDIS)('reads both ends from its connections to PostgreSQL, Redis and the clusters', async () => {
    const seen = await observeProcess(3000);
    const api = new URL(lab.cluster.api_url);
    expect(seen).toMatchObject({
      database: { local: '127.0.0.1', remote: '127.0.0.1', port: expect.any(Number) },
      redis: { local: '127.0.0.1', remote: '127.0.0.1', port: Number(new URL(redisUrl()).port) },
      clusters: [{ local: '127.0.0.1', remote: api.hostname, port: Number(api.port) }],
      listens: { addresses: ['127.0.0.1'], port: 3000 },
      public: null,
    });
    // Loopback identifies no machine.
    await storeReport('web', seen, 'web of a test');
    await storeReport('worker', seen, 'worker of a test');
    expect((await list()).items.map(({ status }) => status)).toEqual([
      'same_machine',
      'same_machine',
      'same_machine',
      'same_machine',
      'unused',
    ]);
  });

  it('disappears when it no longer reports', async () => {
    expect((await list()).processes).toHaveLength(2);
    lab.ahead(GONE_MS + 60_000);
    expect((await list(await bearer(await makeUser('admin')))).items[0]?.status).toBe('not_reported');
  });
});

describe('own workloads', () => {
  it('appear by address and wait for an answer', async () => {
    expect(await readOwnRole('postgres')).toMatchObject({
      status: 'unanswered',
      addresses: [ADDRESSES[DATABASE]],
      ports: [5432],
      found: [{ vmid: DATABASE, cluster_name: lab.cluster.name }],
      ambiguous: [],
    });
    expect(await list()).toMatchObject({ open: 3 });
  });

  it('appear in the preview before they are confirmed', async () => {
    const found = await previewConnections(draft('443'));
    expect(found).toMatchObject([
      {
        role: 'postgres',
        connection: 'fabric_to_database',
        workload: { id: await lab.id(DATABASE) },
        effect: 'cut',
        confirmed: false,
        packet: { source: ADDRESSES[WEB], destination: ADDRESSES[DATABASE], destination_port: 5432 },
        by: { kind: 'default', side: 'destination' },
        undo: { command: expect.stringContaining(`/${DATABASE}/firewall/options --enable 0`) },
      },
    ]);
    expect(found[0]?.what).toBe('Fabric to PostgreSQL: 10.1.0.3 to 10.1.0.4, tcp/5432');
    expect(await previewConnections(draft('5432'))).toEqual([]);
  });

  it('require an answer when several workloads have the address, and count as cut only after that', async () => {
    await sqlClient()`update ip_addresses set state = 'conflict' where host(address) = ${ADDRESSES[DATABASE] ?? ''}`;
    expect(await readOwnRole('postgres')).toMatchObject({
      status: 'unanswered',
      found: [],
      ambiguous: [{ address: ADDRESSES[DATABASE], workloads: [{ vmid: DATABASE }] }],
    });
    expect(await previewConnections(draft('443'))).toMatchObject([
      { connection: 'fabric_to_database', effect: 'unknown' },
    ]);
    await sqlClient()`update ip_addresses set state = 'active' where host(address) = ${ADDRESSES[DATABASE] ?? ''}`;
  });

  it('can be confirmed once, by users with the permission', async () => {
    const engineer = await bearer(await makeUser('security_engineer'));
    expect((await answer('postgres', [DATABASE], engineer)).status).toBe(403);
    expect((await answer('postgres', [DATABASE])).body).toMatchObject({ status: 'confirmed' });
    for (const role of ['web', 'worker'] as const) await answer(role, [WEB]);
    expect(await list()).toMatchObject({ open: 0 });
    expect(await previewConnections(draft('443'))).toMatchObject([{ effect: 'cut', confirmed: true }]);
    const [record] = await sqlClient()<{ after: object }[]>`
      select after from audit_records where action = 'own_workloads.answered' and object_id = 'postgres'`;
    expect(record?.after).toMatchObject({ workloads: [(await readOwnRole('postgres')).found[0]?.name] });
    // Something else has the address now.
    const database = ADDRESSES[DATABASE] ?? '';
    await sqlClient()`update ip_addresses set workload_id = ${await lab.id(102)} where host(address) = ${database}`;
    expect(await readOwnRole('postgres')).toMatchObject({
      status: 'changed',
      answer: { workloads: [{ vmid: DATABASE }] },
    });
    await sqlClient()`update ip_addresses set workload_id = ${await lab.id(DATABASE)} where host(address) = ${database}`;
    expect(await readOwnRole('postgres')).toMatchObject({ status: 'confirmed' });
  });

  it('become the proposed ends of protected connections without creating any', async () => {
    const { body } = await lab.json('/protected-connections', { headers: admin });
    const items = (body as { items: ProtectedConnection[] }).items;
    expect(items.find(({ template }) => template === 'fabric_to_database')).toMatchObject({
      from: [`vmid:${lab.cluster.name}/${WEB}`],
      to: [`vmid:${lab.cluster.name}/${DATABASE}`],
      ports: ['5432'],
      missing: [],
      test: null,
    });
  });

  it('reject an answer to an outdated version', async () => {
    const { version } = await readOwnRole('web');
    const workload_ids = [await lab.id(WEB)];
    const put = (given: number) =>
      lab.json('/own-workloads/web', { method: 'PUT', headers: admin, body: { workload_ids, version: given } });
    expect(await put(version - 1)).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', version, given_version: version - 1 },
    });
    expect(await put(version)).toMatchObject({ status: 200, body: { version: version + 1 } });
    expect((await put(version)).status).toBe(409);
  });

  it('count with their addresses when they are outside the clusters', async () => {
    expect((await answer('worker', [])).body).toMatchObject({ status: 'outside', answer: { workloads: [] } });
    expect(await previewConnections(draft('443'))).toMatchObject([{ connection: 'fabric_to_database', effect: 'cut' }]);
    const unknown = { method: 'PUT', headers: admin, body: { workload_ids: [lab.cluster.id] } };
    expect(await lab.json('/own-workloads/web', unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'workload_ids' }] },
    });
  });
});

describe('a preview', () => {
  it('says that browsers may be cut where only some clients are still accepted, and that they are where none is', async () => {
    expect(await previewConnections(draft('22', WEB))).toMatchObject([
      { role: 'web', what: 'Browsers to Fabric: clients to 10.1.0.3, tcp/3000', effect: 'cut', packet: null },
      { role: 'web', connection: 'agents_to_fabric', effect: 'cut', packet: { destination_port: 3000 } },
    ]);
    // The nodes are in this network.
    const some = draft('3000', WEB);
    const limited = { ...some, definition: { ...some.definition, sources: ['10.0.0.0/8'] } };
    expect(await previewConnections(limited)).toMatchObject([{ connection: 'browsers_to_fabric', effect: 'unknown' }]);
  });

  it('does not know what happens at a workload that cannot be read', async () => {
    const path = new RegExp(`/${DATABASE}/firewall/rules$`);
    const fault = lab.simulator.onRequest({ path }, { kind: 'respond', status: 500 });
    expect(await previewConnections(draft('443'))).toMatchObject([
      { connection: 'fabric_to_database', effect: 'unknown', packet: null, by: null },
    ]);
    fault.remove();
  });

  it('names nothing to users of a tenant', async () => {
    const tenant = await makeTenant();
    const project = await makeProject(tenant);
    await sqlClient()`update workloads set project_id = ${project.id} where id = ${await lab.id(DATABASE)}`;
    const headers = await bearer(await makeUser('admin', tenant));
    expect(await list(headers)).toEqual({ items: [], open: 0, processes: [] });
    expect(await previewConnections(draft('443'), headers)).toEqual([
      {
        what: "One of Fabric's own connections",
        effect: 'cut',
        confirmed: true,
        ...{ role: null, connection: null, workload: null, packet: null, by: null, undo: null },
      },
    ]);
    expect((await answer('postgres', [DATABASE], headers)).status).toBe(403);
  });
});
