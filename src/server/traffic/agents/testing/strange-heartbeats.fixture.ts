import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { call } from '@/test/request';
import { makeFlow, makeFlows, makeHeartbeat } from './heartbeat.fixture';
import { makeDiagnostics } from './reporting-agent.fixture';

/** A body of any kind, with the headers it is sent with. */
export type StrangeHeartbeat = { body: string | Uint8Array; headers?: Record<string, string>; what: string };

const json = (what: string, value: unknown): StrangeHeartbeat => ({ body: JSON.stringify(value), what });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const withFlows = (text: string) => JSON.stringify(makeHeartbeat()).replace('"flows":[]', `"flows":${text}`);

/** Bodies that break parsers, validators or stores elsewhere. */
export const CORPUS: readonly StrangeHeartbeat[] = [
  ...['', '{', '[]', 'null', '0', '""', '{}', '{"flows":[]}', 'NaN', '\ufeff{}', '{"a":1}{"b":2}', nested(5_000)].map(
    (body) => ({ body, what: `text ${body.slice(0, 20)}` }),
  ),
  { body: new Uint8Array([0xff, 0xfe, 0x00]), what: 'no UTF-8' },
  { body: gzipSync('{"flows":'), headers: { 'content-encoding': 'gzip' }, what: 'gzip of half a JSON' },
  { body: gzipSync('x'.repeat(1000)).subarray(0, 20), headers: { 'content-encoding': 'gzip' }, what: 'half a gzip' },
  { body: gzipSync(gzipSync('{}')), headers: { 'content-encoding': 'gzip' }, what: 'gzip twice' },
  { body: '{}', headers: { 'content-encoding': 'br' }, what: 'another coding' },
  { body: '{}', headers: { 'content-type': 'text/plain' }, what: 'another type' },
  ...[nested(3_000), '{"__proto__":{"x":1}}', '[{"constructor":1}]', `[${'0,'.repeat(5_000)}0]`, '[1e999]', '[-0]'].map(
    (flows) => ({
      body: withFlows(flows),
      what: `flows ${flows.slice(0, 20)}`,
    }),
  ),
  { body: withFlows('[]').replace('"sequence":0', '"sequence":9007199254740991'), what: 'the largest sequence' },
  { body: withFlows('[]').replace('"sequence":0', '"sequence":9007199254740993'), what: 'beyond the largest' },
  json(
    'times at the ends of the calendar',
    makeHeartbeat(
      ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2026-02-30T00:00:00Z', '1969-12-31T23:59:59Z'].map(
        (observed_at) => makeFlow({ observed_at }),
      ),
      { sent_at: '9999-12-31T23:59:59Z' },
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    json(
      'counts at the limit',
      makeHeartbeat([], {
        flow_diagnostics: makeDiagnostics({
          flows: Number.MAX_SAFE_INTEGER,
          left_out: Number.MAX_SAFE_INTEGER,
          packets: Number.MAX_SAFE_INTEGER,
          table_full_packets: Number.MAX_SAFE_INTEGER,
        }),
      }),
    ),
  ),
  json('a clock at the beginning of time', makeHeartbeat(makeFlows(2), { sent_at: '0000-01-01T00:00:00Z' })),
  json(
    'odd addresses',
    makeHeartbeat(
      ['::', '0.0.0.0', '255.255.255.255', '::ffff:10.0.0.1', '64:ff9b::1', 'ff02::1', '1::', '::1'].map((source_ip) =>
        makeFlow({ source_ip }),
      ),
    ),
  ),
  json(
    'the largest counters, twice',
    makeHeartbeat([1, 2].map(() => makeFlow({ bytes: Number.MAX_SAFE_INTEGER, packets: Number.MAX_SAFE_INTEGER }))),
  ),
  json(
    'text that no database stores',
    makeHeartbeat([makeFlow({ state: '\0', collector: '\ud800', raw: { '\0': '\udfff', 'a\\"{},NULL': 'x\\"{}' } })]),
  ),
  json('unstorable text in the envelope', makeHeartbeat([], { agent_version: '\0' })),
  json(
    'SQL and array syntax',
    makeHeartbeat(
      ['NULL', '{}', '"', '\\', "'; drop table traffic_flows; --", '{a,b}', '\n', '$1'].map((state, i) =>
        makeFlow({ state, interface: state, source_port: i }),
      ),
    ),
  ),
  json(
    'interfaces named twice',
    makeHeartbeat([], {
      interfaces: ['a', 'a', '"', '{'].map((name) => ({
        name,
        kind: 'tap',
        rx_bytes: 1,
        rx_packets: 1,
        rx_errors: 0,
        rx_dropped: 0,
        tx_bytes: 1,
        tx_packets: 1,
        tx_errors: 0,
        tx_dropped: 0,
      })),
    }),
  ),
];

