import { describe, expect, it } from 'vitest';
import { CONDITIONS } from './condition';
import { formatNoticeMail, type Notice, webhookBody } from './notice-body';
import { noticeText, plainLine } from './notice-text';
import type { IncidentEndReason } from './notification';

const item = (object_name: string, flaps = 0) => ({
  ...{ object_kind: 'node', object_name, detail: `${object_name} has trouble.`, flaps },
});

describe('noticeText', () => {
  it.each(CONDITIONS)('names the one thing, or how many: %s', (condition) => {
    for (const event of ['opened', 'closed'] as const) {
      expect(noticeText(condition, event, [item('alpha')], 1).title).toContain('alpha');
      const many = noticeText(condition, event, [item('alpha'), item('beta')], 14);
      expect(many.title).toContain('14');
      expect(many.detail.split('\n')).toEqual([
        '- alpha: alpha has trouble.',
        '- beta: beta has trouble.',
        'and 12 more',
      ]);
    }
  });

  it('says how often it flapped', () => {
    expect(noticeText('agent_silent', 'opened', [item('n', 1)], 1).detail).toBe('n has trouble. It flapped once.');
    expect(noticeText('agent_silent', 'closed', [item('n', 4)], 1).detail).toContain('4 times');
  });

  it('reports no recovery of what was removed, left or is no longer enforced', () => {
    const formatTitle = (object_kind: string, end_reason: IncidentEndReason) =>
      noticeText('policy_drifted', 'closed', [{ ...item('alpha'), object_kind, end_reason }], 1).title;
    expect(formatTitle('cluster', 'removed')).toBe('Cluster alpha was removed');
    expect(formatTitle('agent', 'removed')).toBe('Node alpha was removed');
    expect(formatTitle('agent', 'left')).toBe('Node alpha left its cluster');
    expect(formatTitle('workload', 'left')).toBe('Workload alpha is no longer visible to the tenant');
    expect(formatTitle('policy', 'not_enforced')).toBe('Policy alpha is no longer enforced');
    const two = [item('alpha'), { ...item('beta'), end_reason: 'removed' as const }];
    expect(noticeText('agent_silent', 'closed', two, 2).title).toBe('Over: 2 agents are stale');
    expect(noticeText('agent_silent', 'closed', [item('alpha'), item('beta')], 2).title).toBe(
      'Resolved: 2 agents are stale',
    );
  });

  it('keeps a name of a cluster from becoming several lines, a header or a wall of text', () => {
    const { title } = noticeText(
      'agent_silent',
      'opened',
      [item(`a\r\nBcc: all@example.org\u202e${'x'.repeat(500)}`)],
      1,
    );
    expect(title).not.toMatch(/[\r\n\u202e]/);
    expect(title.length).toBeLessThanOrEqual(200);
    expect(plainLine(' a\tb\u2028c ', 10)).toBe('a b c');
    expect(plainLine('0123456789', 5)).toBe('0123…');
  });
});

const notice = (items_total: number): Notice => ({
  id: '0192f0c1-7a3b-7c44-9f00-000000000001',
  tenant_id: null,
  rule_id: '0192f0c1-7a3b-7c44-9f00-000000000002',
  rule_name: 'Night\nshift',
  event: 'opened',
  condition: 'policy_drifted',
  title: 'Policy web drifted',
  detail: 'Rules are missing.',
  items: [
    {
      incident_id: '0192f0c1-7a3b-7c44-9f00-000000000003',
      object_kind: 'policy',
      object_id: '0192f0c1-7a3b-7c44-9f00-000000000004',
      object_name: 'web',
      detail: 'Rules are missing.',
      first_seen_at: '2026-01-01T00:00:00.000Z',
      opened_at: '2026-01-01T00:05:00.000Z',
      closed_at: null,
      flaps: 0,
    },
  ],
  items_total,
  created_at: '2026-01-01T00:05:00.000Z',
});

describe('webhookBody and formatNoticeMail', () => {
  it('lead to the one thing, or to the list, when the address of the service is known', () => {
    const url = 'https://fabric.example.org/policies/0192f0c1-7a3b-7c44-9f00-000000000004';
    expect(webhookBody(notice(1), 'https://fabric.example.org', 'Europe/Paris')).toMatchObject({
      url,
      text: `Policy web drifted\nRules are missing.\n${url}\nAt: 2026-01-01 01:05:00 Europe/Paris`,
      rule: { name: 'Night\nshift' },
      incidents: [{ url }],
      incidents_total: 1,
    });
    expect(webhookBody(notice(2), 'https://fabric.example.org', 'UTC').url).toBe(
      'https://fabric.example.org/notifications',
    );
    expect(webhookBody(notice(1), null, 'UTC')).toMatchObject({ url: null, incidents: [{ url: null }] });
    const mail = formatNoticeMail(notice(1), 'https://fabric.example.org', 'Europe/Paris');
    expect(mail.subject).toBe('[Fabric] Policy web drifted');
    expect(mail.text).toContain(`${url}\nRule: Night shift\nAt: 2026-01-01 01:05:00 Europe/Paris\n`);
  });
});
