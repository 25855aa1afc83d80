'use client';
import { useState } from 'react';
import type { PolicyPreview, PreviewWarning } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Checkbox } from '@/ui/checkbox';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { CHANGE_COUNTS, hasNoChanges } from '../../shared/deployments/guest-change-labels';
import { OwnConnectionsNotice } from '../../shared/own-connections/own-connections-notice';
import { UNRESOLVED_LABELS } from '../../shared/policy-endpoints/endpoint-labels';
import { FailingTestsNotice } from '../../shared/policy-tests/test-views';
import { placesText } from '../policy-labels';
import { GuestDiff } from './guest-diff';

/** Number of guests drawn initially; the rest on request. */
const PAGE = 50;

/** A preview: what Fabric itself would lose, totals, what to know before, what resolves to nothing, and the difference at each guest. */
export function PreviewView({ preview, showTests = true }: { preview: PolicyPreview; showTests?: boolean }) {
  const t = useT();
  const { totals, unresolved, warnings, clusters } = preview;
  const [onlyChanges, setOnlyChanges] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const guests = clusters.flatMap((cluster) => cluster.guests.map((guest) => ({ guest, cluster })));
  const listed = onlyChanges ? guests.filter(({ guest }) => !hasNoChanges(guest)) : guests;
  return (
    <div className="flex flex-col gap-4">
      {showTests && <OwnConnectionsNotice connections={preview.own_connections} />}
      <div className="flex flex-wrap items-center gap-2" role="status" aria-label={t('Preview totals')}>
        <Badge>{placesText(t, totals.guests, clusters.length)}</Badge>
        <Badge tone={totals.added > 0 ? 'ok' : 'neutral'}>
          {t('{n, plural, one {# rule added} other {# rules added}}', { n: totals.added })}
        </Badge>
        <Badge tone={totals.removed > 0 ? 'danger' : 'neutral'}>
          {t('{n, plural, one {# rule removed} other {# rules removed}}', { n: totals.removed })}
        </Badge>
        <Badge tone={totals.moved > 0 ? 'info' : 'neutral'}>{t(CHANGE_COUNTS.moved, { n: totals.moved })}</Badge>
        <Badge>{t(CHANGE_COUNTS.kept, { n: totals.kept })}</Badge>
        <Badge tone={totals.option_changes > 0 ? 'warn' : 'neutral'}>
          {t('{n, plural, one {# setting changed} other {# settings changed}}', { n: totals.option_changes })}
        </Badge>
        {totals.dormant > 0 && (
          <Badge tone="warn">
            {t('{n, plural, one {# stored item takes effect} other {# stored items take effect}}', {
              n: totals.dormant,
            })}
          </Badge>
        )}
        {totals.unreadable > 0 && <Badge tone="unknown">{t('{n, number} unreadable', { n: totals.unreadable })}</Badge>}
      </div>
      {showTests && <FailingTestsNotice preview={preview} />}
      {unresolved.length > 0 && (
        <Notice
          tone="warn"
          title={t('{n, plural, one {One endpoint produces no rules} other {# endpoints produce no rules}}', {
            n: unresolved.length,
          })}
        >
          <ul>
            {unresolved.map(({ side, endpoint, reason }) => (
              <li key={`${side} ${endpoint} ${reason}`}>
                {t.rich(side === 'source' ? '{endpoint} (from): {reason}' : '{endpoint} (to): {reason}', {
                  endpoint: <span className="mono">{endpoint}</span>,
                  reason: t(UNRESOLVED_LABELS[reason]),
                })}
              </li>
            ))}
          </ul>
          <p className="text-muted">{t('None of these endpoints widens a rule to all addresses.')}</p>
        </Notice>
      )}
      {warnings.length > 0 && (
        <Section title={t('Before you apply')} bare>
          <ul className="divide-y rounded-md border bg-surface">
            {warnings.map((warning) => (
              <Warning key={`${warning.code} ${warning.cluster_id} ${warning.message}`} warning={warning} />
            ))}
          </ul>
        </Section>
      )}
      {guests.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState title={t('No workloads affected')}>
            {t('No endpoint resolves to a workload, or the policy has no rules, and none of its rules are live.')}
          </EmptyState>
        </div>
      ) : (
        <Section
          title={t('Workloads')}
          bare
          actions={
            // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control.
            <label className="flex items-center gap-2">
              <Checkbox checked={onlyChanges} onCheckedChange={setOnlyChanges} />
              {t('Only workloads that change')}
            </label>
          }
        >
          {listed.length === 0 ? (
            <div className="rounded-lg border bg-surface">
              <EmptyState title={t('No workload would change')}>
                {t('The live rules match the desired rules.')}
              </EmptyState>
            </div>
          ) : (
            <div className="flex flex-col gap-3">
              {listed.slice(0, shown).map(({ guest, cluster }) => (
                <GuestDiff
                  key={guest.workload_id}
                  guest={guest}
                  clusterName={clusters.length > 1 ? cluster.cluster_name : null}
                  open={listed.length <= 5}
                />
              ))}
              {listed.length > shown && (
                <button type="button" className="link self-start" onClick={() => setShown(shown + 4 * PAGE)}>
                  {t('Show more of {n, number} workloads', { n: listed.length })}
                </button>
              )}
            </div>
          )}
        </Section>
      )}
    </div>
  );
}

const GRAVE = new Set([
  'cluster_firewall_off',
  'guest_missing',
  'guest_unreadable',
  'default_policy_changes',
  'dormant_content',
]);

function Warning({ warning }: { warning: PreviewWarning }) {
  const t = useT();
  const { guests, guests_total: total } = warning;
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2">
      <Status tone={GRAVE.has(warning.code) ? 'warn' : 'info'}>
        <span className="whitespace-normal">{warning.message}</span>
      </Status>
      {total > 0 && (
        <p className="pl-4 text-sm text-muted">
          {guests.map(({ name, vmid }) => `${name} (${vmid})`).join(', ')}
          {total > guests.length && ` ${t('and {n, number} more', { n: total - guests.length })}`}
        </p>
      )}
    </li>
  );
}
