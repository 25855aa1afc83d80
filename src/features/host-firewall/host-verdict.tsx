import { toAction } from '@/domain/flow-action';
import type { HostPacketVerdict } from '@/domain/host-firewall';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { FirewallRuleLine } from '../shared/firewall-rule';
import { ACTION_LABELS } from '../shared/verdict-labels';
import { hostDeciderText, SCOPE_LABELS } from './host-decider-labels';

type Placed = NonNullable<HostPacketVerdict['decided_by']['rule']>;

function PlacedRule({ rule, group }: { rule: Placed; group: string | null }) {
  const t = useT();
  return (
    <>
      {rule.position !== null && <span className="mono text-faint">{rule.position} </span>}
      <FirewallRuleLine rule={rule} />
      <p className="text-muted">
        {t(SCOPE_LABELS[rule.scope])}
        {group && (
          <>
            {', '}
            {t.rich('In PVE security group {name}', { name: <span className="mono">{group}</span> })}
          </>
        )}
      </p>
    </>
  );
}

/** What happens to the packet at one node, and which rule, default policy or missing reading decides. */
export function HostVerdict({ verdict, readAt }: { verdict: HostPacketVerdict; readAt: string }) {
  const t = useT();
  const { tone, label } = ACTION_LABELS[toAction(verdict.verdict)];
  const { rule, group, undecided_rules: undecided } = verdict.decided_by;
  return (
    <section aria-label={t('Result at {card}', { card: verdict.node_name })} className="flex flex-col gap-1.5">
      <h3 className="flex items-center gap-2 font-medium">
        <span className="mono">{verdict.node_name}</span>
        <Badge tone={tone}>{t(label)}</Badge>
      </h3>
      <p className="text-pretty">
        {hostDeciderText(t, verdict.decided_by)} {t('Last read {time}.', { time: formatDateTime(readAt) })}
      </p>
      {rule && (
        <div className="rounded-md border bg-surface-2 px-3 py-1.5">
          <PlacedRule rule={rule} group={group} />
        </div>
      )}
      {undecided.length > 0 && (
        <ul aria-label={t('Rules that may match')} className="divide-y rounded-md border">
          {undecided.map((candidate) => (
            <li key={`${candidate.scope} ${candidate.position} ${candidate.comment}`} className="px-3 py-1.5">
              <PlacedRule rule={candidate} group={null} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
