'use client';
import type { Reach, ReachPart, ReachStage } from '@/domain/reach/reach';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { PolicyLink, WorkloadLink } from '../shared/entity-links';
import { DraftButtons } from '../shared/policy-draft/draft-actions';
import { packetText } from '../shared/policy-tests/test-labels';
import {
  ANSWER_LABELS,
  isCut,
  outsideText,
  placesText,
  reasonText,
  servicesText,
  VERDICT_LABELS,
} from './reach-labels';
import { TraceTree } from './trace-tree';

/** An answer: what it is, what is in the way, and the parts that it is made of. */
export function ReachAnswer({ reach }: { reach: Reach }) {
  const t = useT();
  const { answer, reason, blocked_by: blocked, parts, parts_total, withheld, change_id, as_of } = reach;
  const { word, tone } = ANSWER_LABELS[answer];
  return (
    <>
      <Notice tone={tone} title={t(word)} live>
        {reason && <p>{reasonText(t, reason)}</p>}
        {blocked && (
          <p>
            {t('First in the way:')} <StageText stage={blocked.stage} />
          </p>
        )}
        {withheld && <p>{t('A platform rule decides. Its addresses and ports are hidden from you.')}</p>}
        {change_id && (
          <p>
            <Link className="link" href={paths.change({ changeId: change_id })}>
              {t('Show change')}
            </Link>
          </p>
        )}
      </Notice>
      {blocked?.packet && blocked.draft && as_of === null && (
        <div className="flex flex-wrap gap-2">
          <DraftButtons seed={blocked.draft} name={packetText(blocked.packet)} />
        </div>
      )}
      {parts.length > 0 && (
        <Section
          title={t('Parts of the answer')}
          description={
            parts_total > parts.length
              ? t('The first {n, number} of {total, number} parts.', { n: parts.length, total: parts_total })
              : t('Packets with the same verdict, decided by the same rules.')
          }
          bare
        >
          <ul className="divide-y rounded-lg border bg-surface">
            {parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity, and another answer replaces all of them.
              <Part key={at} part={part} open={parts.length <= 2} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** `db-01: No rule matches: the default policy applies. web to db` */
function StageText({ stage }: { stage: ReachStage }) {
  const { workload_id: id, workload_name: name, node, decided_by: by } = stage;
  return (
    <>
      {id && name ? <WorkloadLink id={id} name={name} /> : node}: {by.explanation}{' '}
      {by.policy_id && by.policy_name && <PolicyLink id={by.policy_id} name={by.policy_name} />}
    </>
  );
}

function Part({ part, open }: { part: ReachPart; open: boolean }) {
  const t = useT();
  const { word, tone } = VERDICT_LABELS[part.verdict];
  const services = servicesText(t, part.services);
  return (
    <li className="px-3 py-1.5">
      <details open={open}>
        <summary className="cursor-pointer rounded-sm py-0.5">
          <span className="ml-1 inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-2 gap-y-1 align-top">
            <Status tone={tone}>{t(word)}</Status>
            <span className="[overflow-wrap:anywhere]">
              {placesText(t, part.from)} → {placesText(t, part.to)}
            </span>
            {services && <span className="mono text-muted">{services}</span>}
          </span>
        </summary>
        <div className="flex flex-col gap-3 py-2 pl-4">
          {[part.from, part.to].filter(isCut).map((places) => (
            <p key={places === part.from ? 'from' : 'to'} className="text-sm text-muted [overflow-wrap:anywhere]">
              {places === part.from ? t('From') : t('To')}: {outsideText(t, places)}
            </p>
          ))}
          {part.witness && (
            <p className="text-sm text-muted">
              {t('For example')} <span className="mono">{packetText(part.witness)}</span>
            </p>
          )}
          {part.stages.map((stage) => (
            <Stage key={stage.at} stage={stage} />
          ))}
        </div>
      </details>
    </li>
  );
}

/** What one end does with the example: its verdict, what decides, the switches, and what matched. */
function Stage({ stage }: { stage: ReachStage }) {
  const t = useT();
  const { word, tone } = VERDICT_LABELS[stage.verdict];
  const { switches, read_at } = stage;
  const flags = switches && [
    [t('Cluster firewall'), switches.cluster_firewall],
    [t('Guest firewall'), switches.guest_firewall],
    [t('Interface flag'), switches.interface],
  ];
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">
          {stage.at === 'source' ? t('Outbound at the source') : t('Inbound at the destination')}
        </span>
        <Status tone={tone}>{t(word)}</Status>
        {read_at && (
          <span className="text-sm text-faint">
            {t('Read')} <RelativeTime at={read_at} />
          </span>
        )}
      </p>
      <p>
        <StageText stage={stage} />
      </p>
      {flags && (
        <p className="flex flex-wrap gap-x-4 text-sm">
          {(flags as [string, boolean | null][]).map(([label, on]) => (
            <Status key={label} tone={on === null ? 'unknown' : on ? 'ok' : 'off'}>
              {on === null
                ? t('{name} unknown', { name: label })
                : on
                  ? t('{name} on', { name: label })
                  : t('{name} off', { name: label })}
            </Status>
          ))}
        </p>
      )}
      <TraceTree lines={stage.trace} />
    </div>
  );
}
