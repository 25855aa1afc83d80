import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANNEL_TEMPLATES } from '../choices';
import type { Notice } from './notice-body';
import { type Rendering, renderPayloads } from './payloads';

const id = (n: number) => `0192f0c1-7a3b-7c44-9f00-00000000000${n}`;
const item = (n: number, more: object = {}) => ({
  incident_id: id(n),
  object_kind: 'policy',
  object_id: id(n + 4),
  object_name: `policy-${n}`,
  detail: 'A live rule was edited at 2026-11-24T01:00:00.000Z.',
  first_seen_at: '2026-11-24T01:00:00.000Z',
  opened_at: '2026-11-24T01:05:00.000Z',
  closed_at: null,
  flaps: 0,
  ...more,
});
const notice = (event: Notice['event'], more: Partial<Notice> = {}): Notice => ({
  id: id(9),
  tenant_id: null,
  rule_id: id(8),
  rule_name: 'Night shift',
  event,
  condition: event === 'test' ? null : 'policy_drifted',
  title: '2 policies drifted',
  detail: '- policy-1: edited at 2026-11-24T01:00:00.000Z\n- policy-2: edited',
  items: event === 'test' ? [] : [item(1), item(2)],
  items_total: event === 'test' ? 0 : 2,
  created_at: '2026-11-24T01:05:00.000Z',
  ...more,
});
const rendering = (template: Rendering['template'], more: Partial<Rendering> = {}): Rendering => ({
  template,
  public_url: 'https://fabric.example.org',
  time_zone: 'Europe/Berlin',
  routing_key: template === 'pagerduty' ? 'R0KEY' : null,
  ...more,
});
// biome-ignore lint/suspicious/noExplicitAny: payloads of five receivers
const renderPayload = (template: Rendering['template'], given: Notice): any[] =>
  renderPayloads(given, rendering(template)).map((body) => JSON.parse(body));

describe('renderPayloads', () => {
  it.each(CHANNEL_TEMPLATES)('names the time zone of times and leads to Fabric: %s', (template) => {
    const bodies = renderPayloads(notice('opened'), rendering(template)).join();
    expect(bodies).toContain('Europe/Berlin');
    expect(bodies).toContain('https://fabric.example.org');
    expect(renderPayloads(notice('opened'), rendering(template, { public_url: null })).join()).not.toContain(
      '"http://fab',
    );
  });

  it('sends one event to PagerDuty for each incident, and resolves exactly these', () => {
    const opened = renderPayload('pagerduty', notice('opened'));
    expect(opened.map(({ event_action, routing_key }) => [event_action, routing_key])).toEqual([
      ['trigger', 'R0KEY'],
      ['trigger', 'R0KEY'],
    ]);
    expect(opened[0].payload).toMatchObject({ source: 'policy-1', severity: 'error', class: 'policy_drifted' });
    const closed = renderPayload('pagerduty', notice('closed', { items: [item(2)], items_total: 1 }));
    expect(closed).toEqual([{ routing_key: 'R0KEY', dedup_key: opened[1].dedup_key, event_action: 'resolve' }]);
    const test = renderPayload('pagerduty', notice('test'));
    expect(test.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
    expect(test[1].dedup_key).toBe(test[0].dedup_key);
  });

  it('sends Alertmanager the same labels for the end of an alert, which is over then', () => {
    const [opened] = renderPayload('alertmanager', notice('opened'));
    const [closed] = renderPayload(
      'alertmanager',
      notice('closed', { items: [item(1, { closed_at: '2026-11-24T02:00:00.000Z' }), item(2)] }),
    );
    expect(opened).toHaveLength(2);
    expect(closed.map(({ labels }: { labels: object }) => labels)).toEqual(
      opened.map(({ labels }: { labels: object }) => labels),
    );
    expect(closed[0].endsAt).toBe('2026-11-24T02:00:00.000Z');
    // Without an end in the future it would resolve by itself after some minutes.
    expect(Date.parse(opened[0].endsAt) - Date.parse(opened[0].startsAt)).toBeGreaterThan(7 * 86_400_000);
  });

  it('sends Teams a message with an Adaptive Card', () => {
    const [{ type, attachments }] = renderPayload('teams', notice('opened'));
    expect([type, attachments[0].contentType, attachments[0].content.type]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
    ]);
  });

  it('keeps names from becoming markup, and every text within the limits of the receiver', () => {
    const hostile = fc.oneof(
      fc.string({ maxLength: 3000, unit: 'binary' }),
      fc.constantFrom('<!channel> <https://evil|x> &', '[x](https://evil)', '**b** _i_ `c`\n# h', '"]}', '\u2028\0'),
      fc.string({ minLength: 3000, maxLength: 3000, unit: fc.constantFrom('&', '<', 'a\n') }),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (title, detail, name) => {
        const given = notice('opened', {
          title,
          detail,
          rule_name: name,
          items: [item(1, { object_name: name, detail })],
          items_total: 1,
        });
        const [slack] = renderPayload('slack', given);
        const [header, section] = slack.attachments[0].blocks;
        expect(header.text.text.length).toBeLessThanOrEqual(150);
        for (const { type, text } of slack.attachments[0].blocks)
          if (type === 'section') expect(text.text.length).toBeLessThanOrEqual(3000);
        expect(JSON.stringify([slack.text, section])).not.toMatch(/<[!@#h]/);
        const [teams] = renderPayload('teams', given);
        expect(JSON.stringify(teams.attachments[0].content.body)).not.toMatch(/(?<!\\)\]\(/);
        const [event] = renderPayload('pagerduty', given);
        expect(event.payload.summary.length).toBeLessThanOrEqual(1024);
        expect(event.dedup_key.length).toBeLessThanOrEqual(255);
        expect(renderPayload('alertmanager', given)[0]).toHaveLength(1);
      }),
    );
  });
});