const anything = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(null, true, '', [], {}, -1, 1e300, '\0'),
);
const HOUR = 3_600_000;
const moment = (min: number, max: number) =>
  fc
    .date({ noInvalidDate: true, min: new Date(Date.now() + min * HOUR), max: new Date(Date.now() + max * HOUR) })
    .map((date) => date.toISOString());
/** Mostly within the retention, some around its border and in the future, some anywhere. */
const time = fc.oneof(
  { weight: 8, arbitrary: moment(-20, 0) },
  { weight: 2, arbitrary: moment(-30, 10) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
);
/** Few addresses and ports, so that the same identities come again and again. */
const flow = fc
  .record(
    {
      source_ip: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1') },
        fc.ipV4(),
        fc.ipV6(),
      ),
      source_port: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 40 }) }, fc.nat(70_000)),
      decision: fc.constantFrom('accept', 'drop', 'reject', 'observed'),
      bytes: fc.oneof(fc.maxSafeNat(), fc.constant(null)),
      packets: fc.oneof(fc.maxSafeNat(), fc.constant(null)),
      delta_bytes: fc.maxSafeNat(),
      delta_packets: fc.maxSafeNat(),
      first_seen_at: time,
      observed_at: time,
      state: fc.string({ unit: 'binary', maxLength: 33 }),
      vmid: fc.nat(200),
      vlan: fc.nat(4_200),
      raw: fc.dictionary(
        fc.string({ unit: 'binary', maxLength: 10 }),
        fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null)),
        { maxKeys: 3 },
      ),
    },
    { requiredKeys: [] },
  )
  .chain((values) =>
    // Both ends have one family in most of them.
    fc
      .oneof(
        { weight: 7, arbitrary: fc.constant(values.source_ip?.includes(':') ? '2001:db8::2' : '198.51.100.20') },
        { weight: 1, arbitrary: fc.ipV6() },
      )
      .map((destination_ip) => ({ ...makeFlow(), ...values, destination_ip })),
  );
const spoiled = fc
  .tuple(flow, fc.constantFrom(...Object.keys(makeFlow())), anything)
  .map(([good, field, value]) => ({ ...good, [field]: value }));

const flows = fc.array(
  fc.oneof({ weight: 6, arbitrary: flow }, { weight: 2, arbitrary: spoiled }, { weight: 1, arbitrary: anything }),
  { maxLength: 12 },
);
const envelope = makeHeartbeat();
const spoiledEnvelope = fc
  .tuple(flows, fc.constantFrom(...Object.keys(envelope)), anything)
  .map(([list, field, value]) => ({ ...makeHeartbeat(list), [field]: value }));

/** Two of three heartbeats have a good envelope; some come again, with the same sequence. */
export const strangeHeartbeat: fc.Arbitrary<StrangeHeartbeat> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        list: flows,
        sequence: fc.nat(30),
        boot: fc.nat(3),
        sent_at: fc.option(time, { nil: undefined }),
        observed_since: fc.option(time, { nil: undefined }),
        gzip: fc.boolean(),
      })
      .map(({ list, sequence, boot, sent_at, observed_since, gzip }) => {
        const boot_id = boot === 0 ? randomUUID() : `0190a0a0-0000-7000-8000-00000000000${boot}`;
        const times = { ...(sent_at && { sent_at }), ...(observed_since && { observed_since }) };
        const text = JSON.stringify(makeHeartbeat(list, { sequence, boot_id, ...times }));
        return gzip
          ? { body: gzipSync(text), headers: { 'content-encoding': 'gzip' }, what: text }
          : { body: text, what: text };
      }),
  },
  { weight: 2, arbitrary: spoiledEnvelope.map((value) => json('a spoiled envelope', value)) },
  { weight: 1, arbitrary: fc.constantFrom(...CORPUS) },
  { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ unit: 'binary' })).map((body) => ({ body, what: body })) },
);

const EXPECTED = new Set([200, 400, 403, 413, 415]);

/**
 * Sends a heartbeat and checks the promise: an answer that says what became of every flow, or a refusal; never a failure.
 * @throws Error that names the heartbeat
 */
export async function sendStrange(one: StrangeHeartbeat, agent: { authorization: string }): Promise<number> {
  const headers = { 'content-type': 'application/json', ...agent, ...one.headers };
  const response = await call('/agents/heartbeat', { method: 'POST', body: one.body, headers });
  const text = await response.text();
  const fail = (why: string) => new Error(`${why}: ${text.slice(0, 300)} for ${one.what.slice(0, 2_000)}`);
  if (!EXPECTED.has(response.status)) throw fail(`status ${response.status}`);
  if (response.status !== 200) return response.status;
  const { accepted, updated, rejected, duplicate } = JSON.parse(text);
  const sent = one.what.startsWith('{') ? JSON.parse(one.what).flows?.length : undefined;
  if (!duplicate && sent !== undefined && accepted + updated + rejected.length !== sent)
    throw fail('flows are missing');
  return 200;
}
