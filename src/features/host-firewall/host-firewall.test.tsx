import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { hostOptions } from '@/domain/firewall/host-options';
import { HOST_RULE_STATUSES } from '@/domain/firewall/host-rule-status';
import type { HostFirewallRule, HostPacketVerdict } from '@/domain/host-firewall';
import { HostRuleState } from '../shared/host-rule-state';
import { HostOptions } from './host-options';
import { HostRules } from './host-rules';
import { HostVerdict } from './host-verdict';

const page = renderToStaticMarkup;
const rule: HostFirewallRule = {
  position: 0,
  type: 'in',
  action: 'ACCEPT',
  enabled: true,
  protocol: 'tcp',
  source: null,
  destination: null,
  source_port: null,
  destination_port: '8006',
  icmp_type: null,
  macro: null,
  interface: null,
  log: null,
  comment: 'web interface',
  errors: null,
  owner: 'nobody',
  policy_id: null,
  policy_version: null,
  rule_hash: null,
  status: 'enforced',
  status_reason: null,
};

describe('rules of a host', () => {
  const rules = (list: HostFirewallRule[] | null) =>
    page(<HostRules id="rules" label="Rules" rules={list} none="The default policy applies." />);

  it('show as unknown when they could not be read, which differs from none', () => {
    expect(rules(null)).toContain('could not be read');
    expect(rules(null)).not.toContain('The default policy applies.');
    expect(rules([])).toContain('The default policy applies.');
    expect(rules([])).not.toContain('could not be read');
  });

  it('show as good only when they are enforced everywhere, else with the reason', () => {
    for (const status of HOST_RULE_STATUSES) {
      const shown = page(<HostRuleState rule={{ ...rule, status, status_reason: 'iptables' }} />);
      expect(shown.includes('data-tone="ok"'), status).toBe(status === 'enforced');
      expect(shown).toContain('requires nftables');
    }
    expect(page(<HostRuleState rule={{ ...rule, status: 'invalid', errors: { dest: 'no such alias' } }} />)).toContain(
      'no such alias',
    );
  });
});

describe('options of a host', () => {
  it('show as unknown without a value when they could not be read', () => {
    const shown = page(<HostOptions options={hostOptions('node', null)} />);
    expect(shown.match(/data-tone="unknown"/g)).toHaveLength(hostOptions('node', null).length);
    expect(shown).not.toMatch(/>(On|Off|nolog)</);
  });

  it('mark what is a default', () => {
    const shown = page(<HostOptions options={hostOptions('vnet', { enable: 1 })} />);
    expect(shown.match(/\(default\)/g)).toHaveLength(2);
  });
});

describe('a verdict about a packet at a node', () => {
  const verdict = (decided_by: Partial<HostPacketVerdict['decided_by']>, found: HostPacketVerdict['verdict']) =>
    page(
      <HostVerdict
        readAt="2026-11-23T08:00:00Z"
        verdict={{
          node_id: '01980000-0000-7000-8000-000000000001',
          node_name: 'pve1',
          verdict: found,
          decided_by: {
            kind: 'default',
            detail: 'DROP',
            explanation: '',
            rule: null,
            group: null,
            undecided_rules: [],
            ...decided_by,
          },
        }}
      />,
    );

  it('names the rule with where it is stored', () => {
    const shown = verdict({ kind: 'rule', detail: 'ACCEPT', rule: { ...rule, scope: 'data_center' } }, 'accept');
    expect(shown).toContain('Allowed');
    expect(shown).toContain('Data center');
    expect(shown).toContain('The rule at position 0 matches.');
  });

  it('names the missing reading of an unknown verdict', () => {
    const shown = verdict({ kind: 'unknown', detail: 'unknown_corosync_links' }, 'unknown');
    expect(shown).toContain('Unknown');
    expect(shown).toContain('corosync');
  });
});
