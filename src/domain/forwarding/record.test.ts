import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForwardingDestinationInput } from './destination';
import {
  createTestEvent,
  type ForwardedRecord,
  formatJson,
  formatSyslog,
  formatWithin,
  frameSyslog,
  toConversationEvent,
} from './record';

const AT = '2026-01-31T12:00:00.123Z';
const record = (more: object = {}): ForwardedRecord => ({
  ...createTestEvent('fabric.example.org', 'id', AT, 'Ada'),
  ...more,
});

describe('formatJson', () => {
  it('makes one line of printable ASCII that reads back as it was, whatever a record holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (state) => {
        const line = formatJson(record({ before: state }));
        expect(line).toMatch(/^[\x20-\x7e]*$/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(record({ before: state }))));
      }),
    );
  });
});

describe('formatWithin', () => {
  it('leaves out the longest fields first, names them, and never exceeds the limit', () => {
    const large = record({ after: { text: 'x'.repeat(3000) }, action: 'a'.repeat(900), small: 1 });
    expect(formatWithin(large, 10_000).shortened).toBe(false);
    const { line, shortened } = formatWithin(large, 2048);
    expect(shortened).toBe(true);
    expect(JSON.parse(line)).toMatchObject({ id: 'id', action: 'a'.repeat(900), small: 1, omitted: ['after'] });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.string({ maxLength: 2000 })),
        fc.integer({ min: 300, max: 5000 }),
        (state, max) => {
          const shorter = formatWithin({ ...state, ...record() }, max);
          expect(shorter.line.length).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

describe('formatSyslog', () => {
  it('makes a message of RFC 5424, framed by its length in bytes', () => {
    const { message } = formatSyslog(record({ type: 'audit', host: 'fabric münchen', text: 'ü' }), 8192);
    expect(message).toMatch(
      /^<109>1 2026-01-31T12:00:00\.123Z fabricmnchen fabric - audit - \{"type":"audit",.*"text":"\\u00fc"\}$/,
    );
    expect(frameSyslog(message)).toBe(`${Buffer.byteLength(message)} ${message}`);
    expect(formatSyslog(record({ text: 'x'.repeat(9000) }), 2048).message.length).toBeLessThanOrEqual(2048);
  });
});

describe('toConversationEvent', () => {
  it('makes a flat object that says how the action is known', () => {
    const end = { ip: '10.0.0.1', port: 1, workload_id: null, workload_name: null, cidr: null };
    const base = {
      ...{
        id: 'id',
        revision: 2,
        cluster_id: 'c',
        cluster_name: 'munich',
        protocol: 'tcp',
        service_port: 443,
        client: end,
      },
      ...{ server: { ...end, ip: '10.0.0.2', port: 443, workload_name: 'web' }, icmp_type: null, icmp_code: null },
      ...{
        bytes: 3,
        packets: 2,
        client_bytes: 1,
        client_packets: 1,
        server_bytes: 2,
        server_packets: 1,
        duration_ms: 5,
      },
      ...{ first_seen_at: AT, last_seen_at: AT, nodes: [{ id: 'n', name: null }] },
    };
    const event = toConversationEvent('h', { ...base, action: 'allowed', decision: 'observed' });
    expect(event).toMatchObject({
      reason: 'replied',
      service: 'https',
      server_workload: 'web',
      nodes: ['n'],
      cluster: 'munich',
    });
    expect(toConversationEvent('h', { ...base, action: 'dropped', decision: 'drop' }).reason).toBe('logged');
    const nested = Object.entries(event).filter(([, value]) => typeof value === 'object' && value !== null);
    expect(nested.map(([name]) => name)).toEqual(['nodes']);
  });
});

describe('ForwardingDestinationInput', () => {
  const http = { kind: 'http', name: 'a', streams: ['audit'], url: 'https://siem.example.org/x' };
  const isValid = (more: object) => ForwardingDestinationInput.safeParse({ ...http, ...more }).success;

  it('refuses headers that change a request, and values with line breaks', () => {
    expect(isValid({ header_value: 'Bearer x' })).toBe(true);
    for (const header_name of ['Host', 'content-length', 'Transfer-Encoding', 'fabric-batch', 'a b', ''])
      expect(isValid({ header_name, header_value: 'x' }), header_name).toBe(false);
    expect(isValid({ header_value: 'a\r\nb: c' })).toBe(false);
    expect(isValid({ ca_certificates: 'not a certificate' })).toBe(false);
    expect(isValid({ streams: [] })).toBe(false);
  });
});
