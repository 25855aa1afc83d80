'use client';
import type { Change } from '@/domain/change/change';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';

/** What each owner requires, who decided, and which approvals do not count any more. */
export function ApprovalsSection({ change }: { change: Change }) {
  const t = useT();
  const { approvals, reviews, break_glass_reason: emergency } = change;
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
                <Status tone={approved >= required ? 'ok' : 'warn'}>
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
        {emergency && <p className="text-danger">{t('Applied without approval: {reason}', { reason: emergency })}</p>}
      </div>
    </Section>
  );
}
