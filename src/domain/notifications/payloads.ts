import type { CHANNEL_TEMPLATES } from '../choices';
import type { Condition } from './condition';
import { localTime, withLocalTimes } from './local-time';
import { getNoticeLink, type Notice, webhookBody } from './notice-body';
import { plainLine } from './notice-text';
import { MAX_ITEMS, type NotificationItem } from './notification';
import { objectPage } from './object-page';

/** How a channel wants its notices. */
export type Rendering = {
  readonly template: (typeof CHANNEL_TEMPLATES)[number];
  /** The address of this service; without it messages have no links. */
  readonly public_url: string | null;
  /** Of the times in texts. */
  readonly time_zone: string;
  /** The integration key of PagerDuty. */
  readonly routing_key: string | null;
};

type Payload = Record<string, unknown> | readonly Record<string, unknown>[];
type Template = (notice: Notice, rendering: Rendering) => Payload[];

const LOOK: Record<Notice['event'], { word: string; slack: string; teams: string }> = {
  opened: { word: 'Problem', slack: '#d93f3f', teams: 'Attention' },
  closed: { word: 'Recovery', slack: '#2e9e5b', teams: 'Good' },
  test: { word: 'Test', slack: '#3a78d8', teams: 'Accent' },
};

const formatNoticeTime = (notice: Notice, { time_zone }: Rendering) => localTime(notice.created_at, time_zone);
const formatNoticeDetail = (notice: Notice, { time_zone }: Rendering) => withLocalTimes(notice.detail, time_zone);
const formatRuleName = (notice: Notice) => (notice.rule_name === null ? null : plainLine(notice.rule_name, 100));

/** Slack reads `&`, `<` and `>` as markup: https://api.slack.com/reference/surfaces/formatting#escaping */
const escapeSlackText = (text: string, max: number) =>
  plainText(text, max).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Several lines without other control characters, cut to `max`. */
const plainText = (text: string, max: number) => {
  const clean = text
    .split('\n')
    .map((line) => plainLine(line, max))
    .join('\n');
  return clean.length <= max ? clean : `${clean.slice(0, max - 1)}…`;
};

/** An incoming webhook of Slack: blocks beside a fallback text. */
const slack: Template = (notice, rendering) => {
  const url = getNoticeLink(notice, rendering.public_url);
  const rule = formatRuleName(notice);
  const context = [LOOK[notice.event].word, rule && `Rule: ${rule}`, formatNoticeTime(notice, rendering)].filter(
    Boolean,
  );
  // A section takes 3000 characters; escaping can make five of one.
  const detail = escapeSlackText(formatNoticeDetail(notice, rendering), 580);
  return [
    {
      text: escapeSlackText(notice.title, 200),
      attachments: [
        {
          color: LOOK[notice.event].slack,
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: plainLine(notice.title, 150) } },
            ...(detail === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: detail } }]),
            { type: 'context', elements: [{ type: 'mrkdwn', text: escapeSlackText(context.join(' · '), 400) }] },
            ...(url === null
              ? []
              : [
                  {
                    type: 'actions',
                    elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open in Fabric' }, url }],
                  },
                ]),
          ],
        },
      ],
    },
  ];
};

/** Adaptive Cards read Markdown in texts: what could be markup is escaped. */
const escapeTeamsText = (text: string, max: number) => plainText(text, max).replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');

/** The Workflows webhook of Microsoft Teams ("Send webhook alerts to a channel"): a message with an Adaptive Card. */
const teams: Template = (notice, rendering) => {
  const url = getNoticeLink(notice, rendering.public_url);
  const rule = formatRuleName(notice);
  const facts = [
    { title: 'Event', value: LOOK[notice.event].word },
    ...(rule === null ? [] : [{ title: 'Rule', value: escapeTeamsText(rule, 200) }]),
    { title: 'Time', value: formatNoticeTime(notice, rendering) },
  ];
  const detail = escapeTeamsText(formatNoticeDetail(notice, rendering), 4000).replaceAll('\n', '\n\n');
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      {
        type: 'TextBlock',
        text: escapeTeamsText(notice.title, 200),
        size: 'Large',
        weight: 'Bolder',
        wrap: true,
        color: LOOK[notice.event].teams,
      },
      ...(detail === '' ? [] : [{ type: 'TextBlock', text: detail, wrap: true }]),
      { type: 'FactSet', facts },
    ],
    ...(url !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Open in Fabric', url }] }),
  };
  return [
    {
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
    },
  ];
};

const SEVERITY: Partial<Record<Condition, 'critical' | 'error'>> = {
  suspicious_traffic_critical: 'critical',
  sync_failed: 'error',
  agent_silent: 'error',
  policy_drifted: 'error',
  policy_test_failing: 'error',
  change_break_glass: 'error',
  change_rollback_incomplete: 'error',
  node_firewall_not_compiling: 'error',
};

const toSeverity = ({ event, condition }: Notice) =>
  event === 'test' ? 'info' : ((condition && SEVERITY[condition]) ?? 'warning');

/** The incidents of a notice; a test has none and is one itself. */
type Matter = Pick<NotificationItem, 'object_kind' | 'object_id' | 'object_name' | 'detail'> & {
  key: string;
  since: string;
  until: string | null;
  url: string | null;
};

