import {
  type DeploymentReason,
  type DeploymentStatus,
  type ShownStatus,
  toDisplayStatus,
} from '@/domain/policy/status';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';
import { Tooltip } from '@/ui/tooltip';
import { REASON_LABELS, STATUS_LABELS } from './deployment-labels';

type Props = {
  status: DeploymentStatus | null;
  reasons: readonly DeploymentReason[];
  /** As shown, where several clusters count; else it follows from the two above. */
  shown?: ShownStatus;
  /** Something is being written right now. */
  working?: boolean;
};

/** Deployment status of a policy; the reason is in the tooltip and, where there is room, beside it. */
export function DeploymentState({ status, reasons, shown, working = false }: Props) {
  const t = useT();
  const { tone, word, meaning } =
    STATUS_LABELS[shown ?? toDisplayStatus({ status, deployments: [{ status, reasons }] })];
  // No rules are desired, but the live state could not be read: that does not prove that no rules exist.
  const unproven = status === null && reasons.includes('unreadable');
  return (
    <Tooltip
      content={
        <span className="flex flex-col gap-1">
          <span>
            {unproven ? t('The policy has no desired rules. Whether live rules remain could not be read.') : t(meaning)}
          </span>
          {reasons.map((reason) => (
            <span key={reason}>{t(REASON_LABELS[reason])}</span>
          ))}
        </span>
      }
      openOnTap
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reasons must be reachable by key. */}
      <span tabIndex={0} className="inline-flex min-w-0 rounded-sm">
        <Status tone={unproven ? 'unknown' : tone} pulse={working}>
          {working ? t('Applying') : unproven ? t('Unknown') : t(word)}
        </Status>
      </span>
    </Tooltip>
  );
}
