import type { ReactNode } from 'react';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import { FirewallRuleLine } from './firewall-rule-line';

export type RuleListRow = { rule: FirewallRuleView; mark?: ReactNode };

/** Firewall rules line by line, each with its place when it is live, and a mark. */
export function RuleList({ label, rows }: { label: string; rows: readonly RuleListRow[] }) {
  return (
    <ul aria-label={label} className="divide-y rounded-md border bg-surface">
      {rows.map(({ rule, mark }, index) => (
        // Rules may be there twice, and have no identity but their place in the list.
        // biome-ignore lint/suspicious/noArrayIndexKey: as said.
        <li key={index} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 px-3 py-1.5">
          {mark}
          {rule.position !== null && <span className="mono text-faint">{rule.position}</span>}
          <span className="min-w-0 flex-1 basis-60">
            <FirewallRuleLine rule={rule} />
          </span>
        </li>
      ))}
    </ul>
  );
}
