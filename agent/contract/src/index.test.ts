import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFlow, type Flow, flowSchema, heartbeatEnvelopeSchema, heartbeatSchema } from './heartbeat';

const flow: Flow = {
  source_ip: '10.0.0.5',
  destination_ip: '2001:db8::1',
  protocol: 'tcp',
  source_port: 51234,
  destination_port: 443,
  decision: 'observed',
  state: 'ESTABLISHED',
  bytes: 1200,
  packets: 3,
  observed_at: '2026-11-20T12:47:07Z',
  collector: 'ebpf',
};

const heartbeat = {
  protocol_version: 1,
  agent_version: '0.2.0',
  machine_id: '0123456789abcdef0123456789abcdef',
  boot_id: '0190f3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b',
  sequence: 0,
  sent_at: '2026-11-20T12:47:07Z',
  interval_seconds: 30,
  interfaces: [],
  interface_traffic: [],
  flow_diagnostics: null,
  firewall_status: null,
  nftables_ruleset_hash: null,
  flows: [flow],
};

describe('checkFlow', () => {
  it('accepts a flow and drops fields it does not know', () => {
    expect(checkFlow({ ...flow, colour: 'blue' })).toEqual({ ok: true, flow });
  });

  it('names the wrong field', () => {
    const wrong: [Partial<Record<keyof Flow, unknown>>, string][] = [
      [{ source_ip: '10.0.0' }, 'source_ip'],
      [{ source_ip: 'fe80::1%eth0' }, 'source_ip'],
      [{ protocol: 'TCP' }, 'protocol'],
      [{ destination_port: 65536 }, 'destination_port'],
      [{ bytes: -1 }, 'bytes'],
      [{ bytes: 1.5 }, 'bytes'],
      [{ bytes: 2 ** 60 }, 'bytes'],
      [{ decision: 'maybe' }, 'decision'],
      [{ observed_at: 'yesterday' }, 'observed_at'],
      [{ raw: { nested: { deep: 1 } } }, 'raw.nested'],
      [{ raw: { long: 'x'.repeat(501) } }, 'raw.long'],
    ];
    for (const [change, field] of wrong) {
      const check = checkFlow({ ...flow, ...change });
      expect(check.ok ? 'accepted' : check.reason.split(':')[0]).toBe(field);
    }
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (x) => !checkFlow(x).ok));
    const trap = new Proxy(
      {},
      {
        get() {
          throw new Error('trap');
        },
      },
    );
    expect(checkFlow(trap)).toEqual({ ok: false, reason: 'unreadable flow' });
  });

  it('returns a flow that passes the check again unchanged', () => {
    const check = checkFlow({ ...flow, icmp_type: 8, raw: { chain: 'tap100i0-IN', list: [1, 'a', null] } });
    expect(check.ok && checkFlow(check.flow)).toEqual(check);
  });
});

describe('heartbeat', () => {
  it('parses the envelope without its flows, so that one invalid flow does not reject the others', () => {
    const mixed = { ...heartbeat, flows: [flow, { nonsense: true }, 7], later_field: 1 };
    const parsed = heartbeatEnvelopeSchema.parse(mixed);
    expect(parsed.flows.map((f) => checkFlow(f).ok)).toEqual([true, false, false]);
    expect(heartbeatSchema.safeParse(mixed).success).toBe(false);
    expect(heartbeatSchema.parse(heartbeat).flows).toEqual([flowSchema.parse(flow)]);
  });

  it('takes more flows than an agent sends', () => {
    expect(heartbeatEnvelopeSchema.parse({ ...heartbeat, flows: Array(5000).fill(flow) }).flows).toHaveLength(5000);
  });
});