function listIncidents(notice: Notice, { public_url, time_zone }: Rendering): Matter[] {
  if (notice.event === 'test') {
    const url = getNoticeLink(notice, public_url);
    const object = { object_kind: 'notification', object_id: null, object_name: 'Fabric', detail: notice.detail };
    return [{ ...object, key: `test-${notice.id}`, since: notice.created_at, until: null, url }];
  }
  return notice.items.map((item) => ({
    object_kind: item.object_kind,
    object_id: item.object_id,
    object_name: plainLine(item.object_name, 200),
    detail: plainLine(withLocalTimes(item.detail, time_zone), 1000),
    key: item.incident_id,
    since: item.first_seen_at,
    until: notice.event === 'closed' ? (item.closed_at ?? notice.created_at) : item.closed_at,
    url: public_url === null ? null : `${public_url}${objectPage(item)}`,
  }));
}

/** The Events API v2 of PagerDuty: one event for each incident, so that each of them is resolved by itself. A test resolves itself, and so does what is over before it is sent. */
const pagerduty: Template = (notice, rendering) => {
  const { routing_key, public_url } = rendering;
  return listIncidents(notice, rendering).flatMap((matter) => {
    const key = { routing_key, dedup_key: `fabric-${matter.key}` };
    const resolve = { ...key, event_action: 'resolve' };
    if (notice.event === 'closed') return [resolve];
    const trigger = {
      ...key,
      event_action: 'trigger',
      client: 'Fabric',
      ...(public_url !== null && { client_url: public_url }),
      payload: {
        summary: plainLine(notice.event === 'test' ? notice.title : `${matter.object_name}: ${matter.detail}`, 1024),
        source: matter.object_name,
        severity: toSeverity(notice),
        timestamp: matter.since,
        component: matter.object_kind,
        class: notice.condition ?? 'test',
        custom_details: {
          detail: matter.detail,
          rule: formatRuleName(notice),
          first_seen: localTime(matter.since, rendering.time_zone),
        },
      },
      ...(matter.url !== null && { links: [{ href: matter.url, text: 'Open in Fabric' }] }),
    };
    return notice.event === 'test' || matter.until !== null ? [trigger, resolve] : [trigger];
  });
};

/** Alertmanager ends an alert without an end after some minutes; Fabric reports an incident once, and its end when it is over. */
const FIRING_MS = 30 * 86_400_000;
const TEST_MS = 60_000;

const addMilliseconds = (iso: string, ms: number) => new Date(Date.parse(iso) + ms).toISOString();

/** The API v2 of Alertmanager (`POST /api/v2/alerts`): one alert for each incident. Labels alone identify it. */
const alertmanager: Template = (notice, rendering) => [
  listIncidents(notice, rendering).map((matter) => ({
    labels: {
      alertname: `Fabric_${notice.condition ?? 'test'}`,
      incident: matter.key,
      severity: toSeverity(notice),
      object_kind: matter.object_kind,
      ...(matter.object_id !== null && { object_id: matter.object_id }),
      ...(notice.tenant_id !== null && { tenant_id: notice.tenant_id }),
    },
    annotations: {
      summary: notice.event === 'test' ? notice.title : matter.object_name,
      description: matter.detail,
      ...(notice.rule_name !== null && { rule: formatRuleName(notice) }),
      first_seen: localTime(matter.since, rendering.time_zone),
    },
    startsAt: matter.since,
    endsAt: matter.until ?? addMilliseconds(notice.created_at, notice.event === 'test' ? TEST_MS : FIRING_MS),
    ...(matter.url !== null && { generatorURL: matter.url }),
  })),
];

const TEMPLATES: Record<Rendering['template'], Template> = {
  fabric: (notice, { public_url, time_zone }) => [webhookBody(notice, public_url, time_zone)],
  slack,
  teams,
  pagerduty,
  alertmanager,
};

/** Incidents in one request, where the receiver is sent each by itself. */
const INCIDENTS_PER_REQUEST: Partial<Record<Rendering['template'], number>> = {
  pagerduty: 1,
  alertmanager: MAX_ITEMS,
};

/** How many incidents a channel with this template is sent in one step; all of them where they are one message. */
export const getIncidentsPerStep = (template: Rendering['template']): number =>
  INCIDENTS_PER_REQUEST[template] ?? Number.POSITIVE_INFINITY;

/** The steps in which a notice is sent, each with the incidents that it reports. */
export function splitNotice<N extends Notice>(notice: N, template: Rendering['template']): N[] {
  const size = getIncidentsPerStep(template);
  if (notice.event === 'test' || !Number.isFinite(size)) return [notice];
  const steps: N[] = [];
  for (let start = 0; start < notice.items.length; start += size)
    steps.push({ ...notice, items: notice.items.slice(start, start + size) });
  return steps;
}

/**
 * The JSON texts that a webhook is sent for a notice, one for each request. Deliveries and previews both show what this
 * returns.
 */
export const renderPayloads = (notice: Notice, rendering: Rendering): string[] =>
  TEMPLATES[rendering.template](notice, rendering).map((payload) => JSON.stringify(payload));
