'use client';
import { ADDRESS_WIDTHS, type AddressWidth } from '@/domain/suggestion/prefixes';
import type { SuggestedPolicy, Suggestion, SuggestionEvidence } from '@/domain/suggestion/suggestion';
import { formatBytes, formatCount, formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Checkbox } from '@/ui/checkbox';
import { Section } from '@/ui/section';
import { Select } from '@/ui/select';
import { RelativeTime } from '@/ui/values';
import { POLICY_KIND_LABELS, WIDTH_LABELS } from './suggestion-labels';
import type { Choices } from './use-suggestion';

/** The policies of the draft, each rule with what it was made from. */
export function SuggestedPolicies({ suggestion, choices }: { suggestion: Suggestion; choices: Choices }) {
  const t = useT();
  const { policies, close, version } = suggestion;
  return (
    <Section
      bare
      title={t('Policies')}
      description={t('Each rule allows exactly what is listed, in audit mode.')}
      actions={
        <label htmlFor="close-rest" className="flex items-center gap-2">
          <Checkbox
            id="close-rest"
            checked={close}
            onCheckedChange={(next) => choices.choose({ close: next, version })}
          />
          {t('Drop everything else')}
        </label>
      }
    >
      <ul className="divide-y rounded-lg border bg-surface">
        {policies.map((one) => (
          <li key={one.policy.name} className="flex flex-col gap-2 px-3 py-3">
            <Head of={one} />
            {one.width_keys.length > 0 && <Widths keys={one.width_keys} suggestion={suggestion} choices={choices} />}
            {one.rules.map(({ rule, evidence }) => (
              <p key={`${rule.protocol} ${rule.destination_ports.join()} ${rule.icmp_type}`} className="text-muted">
                <span className="font-mono text-text">
                  {[rule.protocol, ...rule.destination_ports, rule.icmp_type].filter(Boolean).join('/')}
                </span>{' '}
                {evidence && <Evidence of={evidence} />}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Head({ of: { kind, policy } }: { of: SuggestedPolicy }) {
  const t = useT();
  const { sources, targets } = policy.definition;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium [overflow-wrap:anywhere]">{policy.name}</span>
        <Badge>{t(POLICY_KIND_LABELS[kind])}</Badge>
      </div>
      <p className="font-mono text-sm [overflow-wrap:anywhere]">
        {sources.join(', ')} → {targets.join(', ')}
      </p>
    </div>
  );
}

function Evidence({ of }: { of: SuggestionEvidence }) {
  const t = useT();
  const { conversations, held_out, bytes, allowed, used, peers, peers_total, last_seen_at } = of;
  return (
    <>
      {t('{n, plural, one {# conversation} other {# conversations}}', { n: conversations + held_out })}
      {bytes !== null && <>, {formatBytes(bytes)}</>}
      {', '}
      {allowed === null
        ? t('not measured: anywhere')
        : t('{used} of {allowed} pairs used ({share})', {
            used: formatCount(used),
            allowed: formatCount(allowed),
            share: formatPercent(allowed === 0 ? 0 : used / allowed),
          })}
      {', '}
      {t.rich('last seen {at}', { at: <RelativeTime at={last_seen_at} /> })}
      <span className="block truncate text-sm">
        {peers.map(({ client, server }) => `${client} → ${server}`).join(', ')}
        {peers_total > peers.length && ` ${t('and {n, number} more', { n: peers_total - peers.length })}`}
      </span>
    </>
  );
}

type WidthsProps = { keys: readonly string[]; suggestion: Suggestion; choices: Choices };

/** How addresses without a workload are written. */
function Widths({ keys, suggestion: { widths, version }, choices }: WidthsProps) {
  const t = useT();
  return (
    <div className="flex flex-wrap gap-3">
      {keys.map((key) => {
        const [direction, service = ''] = key.split(' ');
        const label =
          direction === 'in' ? t('Clients of {service}', { service }) : t('Servers of {service}', { service });
        return (
          <span key={key} className="flex items-center gap-2">
            <span className="text-muted">{label}</span>
            <Select<AddressWidth>
              size="sm"
              aria-label={label}
              placeholder={t('As seen')}
              value={widths[key] ?? null}
              onValueChange={(width) => choices.choose({ widths: { [key]: width }, version })}
              options={ADDRESS_WIDTHS.map((value) => ({ value, label: t(WIDTH_LABELS[value]) }))}
            />
          </span>
        );
      })}
    </div>
  );
}
