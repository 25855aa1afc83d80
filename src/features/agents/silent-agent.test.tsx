import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Agent, AgentDetail } from '@/domain/agent';
import { english } from '@/lib/i18n/translator';
import { staleSince } from '../shared/agents/agent-state';
import { agentColumns } from './agent-columns';
import { listFirewallProperties, listIdentityProperties, listVisibilityProperties } from './agent-properties';
import { Collectors } from './collectors';

type Diagnostics = Parameters<typeof Collectors>[0]['diagnostics'];
const TOTALS = { flows: 3, bytes: 4096, packets: 7 };
const diagnostics = {
  collectors: [{ name: 'conntrack', state: 'active', detail: null }],
  seen: TOTALS,
  left_out: { ...TOTALS, flows: 1 },
  bridge_nf_call_iptables: true,
  bridge_nf_call_ip6tables: true,
  nf_conntrack_acct: true,
  nf_conntrack_count: 10,
  nf_conntrack_max: 100,
  conntrack_path: '/usr/sbin/conntrack',
} as unknown as Diagnostics;
const firewall = {
  implementation: 'iptables',
  cluster_enabled: true,
  service_running: true,
  rules_loaded: true,
  guest_chains: 3,
} as Parameters<typeof listFirewallProperties>[1];
const SINCE = '2026-11-20T10:00:00.000Z';
const agent = {
  id: 'n',
  node_id: 'n',
  node_name: 'pve1',
  cluster_id: 'c',
  cluster_name: 'lab',
  status: 'silent',
  agent_version: '0.2.0',
  machine_id: 'm',
  enrolled_at: SINCE,
  last_heartbeat_at: SINCE,
  interval_seconds: 30,
  clock_offset_ms: 59_000,
  firewall_status: null,
  nftables_ruleset_hash: 'abc',
  collectors: [{ name: 'firewall_log', state: 'unavailable' }],
  outdated: true,
  token_replacement: null,
  unconfirmed: { waiting: 0, refused: 0 },
} as unknown as AgentDetail;

const collectors = (asOf: string | null) => renderToStaticMarkup(<Collectors diagnostics={diagnostics} asOf={asOf} />);
type Facts = ReturnType<typeof listIdentityProperties>;
const renderProperties = (items: Facts) =>
  new Map(items.map(({ label, value }) => [label, renderToStaticMarkup(value)] as const));
const counts = { flow_count: 5, interface_count: 2 };
const renderAllProperties = (asOf: string | null) =>
  new Map([
    ...renderProperties(listFirewallProperties(english, firewall, 'abc', asOf)),
    ...renderProperties(listVisibilityProperties(english, diagnostics, counts, asOf)),
  ]);
const hasAsOfTime = (html: string) => html.includes(`data-as-of="${SINCE}"`) && html.includes(`dateTime="${SINCE}"`);

describe('the last report of a stale agent', () => {
  it('names the last state of a collector and does not show it as working', () => {
    expect(collectors(null)).toContain('data-tone="ok"');
    expect(collectors(SINCE)).not.toContain('data-tone="ok"');
    expect(collectors(SINCE)).toContain('Unknown, last: Working');
    expect(hasAsOfTime(collectors(SINCE))).toBe(true);
  });

  it('shows every value of the firewall and of the traffic gray and with its age', () => {
    const values = renderAllProperties(SINCE);
    expect(values.size).toBe(15);
    for (const [label, html] of values) expect([label, hasAsOfTime(html)]).toEqual([label, true]);
    for (const html of renderAllProperties(null).values()) expect(html).not.toContain('data-as-of');
    const text = [...values.values()].join();
    expect(text).not.toContain('data-tone="ok"');
    for (const state of ['On', 'Running', 'Loaded']) expect(text).toContain(`Unknown, last: ${state}`);
  });

  it('shows version, interval and clock of its page gray and with their age', () => {
    const values = renderProperties(listIdentityProperties(english, agent));
    for (const label of ['Version', 'Interval', 'Node clock'])
      expect([label, hasAsOfTime(values.get(label) ?? '')]).toEqual([label, true]);
    const reporting = renderProperties(listIdentityProperties(english, { ...agent, status: 'degraded' }));
    for (const html of reporting.values()) expect(html).not.toContain('data-as-of');
  });

  it('shows its values in the list gray and with their age', () => {
    const cells = (one: Agent) =>
      new Map(
        agentColumns(english, { onInstall: () => {}, reason: null }).map(({ id, cell }) => [
          id,
          renderToStaticMarkup(cell(one)),
        ]),
      );
    const reported = ['collectors', 'agent_version', 'clock_offset_ms', 'interval_seconds', 'nftables_ruleset_hash'];
    for (const id of reported) expect([id, hasAsOfTime(cells(agent).get(id) ?? '')]).toEqual([id, true]);
    for (const html of cells({ ...agent, status: 'ok' }).values()) expect(html).not.toContain('data-as-of');
    const healthy = cells({ ...agent, collectors: [{ name: 'conntrack', state: 'active' }] });
    expect(healthy.get('collectors')).not.toContain('Nothing');
  });

  it('comes from the former token until a new one has reported', () => {
    expect(staleSince({ status: 'pending', last_heartbeat_at: SINCE })).toBe(SINCE);
    expect(staleSince({ status: 'pending', last_heartbeat_at: null })).toBeNull();
    expect(staleSince({ status: 'ok', last_heartbeat_at: SINCE })).toBeNull();
  });
});
