import { DAY_MS } from '@/domain/durations';
import { PolicyCreate } from '@/domain/policies';
import { systemScope } from '@/server/auth/scope';
import { createPolicy } from '@/server/enforcement/policies/policies';
import { updateSettings } from '@/server/settings/settings';
import { DEMO_EMAIL } from './accounts';
import { ignoreConflict } from './kept-steps';

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/** Policies of every kind: some enforced, some in audit mode, one that names a deleted object, one disabled. */
const POLICIES: readonly Parameters<typeof PolicyCreate.parse>[0][] = [
  {
    name: 'Customers reach the load balancers',
    description: 'HTTP and HTTPS from everywhere; nothing else is for customers.',
    tier: 'platform_first',
    priority: 100,
    definition: { enforcement_mode: 'enforced', direction: 'in', sources: ['any'], targets: ['sg:load-balancers'] },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['80', '443'], comment: 'Shop' },
      { action: 'accept', protocol: 'icmp', icmp_type: 'echo-request', comment: 'Checks from outside' },
    ],
    reason: 'Replaces the rules on the load balancers themselves',
  },
  {
    name: 'Applications reach PostgreSQL',
    description: 'Services of the shop; replication has a rule of its own.',
    priority: 200,
    ...{ owner: DEMO_EMAIL, ticket: 'NET-412', expires_at: inDays(5) },
    definition: {
      enforcement_mode: 'enforced',
      direction: 'in',
      sources: ['sg:applications'],
      targets: ['pg-01', 'pg-02'],
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['5432'], comment: 'Shop services' }],
    reason: 'Review of the database network',
  },
  {
    name: 'Applications reach the cache',
    priority: 210,
    ...{ owner: DEMO_EMAIL, ticket: 'NET-398' },
    definition: { enforcement_mode: 'enforced', direction: 'in', sources: ['sg:applications'], targets: ['redis-01'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['6379'], comment: 'Sessions' }],
    reason: 'Review of the database network',
  },
  {
    name: 'Web servers reach the balancers only',
    description: 'In audit mode until the traffic of two weeks shows nothing that it would break.',
    priority: 300,
    definition: {
      enforcement_mode: 'audit',
      direction: 'in',
      sources: ['sg:load-balancers'],
      targets: ['sg:web-servers'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['8080'], comment: 'From the balancers' }],
    reason: 'First draft',
  },
  {
    name: 'Databases accept nothing from web servers',
    description: 'Would have dropped the database connections from web-03.',
    priority: 310,
    definition: {
      enforcement_mode: 'audit',
      direction: 'in',
      sources: ['sg:web-servers'],
      targets: ['sg:databases'],
    },
    rules: [{ action: 'drop', protocol: 'any', log: 'info', comment: 'Web servers ask the applications' }],
    reason: 'First draft',
  },
  {
    name: 'Backups by the old backup server',
    description: 'The server was taken down in spring.',
    priority: 400,
    definition: { enforcement_mode: 'enforced', direction: 'in', sources: ['backup-old'], targets: ['file-01'] },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['445'] }],
  },
  {
    name: 'Desktops do not reach each other',
    description: 'Switched off: remote support complained.',
    enabled: false,
    priority: 500,
    definition: { enforcement_mode: 'enforced', direction: 'in', sources: ['sg:desktops'], targets: ['sg:desktops'] },
    rules: [{ action: 'reject', protocol: 'any', log: 'info', comment: 'Peer to peer' }],
  },
  {
    name: 'Monitoring reaches the office servers',
    description: 'Written last week, not applied yet. Teams may override it.',
    tier: 'platform_last',
    priority: 600,
    definition: {
      enforcement_mode: 'enforced',
      direction: 'in',
      sources: ['sg:monitoring'],
      targets: ['file-02', 'plm-01'],
    },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['9182'], comment: 'Windows exporter' },
      { action: 'accept', protocol: 'icmp', icmp_type: 'echo-request' },
    ],
  },
];

/** Writes the demo's policies, which are confirmed four times a year; nothing is applied yet. */
export async function addPolicies(): Promise<void> {
  await updateSettings(systemScope('*', 'demo data'), { policy_recertification_days: 90 });
  for (const policy of POLICIES) {
    await ignoreConflict(() => createPolicy(systemScope('policy:write', 'demo data'), PolicyCreate.parse(policy)));
  }
}
