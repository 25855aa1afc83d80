'use client';
import { useState } from 'react';
import type { PolicyPreview, PreviewWarning } from '@/domain/policy-preview';
import { formatCount } from '@/lib/format';
import { Badge } from '@/ui/badge';
import { Checkbox } from '@/ui/checkbox';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { UNRESOLVED_WORDS } from '../../shared/deployment-words';
import { placesText } from '../policy-words';
import { GuestDiff } from './guest-diff';
import { changesNothing } from './guest-diff-summary';

/** Guests drawn at once; the rest on request. */
const PAGE = 50;

/** A preview: totals, what to know before, what stands for nothing, and the difference at each guest. */
export function PreviewView({ preview }: { preview: PolicyPreview }) {
  const { totals, unresolved, warnings, clusters } = preview;
  const [onlyChanges, setOnlyChanges] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const guests = clusters.flatMap((cluster) => cluster.guests.map((guest) => ({ guest, cluster })));
  const listed = onlyChanges ? guests.filter(({ guest }) => !changesNothing(guest)) : guests;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2" role="status" aria-label="Totals of the preview">
        <Badge>{placesText(totals.guests, clusters.length)}</Badge>
        <Badge tone={totals.added > 0 ? 'ok' : 'neutral'}>{count(totals.added, 'rule added', 'rules added')}</Badge>
        <Badge tone={totals.removed > 0 ? 'danger' : 'neutral'}>
          {count(totals.removed, 'rule removed', 'rules removed')}
        </Badge>
        <Badge tone={totals.moved > 0 ? 'info' : 'neutral'}>{count(totals.moved, 'moved', 'moved')}</Badge>
        <Badge>{formatCount(totals.kept)} kept</Badge>
        <Badge tone={totals.option_changes > 0 ? 'warn' : 'neutral'}>
          {count(totals.option_changes, 'switch turned', 'switches turned')}
        </Badge>
        {totals.unreadable > 0 && <Badge tone="unknown">{formatCount(totals.unreadable)} unreadable</Badge>}
      </div>
      {unresolved.length > 0 && (
        <Notice
          tone="warn"
          title={
            unresolved.length === 1 ? 'One endpoint yields no rule' : `${unresolved.length} endpoints yield no rule`
          }
        >
          <ul>
            {unresolved.map(({ side, endpoint, reason }) => (
              <li key={`${side} ${endpoint} ${reason}`}>
                <span className="mono">{endpoint}</span> ({side === 'source' ? 'from' : 'to'}):{' '}
                {UNRESOLVED_WORDS[reason]}
              </li>
            ))}
          </ul>
          <p className="text-muted">None of them widens a rule to every address.</p>
        </Notice>
      )}
      {warnings.length > 0 && (
        <Section title="Before you apply" bare>
          <ul className="divide-y rounded-md border bg-surface">
            {warnings.map((warning) => (
              <Warning key={`${warning.code} ${warning.cluster_id} ${warning.message}`} warning={warning} />
            ))}
          </ul>
        </Section>
      )}
      {guests.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState title="Applying would touch no guest">
            No endpoint stands for a workload, or there is no rule, and nothing of the policy is live.
          </EmptyState>
        </div>
      ) : (
        <Section
          title="Guests"
          bare
          actions={
            // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control.
            <label className="flex items-center gap-2">
              <Checkbox checked={onlyChanges} onCheckedChange={setOnlyChanges} />
              Only guests that change
            </label>
          }
        >
          {listed.length === 0 ? (
            <div className="rounded-lg border bg-surface">
              <EmptyState title="No guest would change">Everything is live as the policy wants it.</EmptyState>
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
                  Show more of the {formatCount(listed.length)} guests
                </button>
              )}
            </div>
          )}
        </Section>
      )}
    </div>
  );
}

const GRAVE = new Set(['cluster_firewall_off', 'guest_missing', 'guest_unreadable', 'default_policy_changes']);

function Warning({ warning }: { warning: PreviewWarning }) {
  const { guests, guests_total: total } = warning;
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2">
      <Status tone={GRAVE.has(warning.code) ? 'warn' : 'info'}>
        <span className="whitespace-normal">{warning.message}</span>
      </Status>
      {total > 0 && (
        <p className="pl-4 text-sm text-muted">
          {guests.map(({ name, vmid }) => `${name} (${vmid})`).join(', ')}
          {total > guests.length && ` and ${formatCount(total - guests.length)} more`}
        </p>
      )}
    </li>
  );
}

const count = (n: number, one: string, many: string) => `${formatCount(n)} ${n === 1 ? one : many}`;
