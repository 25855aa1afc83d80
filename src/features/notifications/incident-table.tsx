'use client';
import { CircleCheck } from 'lucide-react';
import { INCIDENT_SORTS, INCIDENT_STATUSES } from '@/domain/choices';
import { CONDITIONS } from '@/domain/notifications/condition';
import { msg } from '@/lib/i18n/translator';
import { declareList } from '../shared/list/declare-list';
import { choice, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { NOTIFICATION_RULE } from '../shared/list/sources';
import { tenantOrNoneFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { CONDITION_LABELS } from '../shared/notification-labels';
import { INCIDENT_LABELS, incidentColumns } from './incident-columns';

const INCIDENTS = declareList({
  from: 'notificationRules.incidents',
  name: 'incidents',
  id: 'notification-incidents',
  label: msg('Incidents'),
  noun: { one: msg('incident'), many: msg('incidents') },
  search: msg('Search incidents'),
  sorts: INCIDENT_SORTS,
  defaultSort: '-first_seen_at',
  filters: {
    status: choice(msg('State'), INCIDENT_STATUSES, (one) => INCIDENT_LABELS[one].word),
    condition: choice(msg('Condition'), CONDITIONS, (one) => CONDITION_LABELS[one].label),
    rule_id: searched(msg('Rule'), 'id', NOTIFICATION_RULE),
    tenant_id: tenantOrNoneFilter('notification:read'),
  },
  common: ['status'],
  columns: incidentColumns,
  rowId: (incident) => incident.id,
  empty: {
    icon: <CircleCheck />,
    title: msg('No incidents'),
    text: msg(
      'Problems found by rules appear here, and stay for 90 days after recovery. Rules are evaluated once a minute.',
    ),
  },
});

/** What rules found: watched, open and over. */
export function IncidentTable() {
  const list = useList(INCIDENTS);
  return <ListView of={list} />;
}
