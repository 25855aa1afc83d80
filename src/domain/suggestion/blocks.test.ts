import { describe, expect, it } from 'vitest';
import { buildBlocks, type Groups, scoreBlocks } from './blocks';
import type { Talk } from './classify';
import { DEFAULT_WIDTHS } from './compute';

const CLIENTS = Array.from({ length: 10 }, (_, n) => `client-${n}`);
const SERVERS = ['server-0', 'server-1'];
const GROUPS: Groups = {
  members: [CLIENTS, SERVERS],
  groupOf: new Map([...CLIENTS.map((id) => [id, 0] as const), ...SERVERS.map((id) => [id, 1] as const)]),
};

const peer = (id: string): Talk['client'] =>
  id.includes('.') ? { workload_id: null, ip: id, external: true } : { workload_id: id, ip: '', external: false };
const talk = (client: string, server: string, values: Partial<Talk> = {}): Talk => ({
  client: peer(client),
  server: peer(server),
  service: { protocol: 'tcp', port: 443, icmp_type: null },
  conversations: 4,
  held_out: 1,
  bytes: null,
  first_seen: 0,
  last_seen: 1,
  ...values,
});
const build = (talks: readonly Talk[], narrow = true) => buildBlocks(talks, GROUPS, DEFAULT_WIDTHS, narrow);

describe('a block', () => {
  it('names only the workloads that were seen where groups would be far more', () => {
    const few = [talk('client-0', 'server-0'), talk('client-3', 'server-0')];
    const [narrow, wide] = [build(few), build(few, false)];
    expect(narrow).toMatchObject([
      { client: { ids: ['client-0', 'client-3'] }, server: { ids: ['server-0'] }, allowed: 2, used: 2 },
    ]);
    expect(wide).toMatchObject([{ client: { group: 0 }, server: { group: 1 }, allowed: 20, used: 2 }]);
    expect(narrow[0]?.allows(talk('client-1', 'server-0'))).toBe(false);
    expect(wide[0]?.allows(talk('client-1', 'server-0'))).toBe(true);
  });

  it('names the groups where a fifth of their pairs was seen', () => {
    const many = CLIENTS.slice(0, 4).map((id) => talk(id, 'server-0'));
    expect(build(many)).toMatchObject([{ client: { group: 0 }, server: { group: 1 }, allowed: 20, used: 4 }]);
  });

  it('allows what was only held out if it is of the same groups and service', () => {
    const seen = CLIENTS.map((id) => talk(id, 'server-0'));
    const later = [
      talk('client-0', 'server-1', { conversations: 0, held_out: 3 }),
      talk('server-0', 'server-1', { conversations: 0, held_out: 7 }),
    ];
    const talks = [...seen, ...later];
    expect(scoreBlocks(build(talks), talks)).toEqual({
      coverage: { training: 1, held_out: 13 / 20 },
      tightness: 11 / 20,
    });
  });

  it('counts addresses outside by /24, and none where all are chosen', () => {
    const talks = ['198.51.100.1', '198.51.100.2', '203.0.113.1'].map((ip) => talk(ip, 'server-0'));
    expect(build(talks)).toMatchObject([{ allowed: 4, used: 2 }]);
    const anywhere = { default: 'networks' as const, services: { 'in tcp/443': 'anywhere' as const } };
    expect(buildBlocks(talks, GROUPS, anywhere, true)).toMatchObject([
      { client: { networks: ['any'] }, allowed: null },
    ]);
  });
});
