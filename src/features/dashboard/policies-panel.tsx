import { ShieldCheck } from 'lucide-react';
import type { PolicyStandings } from '@/domain/dashboard/dashboard';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { STATUS_LABELS } from '../shared/deployment-labels';
import { DeploymentState } from '../shared/deployment-state';
import { PolicyLink } from '../shared/entity-links';
import { Figures, ShareBar } from './figures';

const TONES = { active: 'ok', pending: 'off', partial: 'warn', stale: 'danger', unresolved: 'danger' } as const;
const SHOWN = ['active', 'pending', 'stale', 'partial', 'unresolved'] as const;

/** Where policies stand, and those that are not as they should be. */
export function PoliciesPanel({ policies, mayWrite }: { policies: PolicyStandings; mayWrite: boolean }) {
  const t = useT();
  const { attention } = policies;
  const troubled = policies.partial + policies.stale + policies.unresolved;
  if (policies.total === 0) {
    return (
      <div className="flex-1 rounded-lg border bg-surface">
        <EmptyState
          icon={<ShieldCheck />}
          title={t('No policies yet')}
          action={
            mayWrite && (
              <Link className={buttonClass()} href={paths.newPolicy()}>
                {t('Create policy')}
              </Link>
            )
          }
        >
          {t('In audit mode, a policy only shows the traffic it would deny.')}
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="flex flex-1 flex-col rounded-lg border bg-surface">
      <div className="flex flex-col gap-3 p-4">
        <ShareBar shares={SHOWN.map((status) => ({ id: status, tone: TONES[status], count: policies[status] }))} />
        <Figures
          label={t('Policies by status')}
          items={[
            ...SHOWN.map((status) => ({
              id: status,
              word: t(STATUS_LABELS[status].word),
              tone: STATUS_LABELS[status].tone,
              count: policies[status],
              href: paths.policies({ shown_status: status }),
            })),
            {
              id: 'audit',
              word: t('In audit mode'),
              tone: 'info',
              count: policies.audit,
              href: paths.policies({ enforcement_mode: 'audit', enabled: 'true' }),
            },
            {
              id: 'disabled',
              word: t('Disabled'),
              tone: 'off',
              count: policies.disabled,
              href: paths.policies({ enabled: 'false' }),
            },
          ]}
        />
      </div>
      {attention.length > 0 && (
        <ul aria-label={t('Policies needing attention')} className="divide-y border-t">
          {attention.map(({ policy_id, policy_name, status, reasons }) => (
            <li key={policy_id} className="flex items-center gap-3 px-4 py-1.5">
              <span className="min-w-0 flex-1 truncate">
                <PolicyLink id={policy_id} name={policy_name} />
              </span>
              <DeploymentState status={status} reasons={reasons} />
            </li>
          ))}
        </ul>
      )}
      {attention.length < troubled && (
        <p className="mt-auto border-t px-4 py-1.5 text-sm text-faint">
          {t('Top {n, number} of {total, number}', { n: attention.length, total: troubled })}
        </p>
      )}
    </div>
  );
}
