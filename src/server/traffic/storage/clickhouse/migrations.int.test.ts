import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChdbServer, findChdbProblem, startChdb } from '@/test/chdb-server';
import { MIGRATIONS, STORED_TABLES } from './migrations';

const NONE = '00000000-0000-0000-0000-000000000000';
const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const SETTINGS = {
  allow_suspicious_low_cardinality_types: '1',
  deduplicate_blocks_in_dependent_materialized_views: '1',
};

/** A report of one flow; the newest tuple is interface, VMID, NIC, VLAN, observer, state, collector, initiator, ICMP, record. */
const makeRow = ({ state = 'ESTABLISHED', ...values }: Record<string, unknown> = {}) => {
  const at = values.observed_at ?? '2026-11-27 10:00:31.000';
  return {
    ...{ began_at: '2026-11-27 10:00:00', conversation_id: id(1), forward: true, decision: 'observed', node_id: id(2) },
    ...{ cluster_id: id(3), protocol: 'tcp', source_ip: '::ffff:10.0.0.1', destination_ip: '2001:db8::1' },
    ...{ source_port: 40_000, destination_port: 443, bytes: 100, packets: 1, opening_icmp: null },
    ...{ first_seen_at: '2026-11-27 10:00:01.000', observed_at: at, created_at: at, updated_at: at },
    ...{ source_workload_id: NONE, destination_workload_id: NONE, source_cidr: '10.0.0.0/24', destination_cidr: '' },
    newest: [at, 'tap100i0', 100, 0, null, NONE, state, 'ebpf', 'source', null, null, null],
    ...{
      source_prefix: '10.0.0.0/24',
      destination_prefix: '2001:db8::/48',
      service_port: 443,
      reply: false,
      is_new: true,
      is_resolvable: false,
    },
    ...values,
  };
};

describe.skipIf(findChdbProblem() !== null)('tables of flows in ClickHouse', () => {
  let server: ChdbServer;
  let batches = 0;

  beforeAll(async () => {
    server = await startChdb();
    for (const { statements } of MIGRATIONS) for (const statement of statements) await server.run(statement, SETTINGS);
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    for (const table of ['flows', 'rollup_minutes', 'rollup_hours']) await server.run(`truncate table ${table}`);
  });

  const insertBatch = (rows: readonly object[], batch = `batch ${++batches}`) =>
    server.insert('INSERT INTO incoming_flows FORMAT JSONEachRow', rows.map((row) => JSON.stringify(row)).join('\n'), {
      ...SETTINGS,
      ...{ insert_deduplicate: '1', insert_deduplication_token: batch },
    });
  const readFlow = () =>
    server.run('select bytes, packets, tupleElement(newest, 7), source_workload_id from flows final');
  const readTotals = (table: string) => server.run(`select sum(bytes), sum(packets), sum(flows) from ${table}`);

  it('have a list of those with rows', async () => {
    const found = await server.run(
      `select name from system.tables where database = currentDatabase() and engine like '%MergeTree' order by name`,
    );
    expect([...STORED_TABLES].sort()).toEqual(found.split('\n'));
  });

  it('adds up the reports of a flow, and keeps what was seen last', async () => {
    await insertBatch([makeRow()]);
    await insertBatch([
      makeRow({ observed_at: '2026-11-27 10:02:31.000', bytes: 50, is_new: false, state: 'TIME_WAIT' }),
    ]);
    await insertBatch([makeRow({ observed_at: '2026-11-27 10:00:01.000', bytes: null, packets: null, is_new: 0 })]);
    const expected = `150\t2\tTIME_WAIT\t${NONE}`;
    expect(await readFlow()).toBe(expected);
    await server.run('optimize table flows final');
    expect(await readFlow()).toBe(expected);
    for (const table of ['rollup_minutes', 'rollup_hours']) expect(await readTotals(table)).toBe('150\t2\t1');
    expect(await server.run('select count() from rollup_minutes final')).toBe('2');
  });

  it('counts a batch that is sent again once, in all tables', async () => {
    const rows = [makeRow(), makeRow({ began_at: '2026-11-26 10:00:00', conversation_id: id(7) })];
    for (let times = 0; times < 3; times++) await insertBatch(rows, 'repeated');
    expect(await server.run('select sum(bytes), count() from flows final')).toBe('200\t2');
    for (const table of ['rollup_minutes', 'rollup_hours']) expect(await readTotals(table)).toBe('200\t2\t2');
    await insertBatch(rows, 'another one');
    expect(await readTotals('rollup_minutes')).toBe('400\t4\t4');
  });

  it('completes a batch that only some tables got', async () => {
    await insertBatch([makeRow()], 'torn');
    await server.run('truncate table rollup_hours');
    await insertBatch([makeRow()], 'torn');
    expect(await readFlow()).toBe(`100\t1\tESTABLISHED\t${NONE}`);
    for (const table of ['rollup_minutes', 'rollup_hours']) expect(await readTotals(table)).toBe('100\t1\t1');
  });

  it('sorts ids by their second half, so that few parts of a table have flows of one address', async () => {
    await server.run(`insert into flows (began_at, conversation_id, forward, decision, node_id, source_workload_id)
      select '2026-11-27 10:00:00', reinterpretAsUUID(concat(unhex('0000000000000080'), reverse(unhex(concat('a', leftPad(hex(number % 64), 3, '0'), leftPad(hex(number), 12, '0')))))),
        true, 'observed', '${id(2)}', reinterpretAsUUID(concat(reinterpretAsString(number % 64), unhex('00000000000000a1'))) from numbers(200000)`);
    await server.run('optimize table flows final');
    const explained = await server.run(`explain indexes = 1 select count() from flows
      where source_workload_id = (select source_workload_id from flows where conversation_id = (select max(conversation_id) from flows))`);
    const [, read, all] = /by_source[\s\S]*?Granules: (\d+)\/(\d+)/.exec(explained) ?? [];
    expect([Number(read), Number(all) > 20]).toEqual([expect.toSatisfy((n: number) => n >= 1 && n <= 3), true]);
  });

  it('fills in an end by a row with nothing else, whichever comes first', async () => {
    const fill = (conversation: string) =>
      server.run(`insert into flows (began_at, conversation_id, forward, decision, node_id, bytes, packets, first_seen_at, created_at, source_workload_id)
        select '2026-11-27 10:00:00', '${conversation}', true, 'observed', '${id(2)}', null, null, '2299-01-01 00:00:00', '2299-01-01 00:00:00', '${id(9)}'`);
    await insertBatch([makeRow()]);
    await fill(id(1));
    await fill(id(4));
    await insertBatch([makeRow({ conversation_id: id(4) })]);
    await server.run('optimize table flows final');
    const read = `select bytes, protocol, source_ip, first_seen_at, source_workload_id from flows order by conversation_id`;
    const row = `100\ttcp\t::ffff:10.0.0.1\t2026-11-27 10:00:01.000\t${id(9)}`;
    expect(await server.run(read)).toBe(`${row}\n${row}`);
  });
});
