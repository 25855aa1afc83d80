'use client';
import { type ReactNode, useState } from 'react';
import type { Impact, ImpactDifference, ImpactDifferenceRow } from '@/domain/impact/impact';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { EmptyState } from '@/ui/empty-state';
import { Section } from '@/ui/section';
import type { Tone } from '@/ui/status';
import { rulesText } from '../verdict-labels';
import { addressesText, portsText, protocolsText } from './impact-labels';

type Kind = 'lost' | 'gained' | 'unknown';

const KINDS: Record<Kind, { count: string; title: string; tone: Tone }> = {
  lost: { count: msg('{n, number} lost'), title: msg('Lost: allowed now, blocked after the change'), tone: 'danger' },
  gained: {
    count: msg('{n, number} gained'),
    title: msg('Gained: blocked now, allowed after the change'),
    tone: 'warn',
  },
  unknown: {
    count: msg('{n, number} unknown'),
    title: msg('Unknown: not decided before or after the change'),
    tone: 'unknown',
  },
};
const ORDER: readonly Kind[] = ['lost', 'gained', 'unknown'];
const DIRECTIONS = { in: msg('Inbound'), out: msg('Outbound') } as const;
const FAMILIES = { 4: 'IPv4', 6: 'IPv6' } as const;
/** Workloads that are listed at first; the rest on request. */
const PAGE = 20;

/** The packets that are treated differently, workload by workload, whether or not they were ever observed. */
export function DifferenceList({ impact }: { impact: Impact }) {
  const t = useT();
  const { difference, difference_left_out: leftOut, status } = impact;
  const [shown, setShown] = useState(PAGE);
  return (
    <Section
      title={t('Difference between the rules')}
      description={t('All packets that are treated differently, whether or not they were observed.')}
      bare
    >
      {difference.length === 0 ? (
        <div className="rounded-lg border bg-surface">
          {status === 'running' ? (
            <EmptyState title={t('Not compared yet')}>{t('Workloads appear as they are compared.')}</EmptyState>
          ) : (
            <EmptyState title={t('No difference')}>
              {t('Every packet is treated after the change as it is now.')}
            </EmptyState>
          )}
        </div>
      ) : (
        <ul className="divide-y rounded-lg border bg-surface">
          {difference.slice(0, shown).map((one) => (
            <WorkloadDifference key={one.workload_id} difference={one} open={difference.length <= 2} />
          ))}
        </ul>
      )}
      {difference.length > shown && (
        <button type="button" className="link min-h-6 self-start" onClick={() => setShown(shown + 4 * PAGE)}>
          {t('Show more of {n, number} workloads', { n: difference.length })}
        </button>
      )}
      {leftOut > 0 && (
        <p className="text-muted">
          {t('{n, plural, one {# more workload changes} other {# more workloads change}} and are not listed.', {
            n: leftOut,
          })}
        </p>
      )}
    </Section>
  );
}

function WorkloadDifference({ difference, open: openAtFirst }: { difference: ImpactDifference; open: boolean }) {
  const t = useT();
  const [open, setOpen] = useState(openAtFirst);
  const { workload_name: name, left_out, complete, unreadable } = difference;
  return (
    <li className="px-3 py-1.5">
      <details open={openAtFirst} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer rounded-sm py-0.5">
          <span className="ml-1 inline-flex flex-wrap items-center gap-x-2 gap-y-1 align-middle">
            <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
            {ORDER.map((kind) => {
              const n = difference[kind].length + left_out[kind];
              return (
                n > 0 && (
                  <Badge key={kind} tone={KINDS[kind].tone}>
                    {t(KINDS[kind].count, { n })}
                  </Badge>
                )
              );
            })}
            {!complete && <Badge tone="unknown">{t('Incomplete')}</Badge>}
            {unreadable && <Badge tone="unknown">{t('Not readable')}</Badge>}
          </span>
        </summary>
        {open && <Content difference={difference} />}
      </details>
    </li>
  );
}

function Content({ difference }: { difference: ImpactDifference }) {
  const t = useT();
  return (
    <div className="flex flex-col gap-3 py-2">
      {difference.unreadable && (
        <p className="text-muted">
          {t('The live firewall of this workload could not be read, so nothing could be compared.')}
        </p>
      )}
      {!difference.complete && (
        <p className="text-muted">{t('The rules are too complex to be compared completely. There may be more.')}</p>
      )}
      {ORDER.filter((kind) => difference[kind].length > 0).map((kind) => (
        <div key={kind} className="flex flex-col gap-1">
          <h3 className="text-sm text-muted">{t(KINDS[kind].title)}</h3>
          <ul className="flex flex-col">
            {difference[kind].map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and an impact never changes
              <Row key={place} row={row} isFirst={place === 0} />
            ))}
          </ul>
          {difference.left_out[kind] > 0 && (
            <p className="text-sm text-muted">
              {t('{n, plural, one {One more row is not listed.} other {# more rows are not listed.}}', {
                n: difference.left_out[kind],
              })}
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

function Row({ row, isFirst }: { row: ImpactDifferenceRow; isFirst: boolean }) {
  const t = useT();
  // Where rows are columns, the labels of the first are the head of all.
  const label = isFirst ? '' : 'lg:sr-only';
  return (
    <li className="grid grid-cols-2 gap-x-4 gap-y-1 border-t py-1.5 lg:grid-cols-[6.5rem_minmax(0,1.4fr)_minmax(0,1.4fr)_5rem_minmax(0,1fr)_minmax(0,1.2fr)_minmax(0,1.2fr)]">
      <Cell labelClass={label} label={t('Direction')} className="col-span-2 lg:col-span-1">
        {t(DIRECTIONS[row.direction])} <span className="mono text-muted">{row.interface}</span>
      </Cell>
      <Cell labelClass={label} label={t('From')}>
        <span className="mono">{addressesText(t, row.from)}</span>
      </Cell>
      <Cell labelClass={label} label={t('To')}>
        <span className="mono">{addressesText(t, row.to)}</span>
      </Cell>
      <Cell labelClass={label} label={t('Protocol')}>
        <span className="mono">{protocolsText(t, row)}</span>
        {row.family !== null && row.from === null && row.to === null && (
          <span className="text-muted"> {FAMILIES[row.family]}</span>
        )}
      </Cell>
      <Cell labelClass={label} label={t('Ports')}>
        <span className="mono">{portsText(t, row)}</span>
      </Cell>
      <Cell labelClass={label} label={t('Before')} title={row.before.explanation}>
        {rulesText(t, row.before)}
      </Cell>
      <Cell labelClass={label} label={t('After')} title={row.after.explanation}>
        {rulesText(t, row.after)}
      </Cell>
    </li>
  );
}

type CellProps = { label: string; labelClass: string; children: ReactNode; className?: string; title?: string };

const Cell = ({ label, labelClass, children, className = '', title }: CellProps) => (
  <span className={`min-w-0 [overflow-wrap:anywhere] ${className}`} title={title}>
    <span className={`block text-sm text-faint ${labelClass}`}>{label}</span>
    {children}
  </span>
);
