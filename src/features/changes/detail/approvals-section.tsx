'use client';
import type { Change } from '@/domain/change/change';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
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
        {change.expiry && <ApprovedExpiries expiry={change.expiry} />}
        {!isRequired && !change.expiry && (
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

/** What was approved with the policy: why it is removed, and what that allows. */
function ApprovedExpiries({ expiry }: { expiry: NonNullable<Change['expiry']> }) {
  const t = useT();
  return (
    <>
      <p className="text-muted">{t('The expiry was approved with the policy, so its removal needs no approval.')}</p>
      <ul aria-label={t('Approved expiries')} className="divide-y rounded-md border">
        {expiry.map((one) => (
          <li key={one.rule_id ?? one.policy_id} className="flex flex-col gap-1 px-3 py-2">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {one.rule_position === null
                ? t('The policy {name}', { name: one.policy_name })
                : t('Rule {n} of {name}', { n: one.rule_position + 1, name: one.policy_name })}
              <span className="text-muted">{t.rich('expired {at}', { at: <RelativeTime at={one.expires_at} /> })}</span>
            </span>
            <span className="text-muted">
              {t.rich('Set by {name} in version {version}, {at}.', {
                name: one.set_by.name,
                version: one.version,
                at: <RelativeTime at={one.set_at} />,
              })}
            </span>
            {one.approved_by.map(({ id, name, at }) => (
              <span key={id ?? name} className="text-muted">
                {t.rich('Approved by {name}, {at}.', { name, at: <RelativeTime at={at} /> })}
              </span>
            ))}
            {one.change_id !== null && (
              <Link className="link self-start" href={paths.change({ changeId: one.change_id })}>
                {t('Show the approved change')}
              </Link>
            )}
            {one.widens_access && (
              <span className="text-warn">{t('It denies packets: without it more may pass.')}</span>
            )}
          </li>
        ))}
      </ul>
    </>
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
