'use client';
import type { Change } from '@/domain/change/change';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { WorkloadLink } from '../../shared/entity-links';

/** What each owner requires, who decided, and which approvals do not count any more. */
export function ApprovalsSection({ change }: { change: Change }) {
  const t = useT();
  const { approvals, reviews, break_glass_reason: emergency, changed_since_review: difference } = change;
  const isRequired = approvals.some(({ required }) => required > 0);
  return (
    <Section id="approvals" title={t('Approvals')}>
      <div className="flex flex-col gap-3">
        {!isRequired && (
          <p className="text-muted">{t('No approval is required. An author never counts as approver.')}</p>
        )}
        {isRequired && (
          <ul aria-label={t('Required approvals')} className="flex flex-col gap-1">
            {approvals.map(({ tenant_id, tenant_name, required, approved, rule }) => (
              <li key={tenant_id ?? ''} className="flex flex-wrap items-center gap-x-3">
                <span className="font-medium">{tenant_name ?? t('Installation')}</span>
                <Status tone={approved >= required ? 'ok' : change.applied_at ? 'off' : 'warn'}>
                  {t('{approved, number} of {required, number} approvals', { approved, required })}
                </Status>
                <span className="text-muted">
                  {rule.scope === 'all' ? t('Required for every change') : t('Required for changes of enforced rules')}
                </span>
              </li>
            ))}
          </ul>
        )}
        {reviews.length > 0 && (
          <ul aria-label={t('Decisions')} className="divide-y rounded-md border">
            {reviews.map(({ id, by, decision, comment, at, revoked }) => (
              <li key={id} className="flex flex-col gap-1 px-3 py-2">
                <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <Badge tone={revoked !== null ? 'off' : decision === 'approve' ? 'ok' : 'danger'}>
                    {decision === 'approve' ? t('Approved') : t('Rejected')}
                  </Badge>
                  {by.name}
                  <span className="text-muted">
                    <RelativeTime at={at} />
                  </span>
                </span>
                {comment && <p className="text-pretty [overflow-wrap:anywhere]">{comment}</p>}
                {revoked !== null && <p className="text-warn">{t('Revoked: {reason}', { reason: t(revoked) })}</p>}
              </li>
            ))}
          </ul>
        )}
        {difference && <Difference difference={difference} />}
        {emergency && <p className="text-danger">{t('Applied without approval: {reason}', { reason: emergency })}</p>}
      </div>
    </Section>
  );
}

type Changed = NonNullable<Change['changed_since_review']>;

const CHANGES: Record<Changed['workloads'][number]['change'], string> = {
  added: msg('now changed as well'),
  removed: msg('no longer changed'),
  before: msg('filtered differently now'),
  after: msg('filtered differently after the change'),
};
/** Workloads that are named; of more than these, the number. */
const NAMED = 50;

/** What the change compiles to since its submission, so that approvals were revoked. */
function Difference({ difference: { at, workloads } }: { difference: Changed }) {
  const t = useT();
  return (
    <Notice tone="warn" title={t('Changed since the review')}>
      <p>
        {t.rich('The inventory or live rules changed {at}. Approvals before that were revoked.', {
          at: <RelativeTime at={at} />,
        })}
      </p>
      <ul aria-label={t('Workloads that differ')} className="flex flex-col">
        {workloads.slice(0, NAMED).map(({ workload_id, workload_name, change }) => (
          <li key={workload_id}>
            <WorkloadLink id={workload_id} name={workload_name} />{' '}
            <span className="text-muted">{t(CHANGES[change])}</span>
          </li>
        ))}
      </ul>
      {workloads.length > NAMED && (
        <p className="text-muted">{t('and {n, number} more', { n: workloads.length - NAMED })}</p>
      )}
    </Notice>
  );
}
